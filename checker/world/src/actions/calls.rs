//! Calls: requests and replies. Each request gets one reply or one failure at its caller.

use turnstile_step::{IdClass, Symbolic};

use crate::links::link::{EnabledLinkOp, Link, LinkFault, LinkOp};
use crate::system::System;
use crate::value::{Ordered, Value};

/// The state of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallState {
    /// The request is in flight.
    Requested(Ordered),
    /// The server handles the request and has not replied yet.
    Handling(Ordered),
    /// The reply is in flight.
    Replied {
        /// What the caller will receive.
        answer: Ordered,
        /// Whether the caller has taken another step meanwhile.
        is_late: bool,
        /// Whether it is the server's reply, unchanged by any fault.
        is_true: bool,
    },
    /// An orphaned request, for which no caller waits: a duplicate, or one whose caller is gone.
    Orphaned(Ordered),
}

impl CallState {
    /// The request, or the reply once there is one.
    #[must_use]
    pub fn message(&self) -> &Ordered {
        match self {
            Self::Requested(message)
            | Self::Handling(message)
            | Self::Replied { answer: message, .. }
            | Self::Orphaned(message) => message,
        }
    }

    /// The same, mutable.
    pub(crate) fn message_mut(&mut self) -> &mut Ordered {
        match self {
            Self::Requested(message)
            | Self::Handling(message)
            | Self::Replied { answer: message, .. }
            | Self::Orphaned(message) => message,
        }
    }

    /// Whether this is a reply to it, which the server handles.
    pub(crate) fn awaits(&self, system: &dyn System, reply: &Ordered) -> bool {
        match self {
            Self::Handling(request) => system.is_answer(request, reply),
            Self::Requested(_) | Self::Replied { .. } | Self::Orphaned(_) => false,
        }
    }

    /// Whether the reply is in flight.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        matches!(self, Self::Replied { .. })
    }
}

impl Symbolic for CallState {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.message_mut().visit_ids(each);
    }
}

/// The deliveries and faults enabled on calls, in a fixed order.
pub(crate) fn enabled(system: &dyn System, link: &Link, slots: &[CallState]) -> Vec<EnabledLinkOp> {
    let mut enabled = Vec::new();
    let (caller, server) = (link.from, link.to);
    for (place, slot) in (0u8..).zip(slots) {
        let mut enable = |op, delivers, fault| enabled.push(EnabledLinkOp { op, delivers, fault });
        let take = LinkOp::Take(place);
        match slot {
            CallState::Requested(request) => {
                enable(take, Some((caller, server, request.clone())), None);
                if system.unanswered(request).is_some() {
                    enable(LinkOp::Lose(place), None, Some(LinkFault::LostRequest));
                }
                if system.server_error(request).is_some() {
                    enable(LinkOp::Fail(place), None, Some(LinkFault::ServerError));
                }
                enable(LinkOp::Double(place), None, Some(LinkFault::Duplicate));
                if system.refused(request).is_some() {
                    enable(LinkOp::Refuse(place), None, Some(LinkFault::RefusedRequest));
                }
            }
            CallState::Orphaned(request) => {
                enable(take, Some((caller, server, request.clone())), None)
            }
            CallState::Handling(request) => {
                if let Some(notice) = system.hung_up(request) {
                    let delivers = Some((caller, server, notice));
                    enable(LinkOp::Lose(place), delivers, Some(LinkFault::HungUp));
                }
            }
            CallState::Replied { answer, is_true, .. } => {
                enable(take, Some((server, caller, answer.clone())), None);
                if *is_true && system.unanswered(answer).is_some() {
                    enable(LinkOp::Lose(place), None, Some(LinkFault::LostAnswer));
                }
                if *is_true && system.server_error(answer).is_some() {
                    enable(LinkOp::Fail(place), None, Some(LinkFault::ServerError));
                }
                if can_expire(system, answer, None) {
                    enable(LinkOp::Delay(place), None, Some(LinkFault::LateAnswer));
                }
            }
        }
    }
    enabled
}

/// Whether a reply becomes stale by this (by anything for `None`).
fn can_expire(system: &dyn System, answer: &Ordered, expired: Option<&Value>) -> bool {
    let mut stale = answer.clone();
    system.expire(&mut stale, expired);
    stale != *answer
}

