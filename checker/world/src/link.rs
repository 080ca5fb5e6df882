//! One link: what is in flight between two nodes, and what may happen to it there.
//!
//! The functions are pure and look at one link only. A link never reads a message: whether one
//! answers another, and what a lost or a failed one looks like, the system says.

use turnstile_step::{IdClass, Symbolic};

use crate::calls::{self, Slot};
use crate::erased::System;
use crate::mail::{self, Mail};
use crate::system::NodeId;
use crate::value::{Ordered, Value};

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

/// What is in flight on a link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinkPart {
    /// The messages.
    pub contents: Contents,
    /// A message found no room and was dropped: the search is not complete beyond this state.
    pub overflowed: bool,
    /// Whether messages get through.
    pub way: Way,
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

/// The messages in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Contents {
    /// Sorted: calls overtake each other.
    Calls(Vec<Slot>),
    /// In order of sending, or sorted where the link keeps no order.
    Messages(Vec<Ordered>),
}

/// Its World puts what it keeps in no order of its own in order again.
impl Symbolic for LinkPart {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match &mut self.contents {
            Contents::Calls(slots) => slots.visit_ids(each),
            Contents::Messages(messages) => messages.visit_ids(each),
        }
    }
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

impl LinkPart {
    /// A link with nothing in flight.
    #[must_use]
    pub fn empty(link: &Link) -> Self {
        let contents = match link.kind {
            LinkKind::Calls { .. } => Contents::Calls(Vec::new()),
            LinkKind::Messages(_) => Contents::Messages(Vec::new()),
        };
        Self { contents, overflowed: false, way: Way::Open }
    }

    /// Whether nothing is in flight that may arrive as things are, and that anybody waits for.
    #[must_use]
    pub fn is_idle(&self, system: &dyn System) -> bool {
        match &self.contents {
            _ if self.way == Way::Apart => true,
            Contents::Calls(slots) => slots.is_empty(),
            Contents::Messages(messages) => messages.iter().all(|one| system.is_background(one)),
        }
    }

    /// Whether a message that is sent now is not seen on the way: it is lost, or there already.
    fn swallows(&self, system: &dyn System, message: &Ordered) -> bool {
        match &self.contents {
            Contents::Calls(_) => false,
            Contents::Messages(messages) => {
                matches!(self.way, Way::Dead | Way::Torn)
                    || system.is_background(message) && messages.contains(message)
            }
        }
    }

    fn becomes(&mut self, way: Way) {
        self.way = way;
        if let (Way::Dead | Way::Torn, Contents::Messages(messages)) = (way, &mut self.contents) {
            messages.clear();
        }
    }

    /// What may happen on it by itself, in a fixed order.
    #[must_use]
    pub fn offers(&self, system: &dyn System, link: &Link) -> Vec<LinkOffer> {
        match (&self.contents, link.kind) {
            _ if self.way == Way::Apart => Vec::new(),
            (Contents::Calls(slots), _) => calls::offers(system, link, slots),
            (Contents::Messages(messages), LinkKind::Messages(mail)) => {
                mail::offers(system, link, mail, messages)
            }
            (Contents::Messages(_), LinkKind::Calls { .. }) => Vec::new(),
        }
    }

    /// What the link is after an operation, and whether it made an answer late.
    #[must_use]
    pub fn operate(&self, system: &dyn System, link: &Link, op: &LinkOp) -> (Self, bool) {
        let mut next = self.clone();
        let way = match (op, self.way) {
            (LinkOp::Becomes(way), _) => Some(*way),
            (LinkOp::Cut, Way::Open) => Some(Way::Apart),
            (LinkOp::Tear, Way::Open | Way::Apart) => Some(Way::Torn),
            (LinkOp::Mend, Way::Apart | Way::Torn) => Some(Way::Open),
            (LinkOp::Cut | LinkOp::Tear | LinkOp::Mend, way) => Some(way),
            (_, _) => None,
        };
        if let Some(way) = way {
            next.becomes(way);
            return (next, false);
        }
        if let LinkOp::Push(message) = op
            && self.swallows(system, message)
        {
            return (next, false);
        }
        let (fits, late) = match (&mut next.contents, link.kind) {
            (Contents::Calls(slots), LinkKind::Calls { slots: room }) => {
                calls::operate(system, slots, room, op)
            }
            (Contents::Messages(messages), LinkKind::Messages(mail)) => {
                (mail::operate(mail, messages, op), false)
            }
            (Contents::Calls(_) | Contents::Messages(_), _) => (true, false),
        };
        next.overflowed |= !fits;
        (next, late)
    }
}
