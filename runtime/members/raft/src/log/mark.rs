//! A place in the log.

use bytes::Bytes;

/// An index of the log, with what the engine says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) index: u64,
    /// The log id, encoded by the engine.
    pub(crate) id: Bytes,
}