/// Applies an operation to calls; returns whether a request had a slot, and whether a reply became
/// late.
pub(crate) fn operate(
    system: &dyn System,
    slots: &mut Vec<CallState>,
    room: u8,
    op: &LinkOp,
) -> (bool, bool) {
    let (mut fits, mut late) = (true, false);
    match op {
        LinkOp::Push(request) => {
            let rows = slots.iter().filter(|slot| !matches!(slot, CallState::Orphaned(_))).count();
            fits = rows < usize::from(room);
            if fits {
                slots.push(CallState::Requested(request.clone()));
            }
        }
        LinkOp::Evaluation(answer) => answered(system, slots, answer),
        LinkOp::Take(place) => match slots.remove(usize::from(*place)) {
            CallState::Requested(request) => slots.push(CallState::Handling(request)),
            CallState::Orphaned(_) | CallState::Handling(_) | CallState::Replied { .. } => {}
        },
        LinkOp::Double(place) => {
            let copy = system.orphaned(slots[usize::from(*place)].message());
            slots.push(CallState::Orphaned(copy));
        }
        LinkOp::Lose(place) => spoil(slots, *place, |message| system.unanswered(message)),
        LinkOp::Fail(place) => spoil(slots, *place, |message| system.server_error(message)),
        LinkOp::Refuse(place) => spoil(slots, *place, |message| system.refused(message)),
        LinkOp::Delay(place) => {
            if let CallState::Replied { answer, .. } = &mut slots[usize::from(*place)] {
                system.expire(answer, None);
            }
        }
        LinkOp::Overtake => late = overtake(slots, |_| true),
        LinkOp::Expire(expired) => {
            late = overtake(slots, |answer| can_expire(system, answer, Some(expired)));
            for slot in slots.iter_mut() {
                if let CallState::Replied { answer, .. } = slot {
                    system.expire(answer, Some(expired));
                }
            }
        }
        LinkOp::CallerGone => abandon(system, slots),
        LinkOp::ServerGone => break_off(slots, |message| system.unanswered(message)),
        LinkOp::SetStatus(_) | LinkOp::Partition | LinkOp::Disconnect | LinkOp::Heal => {}
    }
    slots.sort_unstable();
    (fits, late)
}

/// Whether a server may reply after this operation to a request that nobody has open.
pub(crate) fn orphans(slots: &[CallState], op: &LinkOp) -> bool {
    let mut slots = slots.iter();
    match op {
        LinkOp::Double(_) => true,
        LinkOp::CallerGone => {
            slots.any(|slot| matches!(slot, CallState::Requested(_) | CallState::Handling(_)))
        }
        LinkOp::ServerGone => slots.any(|slot| matches!(slot, CallState::Handling(_))),
        LinkOp::Push(_)
        | LinkOp::Evaluation(_)
        | LinkOp::Take(_)
        | LinkOp::Lose(_)
        | LinkOp::Fail(_)
        | LinkOp::Refuse(_)
        | LinkOp::Delay(_)
        | LinkOp::Overtake
        | LinkOp::Expire(_)
        | LinkOp::SetStatus(_)
        | LinkOp::Partition
        | LinkOp::Disconnect
        | LinkOp::Heal => false,
    }
}

/// Assigns the server's reply to its call, if that still waits.
fn answered(system: &dyn System, slots: &mut [CallState], message: &Ordered) {
    if let Some(slot) = slots.iter_mut().find(|slot| slot.awaits(system, message)) {
        *slot = CallState::Replied { answer: message.clone(), is_late: false, is_true: true };
    }
}

/// Replaces a call by a failure.
fn spoil(slots: &mut [CallState], place: u8, instead: impl Fn(&Ordered) -> Option<Ordered>) {
    let slot = &mut slots[usize::from(place)];
    let was_late = matches!(slot, CallState::Replied { is_late: true, .. });
    if let Some(answer) = instead(slot.message()) {
        *slot = CallState::Replied { answer, is_late: was_late, is_true: false };
    }
}

/// Fails the calls being handled: their connections have closed.
fn break_off(slots: &mut [CallState], instead: impl Fn(&Ordered) -> Option<Ordered>) {
    for slot in slots {
        if let CallState::Handling(request) = slot
            && let Some(answer) = instead(request)
        {
            *slot = CallState::Replied { answer, is_late: false, is_true: false };
        }
    }
}

/// Marks replies as late; returns whether one was not before.
fn overtake(slots: &mut [CallState], is_meant: impl Fn(&Ordered) -> bool) -> bool {
    let mut late = false;
    for slot in slots {
        if let CallState::Replied { answer, is_late, .. } = slot
            && !*is_late
            && is_meant(answer)
        {
            *is_late = true;
            late = true;
        }
    }
    late
}

/// Orphans requests in flight and drops all other calls of a caller that is gone.
fn abandon(system: &dyn System, slots: &mut Vec<CallState>) {
    let old = std::mem::take(slots);
    slots.extend(old.into_iter().filter_map(|slot| match slot {
        CallState::Requested(request) => Some(CallState::Orphaned(system.orphaned(&request))),
        CallState::Orphaned(request) => Some(CallState::Orphaned(request)),
        CallState::Handling(_) | CallState::Replied { .. } => None,
    }));
}
