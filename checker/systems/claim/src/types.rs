//! The types of the claim system: those of its cores, put behind one set for the World.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_core::claim::message::{Message, ResourceName};
use turnstile_core::claim::{client, keychain, record};
use turnstile_core::fence;
use turnstile_core::number::{ClaimId, IdempotencyKey, Token};
use turnstile_machines::claim::Resource;
use turnstile_step::Symbolic;

use turnstile_world::NodeId;
use turnstile_world::system::Types;

/// The types of the claim system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimTypes;

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub enum State {
    /// A client of one claim.
    Client(Lessee),
    /// A keychain, and the program that it serves.
    Keychain(Chain),
    /// The claim server.
    Server(Office),
    /// The store behind the lock.
    Store(fence::State),
}

/// A client, and what its clock has to do with the server's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Lessee {
    /// The core's state.
    pub core: client::State,
    /// The server counted the ttl anew when it handled the request from whose send the lease is
    /// counted; so the lease is over first.
    pub is_backed: bool,
    /// It asks the server to answer only when the lock is granted.
    pub waits: bool,
    /// It was told that its claim is over, and still says that it holds the lock.
    pub is_deaf: bool,
}

/// A keychain, what its program has asked of it, and what its clock has to do with the server's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct Chain {
    /// The core's state.
    pub core: keychain::State,
    /// The resources of which [`Lessee::is_backed`] is so.
    #[symbolic(skip)]
    pub backed: BTreeSet<ResourceName>,
    /// The resources that were ever claimed.
    #[symbolic(skip)]
    pub begun: BTreeSet<ResourceName>,
    /// What became of the claims that the core has forgotten, but for those whose time was over.
    #[symbolic(values)]
    pub ended: BTreeMap<ResourceName, Ended>,
    /// The program is there no more.
    pub is_closed: bool,
    /// It was told that a claim is over, and still says that the program holds the lock.
    pub is_deaf: bool,
}

/// A claim that has ended by an answer, by what the server may know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Ended {
    /// Its id.
    pub claim: Option<ClaimId>,
    /// Its key.
    pub key: Option<IdempotencyKey>,
}

/// A claim server, and who watches its claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct Office {
    /// The core's state.
    pub core: record::State,
    /// The node that watches a claim that is not over: that its last grant was answered to. Empty
    /// where nobody watches.
    pub watched: BTreeMap<ClaimId, NodeId>,
}

/// A message, and what it has to do with the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Letter {
    /// The message.
    pub message: Message,
    /// It answers a request with which the server counted the ttl anew.
    pub is_backed: bool,
    /// Which way it goes.
    pub way: Way,
}

/// Which way a message goes between a client and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Way {
    /// On the client's connection.
    Own,
    /// On another one, whose other end is gone: its answer is heard by nobody.
    Stray,
    /// It is not the request but the end of the connection on which it waits.
    HungUp,
}

impl Letter {
    /// A message that has nothing to do with the clocks.
    pub(super) fn plain(message: Message) -> Self {
        Self { message, is_backed: false, way: Way::Own }
    }
}

/// A node's timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Timer {
    /// A timer of the claim machine.
    Client(#[symbolic(skip)] Resource),
    /// A timer of one of a keychain's claims.
    Keychain(keychain::Timer),
    /// A timer of the server.
    Server(record::Timer),
}

/// What a node's user may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Command {
    /// The user of a claim.
    Client(client::Command),
    /// Whoever drives a client gives it the key that it needs to claim anew.
    FreshKey(IdempotencyKey),
    /// From now on a client that polled asks for an answer only when the lock is granted, or the
    /// other way round.
    AskOtherwise,
    /// The program of a keychain.
    Keychain(keychain::Command),
    /// The same program claims a resource that it has claimed before.
    ClaimAgain(keychain::Command),
    /// An operator takes a claim from its client.
    Revoke(ClaimId),
}

/// What a node's user is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub enum Notice {
    /// The user of a claim.
    Client(client::Notice),
    /// The program of a keychain.
    Keychain(keychain::Notice),
    /// Who keeps the server's histories.
    Server(record::Notice),
    /// Who looks at the server's queue: a claim became active before an older one whose turn it
    /// was.
    PassedOver(ClaimId),
    /// The same: somebody asked for a lock and has to wait, though no claim is active.
    Idle,
    /// Who looks at what the server keeps: a claim was forgotten before an older one.
    Forgotten(ClaimId),
    /// Who looks at the store.
    Store(fence::Notice),
}

/// What survives a crash.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub enum Saved {
    /// Of the server.
    Server(record::Saved),
    /// Of the store.
    Store(Option<Token>),
}

/// What the properties remember.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct Monitor {
    /// Of each client, and then of each resource of each keychain.
    pub seats: Vec<Past>,
    /// The newest token that a claim was granted with.
    pub granted: Option<Token>,
    /// The server has crashed, and may have granted a claim with the last that it saved.
    pub may_have_granted: bool,
    /// A grant had no token, or none that was newer than all before it.
    pub is_unfenced: bool,
    /// The store refused the newest token.
    pub is_shut_out: bool,
    /// A claim was granted before an older one whose turn it was.
    pub is_passed_over: bool,
    /// Somebody asked and has to wait for nobody.
    pub is_idle: bool,
    /// A finished claim was forgotten before an older one.
    pub is_forgetful: bool,
}

/// What the properties remember of one user of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct Past {
    /// A `claim()` waits for its answer.
    pub waits: bool,
    /// A `claim()` was answered.
    pub is_answered: bool,
    /// By this: that it has failed.
    pub has_failed: bool,
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
    /// A second claim of a resource that is claimed was not refused.
    pub is_doubled: bool,
    /// A holder that gave nothing back was told that its lock was released.
    pub is_mistold: bool,
}

impl Past {
    /// Whether its user was told that it holds the lock, and has not given it back.
    #[must_use]
    pub const fn holds(&self) -> bool {
        self.is_held && !self.releases
    }
}

impl Types for ClaimTypes {
    type State = State;
    type Message = Letter;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = Saved;
    type Monitor = Monitor;
    type Mark = ClaimId;
}

impl Saved {
    pub(super) fn server(self) -> Option<record::Saved> {
        match self {
            Self::Server(saved) => Some(saved),
            Self::Store(_) => None,
        }
    }

    pub(super) fn store(self) -> Option<Option<Token>> {
        match self {
            Self::Store(newest) => Some(newest),
            Self::Server(_) => None,
        }
    }
}
