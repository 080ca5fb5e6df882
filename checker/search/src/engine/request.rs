//! What a check is asked to do.

use crate::bounds::{Limits, Progress, Reductions, StopCondition};

/// A request to check a system.
#[derive(Clone, Copy)]
pub struct CheckRequest<'a> {
    /// Threads, at least 1.
    pub threads: usize,
    /// The limits at which the search is truncated.
    pub limits: Limits,
    /// The reductions to make where they are sound.
    pub reduce: Reductions,
    /// The condition to stop early; the verdicts not yet known are then `incomplete`.
    pub until: &'a StopCondition,
    /// Whether to give a path to every state that violates a property, and not to the first one
    /// only: for small state graphs.
    pub every: bool,
    /// The observer of the search, which may stop it.
    pub progress: &'a dyn Progress,
}

impl<'a> CheckRequest<'a> {
    /// The whole state graph on one thread, without a limit and without a reduction.
    #[must_use]
    pub fn new(progress: &'a dyn Progress) -> Self {
        Self {
            threads: 1,
            limits: Limits::default(),
            reduce: Reductions::NONE,
            until: &StopCondition::Exhausted,
            every: false,
            progress,
        }
    }
}
