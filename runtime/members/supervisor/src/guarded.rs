//! The times at which a command is to be ended.

use std::time::Duration;

/// When a command is to be ended, in time since the boot, suspensions included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guarded {
    /// It gets SIGTERM, unless the supervisor has seen to that; `None`: it never does.
    pub(crate) term_at: Option<Duration>,
    /// It gets SIGKILL.
    pub(crate) kill_at: Option<Duration>,
}

impl Guarded {
    /// Not to be ended: it has no lease, or is stopped and will not be continued without one.
    pub(crate) const NEVER: Self = Self { term_at: None, kill_at: None };

    /// The next of these times.
    pub(crate) fn next(self) -> Option<Duration> {
        self.term_at.into_iter().chain(self.kill_at).min()
    }
}
