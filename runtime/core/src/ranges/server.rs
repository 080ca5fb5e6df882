//! A file server as a cache manager needs it: one lock a file and host, which lapses unless it is
//! extended, and a number for each file's contents. It knows of no byte ranges.
//!
//! How long a lock lasts is the driver's. Hosts that are no nodes of their own, and what they do
//! to a file, are commands.

use alloc::collections::BTreeMap;
use core::fmt;

use turnstile_step::{Core, Effect, Input, InputOf, OutOf, Symbolic};

use super::message::{Answer, Ask, FileId, Host, Lease, Message, Whole};
use crate::number::DataVersion;

/// The core of a file server.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileServer;

/// What a file server keeps. A file that nobody has asked for is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    #[symbolic(values)]
    files: BTreeMap<FileId, Shelf>,
}

/// What it keeps of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
struct Shelf {
    #[symbolic(skip)]
    locks: BTreeMap<Host, Whole>,
    elsewhere: Option<Whole>,
    contents: DataVersion,
}

/// A host's lock lasts no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lapse {
    /// The file.
    pub file: FileId,
    /// The host.
    pub host: Host,
}

/// What hosts do that are no nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// A host takes the lock, if it can.
    Take(FileId, Whole),
    /// It gives the lock up.
    Free(FileId),
    /// It changes the file.
    Change(FileId),
}

/// A file server tells nobody anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Silence {}

impl State {
    /// The lock that a host has.
    #[must_use]
    pub fn of(&self, file: FileId, host: Host) -> Option<Whole> {
        self.files.get(&file)?.locks.get(&host).copied()
    }

    /// The lock that hosts have which are no nodes.
    #[must_use]
    pub fn elsewhere(&self, file: FileId) -> Option<Whole> {
        self.files.get(&file)?.elsewhere
    }

    /// Whether some host has a lock.
    #[must_use]
    pub fn is_locked(&self, file: FileId) -> bool {
        let shelf = self.files.get(&file);
        shelf.is_some_and(|shelf| shelf.elsewhere.is_some() || !shelf.locks.is_empty())
    }
}

impl Shelf {
    /// Whether the lock goes together with those of all other hosts.
    fn allows(&self, host: Option<Host>, lock: Whole) -> bool {
        let nodes = self.locks.iter().filter(|(other, _)| host != Some(**other));
        let others = self.elsewhere.iter().filter(|_| host.is_some());
        let mut all = nodes.map(|(_, lock)| lock).chain(others);
        all.all(|other| (lock, *other) == (Whole::LockRead, Whole::LockRead))
    }
}

impl Core for FileServer {
    type State = State;
    type Peer = Host;
    type Message = Message;
    type Timer = Lapse;
    type Command = Command;
    type Notice = Silence;
    type Saved = ();

    fn start(&self) -> State {
        State::default()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Message { from, message: Message::Call { call, file, ask } } => {
                let shelf = state.files.entry(file).or_default();
                let (answer, timer) = answer(shelf, from, ask, Lapse { file, host: from });
                out.effects.extend(timer);
                let message = Message::Answer { call, answer, lease: Lease::Live };
                out.effects.push(Effect::Send { to: from, message });
            }
            Input::Message { message: Message::Answer { .. }, .. } => {}
            Input::Fired(Lapse { file, host }) => {
                state.files.entry(file).or_default().locks.remove(&host);
            }
            Input::Command(command) => elsewhere(state, command),
            Input::Restart(_) => *state = State::default(),
        }
    }
}

type Timed = Option<Effect<Host, Message, Lapse, Silence, ()>>;

fn answer(shelf: &mut Shelf, host: Host, ask: Ask, lapse: Lapse) -> (Answer, Timed) {
    match ask {
        Ask::Set(lock) if shelf.allows(Some(host), lock) => {
            shelf.locks.insert(host, lock);
            (Answer::Set(lock, shelf.contents), Some(Effect::Arm(lapse)))
        }
        Ask::Extend if shelf.locks.contains_key(&host) => {
            (Answer::Extended(shelf.contents), Some(Effect::Arm(lapse)))
        }
        Ask::Set(_) | Ask::Extend => (Answer::Refused, None),
        Ask::Release => {
            shelf.locks.remove(&host);
            (Answer::Released, Some(Effect::Disarm(lapse)))
        }
    }
}

fn elsewhere(state: &mut State, command: Command) {
    match command {
        Command::Take(file, lock) => {
            let shelf = state.files.entry(file).or_default();
            if shelf.allows(None, lock) {
                shelf.elsewhere = Some(lock);
            }
        }
        Command::Free(file) => state.files.entry(file).or_default().elsewhere = None,
        Command::Change(file) => {
            let shelf = state.files.entry(file).or_default();
            shelf.contents = shelf.contents.next();
        }
    }
}

impl fmt::Display for Lapse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lapse of {} for {}", self.file, self.host)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Take(file, lock) => write!(f, "that another host takes {lock} of {file}"),
            Self::Free(file) => write!(f, "that another host frees {file}"),
            Self::Change(file) => write!(f, "that another host changes {file}"),
        }
    }
}

impl fmt::Display for Silence {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}
