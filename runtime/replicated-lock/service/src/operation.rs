//! The operations of the log and their answers, as bytes.
//!
//! An envelope has the commands that a member has executed, in their order. Its session and its
//! number make it apply once, and never after a RESET that excludes the session.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use turnstile_ids::number::Token;
use turnstile_replicated_lock_core::types::{
    Address, LockName, LockStatus, LogEntry, LogOperation,
};

/// A member's connection to the log, from a Register to the RESET that excludes it or the next
/// Register. A member that has been in a minority begins another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SessionId {
    /// The address of the member, another one after each start.
    pub address: Address,
    /// The number of the session at this address.
    pub epoch: u64,
}

/// A session that is to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSession {
    /// Its name.
    pub session: SessionId,
    /// The id of the member.
    pub member: u64,
    /// How long it may keep its locks without contact; it resigns then, and is excluded later.
    pub lease: Duration,
    /// What the member has applied: a late copy, and one of a former life, is recognised by it.
    pub after: u64,
}

/// An operation of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Begins a session.
    Register(NewSession),
    /// Commands of a session.
    Envelope {
        /// The session.
        session: SessionId,
        /// The first of a session has 1.
        sequence: u64,
        /// The commands, in their order.
        commands: Vec<NamedCommand>,
    },
}

/// A command on its way to the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The command, its member and its call.
    pub entry: LogEntry,
    /// When it was sent.
    pub sent: Sent,
}

/// When a member has sent a command, which may be late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The term that the member knew.
    pub term: u64,
    /// How many commands the member had applied.
    pub after: u64,
}

/// A command, with the id of its lock for people, if it may create the lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCommand {
    /// The command.
    pub command: Command,
    /// The id of its lock.
    pub id: Option<String>,
}

/// The answer to an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It is applied: the results of an envelope's commands, or nothing for a Register.
    Applied(Vec<CommandResult>),
    /// Its session does not live. Nothing is applied.
    Refused,
}

/// The result of a command at the time when it was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandResult {
    /// The command's number in the log.
    pub index: Token,
    /// The status of its member.
    pub status: LockStatus,
    /// The fencing token, if it held the lock.
    pub token: Option<Token>,
}

/// The lock that a command concerns; `None` if it concerns all.
pub(crate) const fn lock_of(operation: &LogOperation) -> Option<LockName> {
    match operation {
        LogOperation::Lock(lock) | LogOperation::TryLock(lock) | LogOperation::Unlock(lock) => {
            Some(*lock)
        }
        LogOperation::UnlockAll | LogOperation::Reset(_) => None,
    }
}

/// A value as the log and the members have it.
///
/// # Panics
/// When it has a map or a sequence of unknown length.
pub fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("it has no map of unknown length")
}

/// A value from its bytes; `None` if another version has written them.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
