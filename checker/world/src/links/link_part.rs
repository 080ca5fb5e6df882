//! One link: the messages in flight between two nodes, and the operations on them.
//!
//! The functions are pure and read one link only. A link never reads a message: the system defines
//! which message replies to which, and what a lost or failed one is replaced by.

use turnstile_step::{IdClass, Symbolic};

use crate::actions::calls::{self, CallState};
use crate::links::channel;
use crate::links::link::{EnabledLinkOp, Link, LinkKind, LinkOp, LinkStatus, WhenFull};
use crate::links::network::NodeId;
use crate::system::System;
use crate::value::Ordered;

/// The part of a state that belongs to one link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinkPart {
    /// The messages in flight.
    pub contents: Contents,
    /// Whether a message was dropped for lack of capacity: the search is incomplete beyond this
    /// state.
    pub overflowed: bool,
    /// Whether a request was doubled or lost one of its ends while it was open, so that its reply
    /// may come late; only where [`System::answers_requests_only`].
    pub has_orphans: bool,
    /// Whether messages are delivered.
    pub status: LinkStatus,
}

/// The messages in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Contents {
    /// Sorted, since calls overtake each other.
    Calls(Vec<CallState>),
    /// In order of sending; sorted if the channel is unordered.
    Messages(Vec<Ordered>),
}

