//! The state machine that is replicated: its operations and snapshots are opaque bytes.

use std::io;

/// Encodes a captured state, while further operations are applied: appends it to a vector.
pub type Encode = Box<dyn FnOnce(&mut Vec<u8>) + Send>;

/// A deterministic state machine. Each member has its own, and applies the same operations in the
/// same order.
///
/// It must not read a clock or draw a random number: the leader puts such values into the
/// operation. It is kept in memory: a start installs the last snapshot and applies the committed
/// operations after it again. An operation that was proposed twice, because the outcome of the
/// first attempt was unknown, is applied twice unless the machine itself recognises it.
pub trait StateMachine: Send + 'static {
    /// Applies an operation and returns the answer for its proposer. The index is that of the
    /// operation's log entry: all operations that were written in one entry have the same.
    fn apply(&mut self, index: u64, operation: &[u8]) -> Vec<u8>;

    /// The newest version of the operations that this machine can apply, 1 at first; it can apply
    /// all before it, too. A member whose machine cannot apply what the log has stops.
    fn version(&self) -> u32 {
        1
    }

    /// Applies an operation by the rules of a version, which all members can apply, and which never
    /// decreases: the oldest of the members' versions, once the leader knows all of them. A machine
    /// whose rules change with its version has this in place of [`StateMachine::apply`].
    fn apply_version(&mut self, _version: u32, index: u64, operation: &[u8]) -> Vec<u8> {
        self.apply(index, operation)
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
