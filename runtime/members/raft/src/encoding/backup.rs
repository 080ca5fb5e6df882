//! The state of a group as one sequence of bytes, with a checksum, for an operator to keep.

use std::io;

use bytes::Bytes;

use crate::encoding::snapshot::SnapshotParts;
use crate::engine;

/// The state of a group at one time: what [`crate::Member::backup`] saves, and
/// [`crate::Member::restore`] begins a new group with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup(pub(crate) SnapshotParts);

impl Backup {
    /// A state that was in no log before, so that a group can begin with it.
    #[must_use]
    pub fn of_state(state: impl Into<Bytes>) -> Self {
        Self(SnapshotParts { meta: engine::unwritten(), state: state.into() })
    }

    /// Reads a backup.
    ///
    /// # Errors
    /// When the bytes are damaged, or of another version.
    pub fn decode(bytes: impl Into<Bytes>) -> io::Result<Self> {
        SnapshotParts::decode(bytes.into()).map(Self)
    }

    /// The bytes of the backup, with a checksum.
    #[must_use]
    pub fn encode(&self) -> Bytes {
        self.0.encode()
    }

    /// The state, as the machine has encoded it.
    #[must_use]
    pub fn state(&self) -> &[u8] {
        &self.0.state
    }

    /// The backup with another state, for example without what is of no use in a new group.
    #[must_use]
    pub fn with_state(self, state: impl Into<Bytes>) -> Self {
        Self(SnapshotParts { state: state.into(), ..self.0 })
    }
}
