//! What the checks of a member's steps have found.

/// What a member's steps did wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct StepFaults {
    /// As a coordinator it did not answer pending requests in FIFO order, each once.
    pub(crate) answered_out_of_order: bool,
    /// As a coordinator it refused a lock that was available.
    pub(crate) refused_available: bool,
    /// As a coordinator it began a round with requests of an earlier one.
    pub(crate) kept_requests: bool,
    /// An UNLOCK was no longer pending, although it was not answered.
    pub(crate) dropped_unlock: bool,
    /// It took another message for a LOCK-INFO-REQ of a later view.
    pub(crate) took_for_early: bool,
    /// As a coordinator it granted a lock without a token, or with none that is greater than that
    /// of its grant before.
    pub(crate) granted_without_growth: bool,
    /// As a coordinator it no longer waited for a loser that had not acknowledged its loss.
    pub(crate) forgot_a_loser: bool,
}
