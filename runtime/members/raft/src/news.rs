//! Bells for those that wait for something new of a member.

use turnstile_host::Bell;

/// Two bells, since each wakes all that wait for it.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Rings with all that is new, each progress of the log included.
    pub(crate) all: Bell,
    /// Rings when the log's progress is not the only thing that is new.
    pub(crate) changes: Bell,
}

impl News {
    /// Rings both.
    pub(crate) fn ring(&self) {
        self.changes.ring();
        self.all.ring();
    }
}
