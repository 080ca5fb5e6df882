//! The types of the claim system: those of its cores, put behind one set for the World.

use turnstile_core::claim::client;
use turnstile_core::claim::message::Message;
use turnstile_core::claim::record;
use turnstile_core::fence;
use turnstile_core::number::{ClaimId, Token};
use turnstile_core::{Class, Numbers, without_numbers};
use turnstile_machines::claim::Resource;

use crate::world::system::Types;

/// The types of the claim system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimTypes;

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// A client of one claim.
    Client(Lessee),
    /// The claim server.
    Server(record::State),
    /// The store behind the lock.
    Store(fence::State),
}

/// A client, and what its clock has to do with the server's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lessee {
    /// The core's state.
    pub core: client::State,
    /// The server counted the ttl anew when it handled the request from whose send the lease is
    /// counted; so the lease is over first.
    pub is_backed: bool,
}

/// A message, and what it has to do with the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter {
    /// The message.
    pub message: Message,
    /// It answers a request with which the server counted the ttl anew.
    pub is_backed: bool,
}

impl Letter {
    /// A message that has nothing to do with the clocks.
    pub(super) fn plain(message: Message) -> Self {
        Self { message, is_backed: false }
    }
}

/// A node's timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// A timer of the claim machine.
    Client(Resource),
    /// A timer of the server.
    Server(record::Timer),
}

/// What a node's user may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Command {
    /// The user of a claim.
    Client(client::Command),
    /// Whoever keeps the server.
    Server(record::Command),
}

/// What a node's user is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Notice {
    /// The user of a claim.
    Client(client::Notice),
    /// Who keeps the server's histories.
    Server(record::Notice),
    /// Who looks at the store.
    Store(fence::Notice),
}

/// What survives a crash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Saved {
    /// Of the server.
    Server(record::Saved),
    /// Of the store.
    Store(Option<Token>),
}

impl Saved {
    pub(super) fn of_server(self) -> Option<record::Saved> {
        match self {
            Self::Server(saved) => Some(saved),
            Self::Store(_) => None,
        }
    }

    pub(super) fn of_store(self) -> Option<Option<Token>> {
        match self {
            Self::Store(saved) => Some(saved),
            Self::Server(_) => None,
        }
    }
}

/// What the properties remember of the clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Watch {
    /// By client.
    pub clients: Vec<Past>,
}

/// What the properties remember of one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Past {
    /// A `claim()` waits for its answer.
    pub waits: bool,
    /// A `claim()` was answered.
    pub is_answered: bool,
    /// Its user was told that it holds the lock, and of no end of it.
    pub is_held: bool,
    /// A `release()` waits for its answer.
    pub releases: bool,
    /// A `claim()` was answered twice.
    pub answered_twice: bool,
    /// The store accepted an act of it since it was told that it holds the lock.
    pub acted: bool,
    /// And then one of another client.
    pub interrupted: bool,
    /// And then one of it again.
    pub interleaved: bool,
}

without_numbers!(Watch);

impl Types for ClaimTypes {
    type State = State;
    type Message = Letter;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = Saved;
    type Watch = Watch;
    type Mark = ClaimId;
}
impl Numbers for State {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Client(client) => client.core.visit(each),
            Self::Server(state) => state.visit(each),
            Self::Store(state) => state.visit(each),
        }
    }
}

impl Numbers for Letter {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        self.message.visit(each);
    }
}

impl Numbers for Timer {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Client(_) => {}
            Self::Server(timer) => timer.visit(each),
        }
    }
}

impl Numbers for Notice {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Client(notice) => notice.visit(each),
            Self::Server(notice) => notice.visit(each),
            Self::Store(notice) => notice.visit(each),
        }
    }
}

impl Numbers for Saved {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Server(saved) => saved.visit(each),
            Self::Store(saved) => saved.visit(each),
        }
    }
}
