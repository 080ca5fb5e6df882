//! Requests and their answers: each request is answered once, or fails once, at its caller.

use turnstile_step::{IdClass, Symbolic};

use crate::link::{Link, LinkFault, LinkOffer, LinkOp};
use crate::system::System;
use crate::value::{Ordered, Value};

/// Where a call is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The request is on its way.
    Asked(Ordered),
    /// The server has it and has not answered yet.
    Handling(Ordered),
    /// The answer is on its way.
    Answered {
        /// What the caller will see.
        answer: Ordered,
        /// Whether the caller did something else meanwhile.
        is_late: bool,
        /// Whether it is what the server said, unspoilt by any fault.
        is_true: bool,
    },
    /// A request that nobody waits for: a copy, or one whose caller is gone.
    Stray(Ordered),
}

impl Slot {
    /// The request, or the answer once there is one.
    #[must_use]
    pub fn message(&self) -> &Ordered {
        match self {
            Self::Asked(message)
            | Self::Handling(message)
            | Self::Answered { answer: message, .. }
            | Self::Stray(message) => message,
        }
    }

    /// The same, to be changed.
    pub(crate) fn message_mut(&mut self) -> &mut Ordered {
        match self {
            Self::Asked(message)
            | Self::Handling(message)
            | Self::Answered { answer: message, .. }
            | Self::Stray(message) => message,
        }
    }

    /// Whether an answer is on its way.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        matches!(self, Self::Answered { .. })
    }
}

impl Symbolic for Slot {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.message_mut().visit_ids(each);
    }
}

/// What may happen to calls, in a fixed order.
pub(crate) fn offers(system: &dyn System, link: &Link, slots: &[Slot]) -> Vec<LinkOffer> {
    let mut offers = Vec::new();
    let (caller, server) = (link.from, link.to);
    for (place, slot) in (0u8..).zip(slots) {
        let mut offer = |op, delivers, fault| offers.push(LinkOffer { op, delivers, fault });
        let take = LinkOp::Take(place);
        match slot {
            Slot::Asked(request) => {
                offer(take, Some((caller, server, request.clone())), None);
                if system.unanswered(request).is_some() {
                    offer(LinkOp::Lose(place), None, Some(LinkFault::LostRequest));
                }
                if system.server_error(request).is_some() {
                    offer(LinkOp::Fail(place), None, Some(LinkFault::ServerError));
                }
                offer(LinkOp::Double(place), None, Some(LinkFault::Duplicate));
                if system.refused(request).is_some() {
                    offer(LinkOp::Refuse(place), None, Some(LinkFault::RefusedRequest));
                }
            }
            Slot::Stray(request) => offer(take, Some((caller, server, request.clone())), None),
            Slot::Handling(request) => {
                if let Some(notice) = system.hung_up(request) {
                    let delivers = Some((caller, server, notice));
                    offer(LinkOp::Lose(place), delivers, Some(LinkFault::HungUp));
                }
            }
            Slot::Answered { answer, is_true, .. } => {
                offer(take, Some((server, caller, answer.clone())), None);
                if *is_true && system.unanswered(answer).is_some() {
                    offer(LinkOp::Lose(place), None, Some(LinkFault::LostAnswer));
                }
                if *is_true && system.server_error(answer).is_some() {
                    offer(LinkOp::Fail(place), None, Some(LinkFault::ServerError));
                }
                if is_grant(system, answer, None) {
                    offer(LinkOp::Delay(place), None, Some(LinkFault::LateAnswer));
                }
            }
        }
    }
    offers
}

/// Whether an answer grants the marked thing (anything for `None`) and is not stale yet.
fn is_grant(system: &dyn System, answer: &Ordered, mark: Option<&Value>) -> bool {
    let mut stale = answer.clone();
    system.lapse(&mut stale, mark);
    stale != *answer
}

