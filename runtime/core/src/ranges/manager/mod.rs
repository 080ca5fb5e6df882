//! The cache manager: byte-range locks of its host's clients, granted by itself, and asserted with
//! a file server that knows locks of whole files only.
//!
//! Each lock is an instance of the machine `byte-range-lock`, each file's server lock one of
//! `server-lock`. Nothing here asks which state a machine is in: rows and rules decide, guards are
//! answered in [`look`], what formulas speak of in [`facts`].

mod carry;
mod facts;
mod look;
mod state;
mod turn;

use turnstile_machine::Rules;
use turnstile_machines::{byte_range_lock, server_lock};
use turnstile_step::{Core, Input, InputOf, OutOf, Symbolic};

use self::turn::Turn;
use super::locks::{Key, LockType};
use super::message::{FileId, Message, Server};
use super::range::ByteRange;
use crate::number::LockId;

pub use state::{File, Open, State};

/// The core of a cache manager.
///
/// Every command is answered in its own step. A request for a lock: [`News::Granted`],
/// [`News::Waits`] or, if its client has a LOST lock, [`News::Refused`]. One that waits hears one
/// of [`News::Granted`], [`News::TimedOut`] and [`News::Lost`] later, unless it is abandoned. A
/// client that loses a lock loses all; each may be granted or wait anew, and the client gets no
/// other one before it has released them. To read or write: [`News::Allowed`] or
/// [`News::Refused`]. To give a lock up: [`News::Refused`] if it is another's, and otherwise
/// nothing, since the lock is gone.
///
/// A lock that was granted or lost is released, one that waits is abandoned; the other way round,
/// nothing happens. So a client that abandons a lock as it is granted has it, and has been told.
///
/// A lease is counted by the driver from the send of the call whose answer arms it.
#[derive(Clone, Debug)]
pub struct CacheManager<L = byte_range_lock::Machine, S = server_lock::Machine> {
    /// The table of each lock.
    pub locks: L,
    /// The table of each server lock.
    pub servers: S,
}

impl CacheManager {
    /// A cache manager by the tables that are baked in.
    #[must_use]
    pub const fn new() -> Self {
        Self { locks: byte_range_lock::Machine, servers: server_lock::Machine }
    }
}

impl<L, S: Rules<server_lock::Machine>> CacheManager<L, S> {
    /// Whether the table asks for the most that the file server may have granted.
    fn asks_for_most(&self) -> bool {
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
    /// Until when the file server keeps the lock at least.
    Lease(FileId),
    /// How long a lock's client waits.
    Wait(FileId, LockId),
}

/// What a client of the cache manager may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Command {
    /// Of which file.
    pub file: FileId,
    /// Who asks.
    pub key: Key,
    /// For what.
    pub wish: Wish,
}

/// What may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Wish {
    /// A lock. Its number is in what the client is told of it.
    Lock(LockType, ByteRange),
    /// To have a lock no longer that was granted or lost.
    Unlock(LockId),
    /// To wait for a lock no longer.
    Abandon(LockId),
    /// To read these bytes, now.
    Read(ByteRange),
    /// To write these bytes, now.
    Write(ByteRange),
}

/// What a client of the cache manager is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Notice {
    /// Of which file.
    pub file: FileId,
    /// Who is told.
    pub key: Key,
    /// What.
    pub what: News,
}

/// What there is to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum News {
    /// It may exercise the lock.
    Granted(LockId),
    /// It has to wait for the lock.
    Waits(LockId),
    /// It has waited too long.
    TimedOut(LockId),
    /// The lock is lost, and with it every lock of the client.
    Lost(LockId),
    /// What it asked for is not done.
    Refused,
    /// It may do what it asked for.
    Allowed,
}

impl<L: Rules<byte_range_lock::Machine>, S: Rules<server_lock::Machine>> Core
    for CacheManager<L, S>
{
    type State = State;
    type Peer = Server;
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
            Input::Message { message: Message::Answer { call, answer, lease }, from: Server } => {
                if let Some(file) = state.answered(call) {
                    Turn::new(self, state, file, out).hear(answer, lease);
                }
            }
            // Nobody calls a cache manager.
            Input::Message { message: Message::Call { .. }, from: Server } => {}
            Input::Fired(timer) => {
                let (Timer::Check(file) | Timer::Lease(file) | Timer::Wait(file, _)) = timer;
                Turn::new(self, state, file, out).fire(timer);
            }
            Input::Command(Command { file, key, wish }) => {
                Turn::new(self, state, file, out).ask(key, wish);
            }
            Input::Restart(_) => *state = State::default(),
        }
    }
}
