//! The cache manager: it grants byte-range locks to the clients of its host, and asserts them with
//! a file server that knows locks of whole files only.
//!
//! Each lock is an instance of the machine `byte-range-lock`, each file's server lock one of
//! `server-lock`. No code here branches on a machine's state: rows and rules decide. [`guards`]
//! evaluates guards, [`facts`] the predicates of formulas.

mod actions;
mod context;
mod facts;
mod guards;
mod state;

use turnstile_machine::Rules;
use turnstile_machines::{byte_range_lock, server_lock};
use turnstile_step::{Core, Input, InputOf, OutOf, Symbolic};

use self::context::StepContext;
use super::locks::{ClientKey, LockType};
use super::message::{FileId, FileServerPeer, Message};
use super::range::ByteRange;
use crate::number::LockId;

pub use state::{File, PendingCall, State};

/// The core of a cache manager.
///
/// The step that takes a command also notifies its outcome. A lock request: [`Outcome::Granted`],
/// [`Outcome::Waits`] or, if its client has a LOST lock, [`Outcome::Refused`]. A waiting lock is
/// later [`Outcome::Granted`], [`Outcome::TimedOut`] or [`Outcome::Lost`], unless it is abandoned.
/// A client that loses a lock loses all its locks; each may be granted again or wait again, and the
/// client gets no new lock before it has released them. A read or write: [`Outcome::Allowed`] or
/// [`Outcome::Refused`]. A release: [`Outcome::Refused`] if the lock is another client's, otherwise
/// no notice.
///
/// A granted or lost lock is released, a waiting one is abandoned; the other way round, nothing
/// happens. So a client that abandons a lock while it is granted holds it, and has been notified.
///
/// The host counts a lease from the send of the call whose reply arms it.
#[derive(Clone, Debug)]
pub struct CacheManager<L = byte_range_lock::Machine, S = server_lock::Machine> {
    /// The table of each lock.
    pub locks: L,
    /// The table of each server lock.
    pub servers: S,
}

impl CacheManager {
    /// A cache manager by the compiled tables.
    #[must_use]
    pub const fn new() -> Self {
        Self { locks: byte_range_lock::Machine, servers: server_lock::Machine }
    }
}

impl<L, S: Rules<server_lock::Machine>> CacheManager<L, S> {
    /// Whether the table has a guard on the strongest lock that the file server may have granted.
    fn tracks_granted(&self) -> bool {
        self.servers.asks(server_lock::Guard::LockWriteMayBeKept)
    }
}

impl Default for CacheManager {
    fn default() -> Self {
        Self::new()
    }
}

/// The timers of a cache manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// The check of a file's server lock.
    Check(FileId),
    /// The lease of a file's server lock.
    Lease(FileId),
    /// The timeout of a waiting lock.
    Wait(FileId, LockId),
}

/// A command: an operation of a client on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Command {
    /// The file.
    pub file: FileId,
    /// The client.
    pub key: ClientKey,
    /// The operation.
    #[cfg_attr(feature = "serde", serde(rename = "wish"))]
    pub operation: Operation,
}

/// An operation of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Operation {
    /// Lock a range. The notices about the lock have its number.
    Lock(LockType, ByteRange),
    /// Release a granted or lost lock.
    Unlock(LockId),
    /// Abandon a waiting lock.
    Abandon(LockId),
    /// Read these bytes now.
    Read(ByteRange),
    /// Write these bytes now.
    Write(ByteRange),
}

/// A notification to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Notice {
    /// The file.
    pub file: FileId,
    /// The client.
    pub key: ClientKey,
    /// The outcome.
    #[cfg_attr(feature = "serde", serde(rename = "what"))]
    pub outcome: Outcome,
}

/// The outcome of an operation, or a later change of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Outcome {
    /// The lock is granted.
    Granted(LockId),
    /// The lock waits.
    Waits(LockId),
    /// The wait for the lock timed out.
    TimedOut(LockId),
    /// The lock is lost, and with it every lock of the client.
    Lost(LockId),
    /// The operation is refused.
    Refused,
    /// The read or write is allowed.
    Allowed,
}

impl<L: Rules<byte_range_lock::Machine>, S: Rules<server_lock::Machine>> Core
    for CacheManager<L, S>
{
    type State = State;
    type Peer = FileServerPeer;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::default()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Message {
                message: Message::Reply { call, reply, lease },
                from: FileServerPeer,
            } => {
                if let Some(file) = state.answered(call) {
                    StepContext::new(self, state, file, out).on_reply(reply, lease);
                }
            }
            // No node calls a cache manager.
            Input::Message { message: Message::Call { .. }, from: FileServerPeer } => {}
            Input::Fired(timer) => {
                let (Timer::Check(file) | Timer::Lease(file) | Timer::Wait(file, _)) = timer;
                StepContext::new(self, state, file, out).on_timer(timer);
            }
            Input::Command(Command { file, key, operation }) => {
                StepContext::new(self, state, file, out).on_command(key, operation);
            }
            Input::Restart(_) => *state = State::default(),
        }
    }
}
