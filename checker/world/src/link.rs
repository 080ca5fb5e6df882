//! What a link is, and what may be done to what is in flight on it.

use crate::value::{Ordered, Value};
use crate::wiring::NodeId;

/// How two nodes are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The node that sends, or that calls.
    pub from: NodeId,
    /// The node that receives, or that answers.
    pub to: NodeId,
    /// What the link does.
    pub kind: LinkKind,
}

impl Link {
    /// Whether requests go one way and answers the other.
    #[must_use]
    pub fn is_calls(&self) -> bool {
        matches!(self.kind, LinkKind::Calls { .. })
    }
}

/// What a link does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Requests one way, answers the other: each request gets one answer or one failure.
    Calls {
        /// Requests that may be outstanding at once.
        slots: u8,
    },
    /// Messages one way.
    Messages(Mail),
}

/// What a link of messages does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Messages arrive in the order in which they were sent.
    pub is_ordered: bool,
    /// Whether messages get lost.
    pub loss: Chance,
    /// Whether messages arrive more than once. With [`Chance::Free`] what is in flight is a set.
    pub duplication: Chance,
    /// Messages in flight at once.
    pub capacity: u8,
}

/// Whether something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Chance {
    /// It does not.
    Never,
    /// As often as its budget says.
    Budgeted,
    /// At any time.
    Free,
}

/// Whether messages get through a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// They do.
    #[default]
    Open,
    /// The receiver has crashed: they are lost.
    Dead,
    /// The two ends are in different partitions: they wait.
    Apart,
    /// The two ends have lost each other: messages are lost.
    Torn,
}

/// The kinds of fault that happen on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkFault {
    /// A request never reaches the server; the caller sees a failure.
    LostRequest,
    /// A request was handled; the caller sees a failure.
    LostAnswer,
    /// An answer comes after the caller did something else, or after what it grants is over.
    LateAnswer,
    /// The server answers that it is in trouble, having handled the request or not.
    ServerError,
    /// A request or a message arrives twice.
    Duplicate,
    /// A message without an answer never arrives.
    LostMessage,
    /// Nobody takes the request, and the caller knows it.
    RefusedRequest,
    /// The connection breaks while the server keeps the request open; both ends know it.
    HungUp,
}

impl LinkFault {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::LostRequest,
        Self::LostAnswer,
        Self::LateAnswer,
        Self::ServerError,
        Self::Duplicate,
        Self::LostMessage,
        Self::RefusedRequest,
        Self::HungUp,
    ];

    /// Whether it happens to requests and their answers.
    #[must_use]
    pub fn is_of_calls(self) -> bool {
        self != Self::LostMessage
    }

    /// Whether it happens to messages that have no answer.
    #[must_use]
    pub fn is_of_messages(self) -> bool {
        matches!(self, Self::Duplicate | Self::LostMessage)
    }

    /// The budget's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LostRequest => "lost request",
            Self::LostAnswer => "lost answer",
            Self::LateAnswer => "late answer",
            Self::ServerError => "server error",
            Self::Duplicate => "duplicate",
            Self::LostMessage => "lost message",
            Self::RefusedRequest => "refused request",
            Self::HungUp => "hung up",
        }
    }
}

/// What can be done to a link. A number is a place among what is in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LinkOp {
    /// A message goes in.
    Push(Ordered),
    /// The answer to a call that is being handled goes in.
    Answer(Ordered),
    /// One is taken off, to be delivered.
    Take(u8),
    /// One is doubled.
    Double(u8),
    /// One is lost.
    Lose(u8),
    /// The server is in trouble over one.
    Fail(u8),
    /// Nobody takes one.
    Refuse(u8),
    /// What an answer grants is over when it arrives.
    Delay(u8),
    /// The caller does something else: answers that are on their way are late.
    Overtake,
    /// What is marked is over: answers that grant it are stale, and late.
    Lapse(Value),
    /// The caller is gone, with its connection.
    CallerGone,
    /// The server is gone, with its connections: what it handles it never answers.
    ServerGone,
    /// The receiver of messages has crashed, or starts again; then the way is open.
    Becomes(Way),
    /// Its ends come into different partitions, unless the receiver has crashed.
    Cut,
    /// Its ends lose each other, unless the receiver has crashed.
    Tear,
    /// They are together again.
    Mend,
}

/// What may happen on a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOffer {
    /// To the link.
    pub op: LinkOp,
    /// What is delivered: from, to, message.
    pub delivers: Option<(NodeId, NodeId, Ordered)>,
    /// The fault that this is, if it is one.
    pub fault: Option<LinkFault>,
}
