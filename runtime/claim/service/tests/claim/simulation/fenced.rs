//! Two stores behind the lock: one checks fencing tokens, the other takes every write.
//!
//! A write is a read-modify-write: it is based on what its writer has read, and it is lost work
//! for whoever wrote in between.

/// A value that is read and written back changed; how often it was written stands for it.
#[derive(Debug, Default)]
pub(crate) struct Register {
    is_fenced: bool,
    writes: u64,
    newest: u64,
    pub(crate) refused: u64,
    /// Writes of others that a write was not based on.
    pub(crate) overwritten: u64,
}

impl Register {
    pub(crate) fn new(is_fenced: bool) -> Self {
        Self { is_fenced, ..Self::default() }
    }

    /// Reads the value. A fence notes the token here, too: what was read before is not written
    /// any more once a newer holder has begun.
    pub(crate) fn read(&mut self, token: u64) -> Option<u64> {
        self.admit(token).then_some(self.writes)
    }

    /// Writes what follows from a value that was read.
    pub(crate) fn write(&mut self, token: u64, read: u64) {
        if self.admit(token) {
            self.overwritten += self.writes - read;
            self.writes += 1;
        }
    }

    fn admit(&mut self, token: u64) -> bool {
        let is_admitted = !self.is_fenced || token >= self.newest;
        self.refused += u64::from(!is_admitted);
        self.newest = self.newest.max(token);
        is_admitted
    }
}