/// Changes calls; says whether a request found room, and whether an answer became late.
pub(crate) fn operate(
    system: &dyn System,
    slots: &mut Vec<Slot>,
    room: u8,
    op: &LinkOp,
) -> (bool, bool) {
    let (mut fits, mut late) = (true, false);
    match op {
        LinkOp::Push(request) => {
            let taken = slots.iter().filter(|slot| !matches!(slot, Slot::Stray(_))).count();
            fits = taken < usize::from(room);
            if fits {
                slots.push(Slot::Asked(request.clone()));
            }
        }
        LinkOp::Answer(answer) => answered(system, slots, answer),
        LinkOp::Take(place) => match slots.remove(usize::from(*place)) {
            Slot::Asked(request) => slots.push(Slot::Handling(request)),
            Slot::Stray(_) | Slot::Handling(_) | Slot::Answered { .. } => {}
        },
        LinkOp::Double(place) => {
            let copy = system.stray(slots[usize::from(*place)].message());
            slots.push(Slot::Stray(copy));
        }
        LinkOp::Lose(place) => spoil(slots, *place, |message| system.unanswered(message)),
        LinkOp::Fail(place) => spoil(slots, *place, |message| system.server_error(message)),
        LinkOp::Refuse(place) => spoil(slots, *place, |message| system.refused(message)),
        LinkOp::Delay(place) => {
            if let Slot::Answered { answer, .. } = &mut slots[usize::from(*place)] {
                system.lapse(answer, None);
            }
        }
        LinkOp::Overtake => late = overtake(slots, |_| true),
        LinkOp::Lapse(mark) => {
            late = overtake(slots, |answer| is_grant(system, answer, Some(mark)));
            for slot in slots.iter_mut() {
                if let Slot::Answered { answer, .. } = slot {
                    system.lapse(answer, Some(mark));
                }
            }
        }
        LinkOp::CallerGone => abandon(system, slots),
        LinkOp::ServerGone => break_off(slots, |message| system.unanswered(message)),
        LinkOp::Becomes(_) | LinkOp::Cut | LinkOp::Tear | LinkOp::Mend => {}
    }
    slots.sort_unstable();
    (fits, late)
}

/// The server's answer goes to the call that it answers, if one still waits for it.
fn answered(system: &dyn System, slots: &mut [Slot], message: &Ordered) {
    let waits = |slot: &&mut Slot| match slot {
        Slot::Handling(request) => system.is_answer(request, message),
        Slot::Asked(_) | Slot::Answered { .. } | Slot::Stray(_) => false,
    };
    if let Some(slot) = slots.iter_mut().find(waits) {
        *slot = Slot::Answered { answer: message.clone(), is_late: false, is_true: true };
    }
}

/// The caller will see something else than an answer of the server.
fn spoil(slots: &mut [Slot], place: u8, instead: impl Fn(&Ordered) -> Option<Ordered>) {
    let slot = &mut slots[usize::from(place)];
    let was_late = matches!(slot, Slot::Answered { is_late: true, .. });
    if let Some(answer) = instead(slot.message()) {
        *slot = Slot::Answered { answer, is_late: was_late, is_true: false };
    }
}

/// Callers whose requests are being handled see that their connections have ended.
fn break_off(slots: &mut [Slot], instead: impl Fn(&Ordered) -> Option<Ordered>) {
    for slot in slots {
        if let Slot::Handling(request) = slot
            && let Some(answer) = instead(request)
        {
            *slot = Slot::Answered { answer, is_late: false, is_true: false };
        }
    }
}

/// Answers of that kind are late now; whether one was not before.
fn overtake(slots: &mut [Slot], is_meant: impl Fn(&Ordered) -> bool) -> bool {
    let mut late = false;
    for slot in slots {
        if let Slot::Answered { answer, is_late, .. } = slot
            && !*is_late
            && is_meant(answer)
        {
            *is_late = true;
            late = true;
        }
    }
    late
}

/// Requests may still arrive; answers have nowhere to go.
fn abandon(system: &dyn System, slots: &mut Vec<Slot>) {
    let old = std::mem::take(slots);
    slots.extend(old.into_iter().filter_map(|slot| match slot {
        Slot::Asked(request) => Some(Slot::Stray(system.stray(&request))),
        Slot::Stray(request) => Some(Slot::Stray(request)),
        Slot::Handling(_) | Slot::Answered { .. } => None,
    }));
}