/// Its World [sorts](LinkPart::sort) unordered messages again.
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
        Self { contents, overflowed: false, has_orphans: false, status: LinkStatus::Open }
    }

    /// Sorts the messages of an unordered link, after their ids or node names were replaced.
    pub(crate) fn sort(&mut self, link: &Link) {
        match (&mut self.contents, link.kind) {
            (Contents::Calls(slots), _) => slots.sort_unstable(),
            (Contents::Messages(messages), LinkKind::Messages(options)) if !options.is_ordered => {
                messages.sort_unstable();
            }
            (Contents::Messages(_), _) => {}
        }
    }

    /// Whether nothing is in flight that can still arrive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.contents {
            Contents::Calls(slots) => slots.is_empty(),
            Contents::Messages(messages) => messages.is_empty(),
        }
    }

    /// The messages in flight, each with its sender and its receiver. A request that is handled is
    /// not in flight.
    pub fn messages(
        &self,
        (from, to): (NodeId, NodeId),
    ) -> impl Iterator<Item = ((NodeId, NodeId), &Ordered)> {
        let (calls, messages) = match &self.contents {
            Contents::Calls(slots) => (&slots[..], &[][..]),
            Contents::Messages(messages) => (&[][..], &messages[..]),
        };
        let calls = calls.iter().filter_map(move |slot| match slot {
            CallState::Requested(message) | CallState::Orphaned(message) => {
                Some(((from, to), message))
            }
            CallState::Replied { answer, .. } => Some(((to, from), answer)),
            CallState::Handling(_) => None,
        });
        calls.chain(messages.iter().map(move |message| ((from, to), message)))
    }

    /// The nodes to which a message is on its way that a time relation has to wait for.
    #[must_use]
    pub fn receivers(&self, system: &dyn System, (from, to): (NodeId, NodeId)) -> Vec<NodeId> {
        if self.status == LinkStatus::Partitioned {
            return Vec::new();
        }
        let awaited = self.messages((from, to));
        let awaited = awaited.filter(|(_, message)| !system.is_idempotent_gossip(message));
        let mut receivers: Vec<NodeId> = awaited.map(|((_, receiver), _)| receiver).collect();
        receivers.sort_unstable();
        receivers.dedup();
        receivers
    }

    /// Whether a message sent now has no effect: it is lost, or an equal one is in flight.
    fn swallows(&self, system: &dyn System, message: &Ordered) -> bool {
        match &self.contents {
            Contents::Calls(_) => false,
            Contents::Messages(messages) => {
                matches!(self.status, LinkStatus::ReceiverDown | LinkStatus::Disconnected)
                    || system.is_idempotent_gossip(message) && messages.contains(message)
            }
        }
    }

    /// The reply of an operation that no request waits for, although none was ever orphaned.
    #[must_use]
    pub(crate) fn unasked<'o>(&self, system: &dyn System, op: &'o LinkOp) -> Option<&'o Ordered> {
        let (LinkOp::Evaluation(answer), Contents::Calls(slots)) = (op, &self.contents) else {
            return None;
        };
        let is_checked = system.answers_requests_only() && !self.has_orphans;
        let mut waiting = slots.iter().filter(|slot| slot.awaits(system, answer));
        (is_checked && waiting.next().is_none()).then_some(answer)
    }

    fn set_status(&mut self, status: LinkStatus) {
        self.status = status;
        if let (LinkStatus::ReceiverDown | LinkStatus::Disconnected, Contents::Messages(messages)) =
            (status, &mut self.contents)
        {
            messages.clear();
        }
    }

    /// The deliveries and faults enabled on it, in a fixed order.
    #[must_use]
    pub fn enabled(&self, system: &dyn System, link: &Link) -> Vec<EnabledLinkOp> {
        match (&self.contents, link.kind) {
            _ if self.status == LinkStatus::Partitioned => Vec::new(),
            (Contents::Calls(slots), _) => calls::enabled(system, link, slots),
            (Contents::Messages(messages), LinkKind::Messages(options)) => {
                channel::enabled(system, link, options, messages)
            }
            (Contents::Messages(_), LinkKind::Calls { .. }) => Vec::new(),
        }
    }

    /// Whether a message sent now has to wait, so that its sender cannot take the step.
    #[must_use]
    pub fn blocks(&self, system: &dyn System, link: &Link, message: &Ordered) -> bool {
        link.when_full == WhenFull::Block
            && !self.swallows(system, message)
            && match (self.contents.clone(), link.kind) {
                (Contents::Calls(mut slots), LinkKind::Calls { slots: room }) => {
                    !calls::operate(system, &mut slots, room, &LinkOp::Push(message.clone())).0
                }
                (Contents::Messages(mut messages), LinkKind::Messages(options)) => {
                    !channel::operate(options, &mut messages, &LinkOp::Push(message.clone()))
                }
                (Contents::Calls(_) | Contents::Messages(_), _) => false,
            }
    }

    /// The link after an operation, and whether a reply became late.
    #[must_use]
    pub fn operate(&self, system: &dyn System, link: &Link, op: &LinkOp) -> (Self, bool) {
        let mut next = self.clone();
        let status = match (op, self.status) {
            (LinkOp::SetStatus(status), _) => Some(*status),
            (LinkOp::Partition, LinkStatus::Open) => Some(LinkStatus::Partitioned),
            (LinkOp::Disconnect, LinkStatus::Open | LinkStatus::Partitioned) => {
                Some(LinkStatus::Disconnected)
            }
            (LinkOp::Heal, LinkStatus::Partitioned | LinkStatus::Disconnected) => {
                Some(LinkStatus::Open)
            }
            (LinkOp::Partition | LinkOp::Disconnect | LinkOp::Heal, status) => Some(status),
            (_, _) => None,
        };
        if let Some(status) = status {
            next.set_status(status);
            return (next, false);
        }
        if let LinkOp::Push(message) = op
            && self.swallows(system, message)
        {
            return (next, false);
        }
        if let Contents::Calls(slots) = &self.contents {
            next.has_orphans |= system.answers_requests_only() && calls::orphans(slots, op);
        }
        let (fits, late) = match (&mut next.contents, link.kind) {
            (Contents::Calls(slots), LinkKind::Calls { slots: room }) => {
                calls::operate(system, slots, room, op)
            }
            (Contents::Messages(messages), LinkKind::Messages(options)) => {
                (channel::operate(options, messages, op), false)
            }
            (Contents::Calls(_) | Contents::Messages(_), _) => (true, false),
        };
        next.overflowed |= !fits && link.when_full == WhenFull::Fail;
        (next, late)
    }
}
