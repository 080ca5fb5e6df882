//! One link: what is in flight between two nodes, and what may happen to it there.
//!
//! The functions are pure and look at one link only. A link never reads a message: whether one
//! answers another, and what a lost or a failed one looks like, the system says.

use turnstile_step::{IdClass, Symbolic};

use crate::calls::{self, Slot};
use crate::link::{Link, LinkKind, LinkOffer, LinkOp, Way};
use crate::mail;
use crate::system::System;
use crate::value::Ordered;

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
