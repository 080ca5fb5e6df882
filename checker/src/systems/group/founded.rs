//! The group as most worlds find it: its first view has come to everybody, its coordinator has
//! collected everything, nothing is on its way. It is found by running the cores.

use std::collections::VecDeque;

use turnstile_core::group::{Command as Told, Timer};
use turnstile_core::number::ViewId;
use turnstile_core::step::{Core, Effect, Input, InputOf, Out};
use turnstile_core::view::View;

use super::types::Seat;
use super::{Group, Of, member, node};

/// More messages than any group of few needs to come to rest; a table that is wrong may not.
const STEPS_MAX: usize = 1_000;

/// A member at rest, and the timers that are armed nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) seat: Seat,
    pub(super) timers: Vec<Timer>,
}

/// The members of a group that has formed.
pub(super) fn founded(group: &Group) -> Vec<Rest> {
    let mut members: Vec<Rest> = (0..group.members)
        .map(|node| Rest { seat: group.seat(node), timers: Vec::new() })
        .collect();
    let view = View::new(ViewId::new(0), (0..group.members).map(member));
    let mut inputs: VecDeque<(_, InputOf<Of>)> =
        (0..group.members).map(|node| (node, Input::Command(Told::View(view.clone())))).collect();
    for _ in 0..STEPS_MAX {
        let Some((to, input)) = inputs.pop_front() else { break };
        let mut out = Out::default();
        let rest: &mut Rest = &mut members[to];
        Core::step(&group.core(to, 0), &mut rest.seat.core, input, &mut out);
        for effect in out.effects {
            match effect {
                Effect::Send { to: other, message } => {
                    inputs.push_back((node(other), Input::Message { from: member(to), message }));
                }
                Effect::Arm(timer) => rest.timers.push(timer),
                Effect::Disarm(timer) => rest.timers.retain(|armed| *armed != timer),
                Effect::Save(()) | Effect::Notify(_) => {}
            }
        }
    }
    members
}
