//! The state machine that is replicated: its operations and snapshots are opaque bytes.

use std::io;

/// Encodes a captured state, while further operations are applied: appends it to a vector.
pub type Encode = Box<dyn FnOnce(&mut Vec<u8>) + Send>;

/// Where an operation is in the log: all operations that were written in one entry have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// The index of the entry.
    pub index: u64,
    /// The term of the leader that wrote it. An operation that is proposed again, since its outcome
    /// is unknown, may have a later one than before.
    pub term: u64,
    /// The version of the rules by which the operation is applied. All members can apply it, and it
    /// never decreases: the oldest of the members' versions, once the leader knows all of them.
    pub version: u32,
}

/// A deterministic state machine. Each member has its own, and applies the same operations in the
/// same order.
///
/// It must not read a clock or draw a random number: the leader puts such values into the
/// operation. It is kept in memory: a start installs the last snapshot and applies the committed
/// operations after it again. An operation that was proposed twice, because the outcome of the
/// first attempt was unknown, is applied twice unless the machine itself recognises it.
pub trait StateMachine: Send + 'static {
    /// Applies an operation and returns the answer for its proposer.
    ///
    /// # Errors
    /// When this machine does not know the effect of the operation; the member stops. Its state is
    /// in no snapshot.
    fn apply(&mut self, place: LogPosition, operation: &[u8]) -> io::Result<Vec<u8>>;

    /// The name of the application, whose operations these are. A log notes it, and a machine of
    /// another one is not started with it; nor do members of two applications work together. An
    /// empty one, the default, fits to all.
    fn application(&self) -> &'static str {
        ""
    }

    /// The newest version of the operations that this machine can apply, 1 at first; it can apply
    /// all before it, too. A member whose machine cannot apply what the log has stops.
    fn version(&self) -> u32 {
        1
    }

    /// Captures the state. No operation is applied until this returns, so it should be quick; the
    /// returned function may take its time.
    fn snapshot(&self) -> Encode;

    /// Replaces the state by one that [`StateMachine::snapshot`] captured.
    ///
    /// # Errors
    /// When the bytes are not a state; the member stops.
    fn install(&mut self, snapshot: &[u8]) -> io::Result<()>;
}
