//! The [`Symbolic`](turnstile_step::Symbolic) numbers of views.

turnstile_ids::numbers! {
    /// A view's number. Greater than the number of every view that it follows.
    ViewId: "view id", Count;
}

impl ViewId {
    /// Mints the number of a view that follows these.
    ///
    /// Groups that do not know each other may mint the same number. A view is identified by its
    /// number and its coordinator.
    #[must_use]
    pub fn after(views: impl IntoIterator<Item = Self>) -> Self {
        Self(views.into_iter().map(|view| view.0).max().unwrap_or_default().strict_add(1))
    }
}
