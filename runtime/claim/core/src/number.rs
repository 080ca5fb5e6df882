//! The [`Symbolic`](turnstile_step::Symbolic) numbers of claims.

turnstile_ids::numbers! {
    /// A claim's id at the server. Greater than the id of every claim posted before it.
    ClaimId: "claim id", Rank;
    /// The idempotency key of a POST: a POST with the same key is the same claim. The client draws
    /// it at random; it is never reused.
    IdempotencyKey: "idempotency key", Equality;
}

impl ClaimId {
    /// Mints the next id.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.strict_add(1))
    }
}
