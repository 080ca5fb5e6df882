//! The [`Symbolic`](turnstile_step::Symbolic) numbers of byte-range locks.

turnstile_ids::numbers! {
    /// A byte-range lock's place in its file's list. Greater than that of every lock before it.
    LockId: "lock", Rank;
    /// The version of a file's contents; the file server increments it at every change.
    DataVersion: "data version", Rank;
}

impl DataVersion {
    /// The version of the changed contents.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}

impl LockId {
    /// The number of the next lock of the list.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}
