//! A model of a file server: one lock for each file and host, which expires unless it is extended,
//! and a version of each file's contents. It knows no byte ranges.
//!
//! The host of this core chooses the lease. Other hosts, which are not nodes, act by commands.

use alloc::collections::BTreeMap;
use core::fmt;

use turnstile_step::{Core, Effect, Input, InputOf, OutOf, Symbolic};

use super::message::{FileClient, FileId, Lease, Message, ServerLock, ServerReply, ServerRequest};
use crate::number::DataVersion;
use turnstile_ids::never::Never;

/// The core of a file server.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileServer;

/// The state of a file server: the files that have been used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    #[symbolic(values)]
    files: BTreeMap<FileId, FileEntry>,
}

/// The locks and the contents of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
struct FileEntry {
    #[symbolic(skip)]
    locks: BTreeMap<FileClient, ServerLock>,
    elsewhere: Option<ServerLock>,
    contents: DataVersion,
}

/// The timer of a host's lock: it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lapse {
    /// The file.
    pub file: FileId,
    /// The host.
    pub host: FileClient,
}

/// An action of a host that is not a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// A host takes the lock, if no lock conflicts.
    Take(FileId, ServerLock),
    /// It releases the lock.
    Free(FileId),
    /// It changes the file.
    Change(FileId),
}

impl State {
    /// A host's lock.
    #[must_use]
    pub fn of(&self, file: FileId, host: FileClient) -> Option<ServerLock> {
        self.files.get(&file)?.locks.get(&host).copied()
    }

    /// The lock of hosts that are not nodes.
    #[must_use]
    pub fn elsewhere(&self, file: FileId) -> Option<ServerLock> {
        self.files.get(&file)?.elsewhere
    }
}

impl FileEntry {
    /// Whether the lock is compatible with those of all other hosts.
    fn allows(&self, host: Option<FileClient>, lock: ServerLock) -> bool {
        let nodes = self.locks.iter().filter(|(other, _)| host != Some(**other));
        let others = self.elsewhere.iter().filter(|_| host.is_some());
        let mut all = nodes.map(|(_, lock)| lock).chain(others);
        all.all(|other| (lock, *other) == (ServerLock::LockRead, ServerLock::LockRead))
    }
}

impl Core for FileServer {
    type State = State;
    type Peer = FileClient;
    type Message = Message;
    type Timer = Lapse;
    type Command = Command;
    type Notice = Never;
    type Saved = ();

    fn start(&self) -> State {
        State::default()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Message { from, message: Message::Call { call, file, request } } => {
                let entry = state.files.entry(file).or_default();
                let (reply, timer) = reply(entry, from, request, Lapse { file, host: from });
                out.effects.extend(timer);
                let message = Message::Reply { call, reply, lease: Lease::Live };
                out.effects.push(Effect::Send { to: from, message });
            }
            Input::Message { message: Message::Reply { .. }, .. } => {}
            Input::Fired(Lapse { file, host }) => {
                state.files.entry(file).or_default().locks.remove(&host);
            }
            Input::Command(command) => elsewhere(state, command),
            Input::Restart(_) => *state = State::default(),
        }
    }
}

type Timed = Option<Effect<FileClient, Message, Lapse, Never, ()>>;

fn reply(
    entry: &mut FileEntry,
    host: FileClient,
    request: ServerRequest,
    lapse: Lapse,
) -> (ServerReply, Timed) {
    match request {
        ServerRequest::Set(lock) if entry.allows(Some(host), lock) => {
            entry.locks.insert(host, lock);
            (ServerReply::Set(lock, entry.contents), Some(Effect::Arm(lapse)))
        }
        ServerRequest::Extend if entry.locks.contains_key(&host) => {
            (ServerReply::Extended(entry.contents), Some(Effect::Arm(lapse)))
        }
        ServerRequest::Set(_) | ServerRequest::Extend => (ServerReply::Refused, None),
        ServerRequest::Release => {
            entry.locks.remove(&host);
            (ServerReply::Released, Some(Effect::Disarm(lapse)))
        }
    }
}

fn elsewhere(state: &mut State, command: Command) {
    match command {
        Command::Take(file, lock) => {
            let entry = state.files.entry(file).or_default();
            if entry.allows(None, lock) {
                entry.elsewhere = Some(lock);
            }
        }
        Command::Free(file) => state.files.entry(file).or_default().elsewhere = None,
        Command::Change(file) => {
            let entry = state.files.entry(file).or_default();
            entry.contents = entry.contents.next();
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
