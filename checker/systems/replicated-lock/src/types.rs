//! The types of the replicated lock service: those of its members, and of what they have in place
//! of a cluster.

use turnstile_core::fence;
use turnstile_core::number::Token;
use turnstile_core::replicated::State as MemberState;
use turnstile_core::replicated::message::{Command as Told, Message, Notice as Core};
use turnstile_core::replicated::types::{Address, Entry, LockName, Timer};
use turnstile_step::Symbolic;
use turnstile_world::NodeId;
use turnstile_world::system::Types;

use super::cluster::Cluster;
use super::delivered::Delivered;
use super::mail::Change;

/// The types of the replicated lock service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicatedTypes;

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub enum State {
    /// A member.
    Member(Box<Seat>),
    /// The log, and who is connected.
    Cluster(Box<Cluster>),
    /// What brings results to members, each as late as it likes.
    Answers,
}

/// A member under its address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Seat {
    /// The address.
    pub address: Address,
    /// The core's state.
    pub core: MemberState,
    /// The listener was told what cannot follow what it was told before.
    pub strayed: bool,
    /// A thread was not told what became of its lock.
    pub is_untold: bool,
    /// It learnt that it is in a minority, and did not give up what it had.
    pub clings: bool,
    /// What was delivered to it.
    pub delivered: Delivered,
}

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Letter {
    /// To a member.
    Member(Message),
    /// A member ends, and begins again under this address.
    Begin(Address),
    /// To the log.
    Execute(Entry),
    /// To a member, past the log: whoever has another address does not hear it.
    Past(Address, Message),
}

/// What a node is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Command {
    /// A member, by its threads.
    Member(Told),
    /// A thread that has a mutex does what the lock protects.
    Act(LockName),
    /// The cluster.
    Cluster(Change),
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub enum Notice {
    /// By a member.
    Member(Core),
    /// What the lock protects was told to act.
    Acts {
        /// Under which lock.
        lock: LockName,
        /// For whom.
        by: Address,
        /// Under which token.
        token: Option<Token>,
    },
}

/// What the properties remember of one lock: who has acted, in order, each of them under a grant
/// that is not known to be over; and the store, which checks tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct Acted {
    /// What the lock protects.
    pub store: fence::State,
    /// By node.
    pub order: Vec<NodeId>,
    /// One acted after another one had, and had acted before.
    pub is_torn: bool,
    /// Somebody acted.
    pub is_used: bool,
}

impl Types for ReplicatedTypes {
    type State = State;
    type Message = Letter;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();
    type Monitor = Vec<Acted>;
    type Mark = ();
}
