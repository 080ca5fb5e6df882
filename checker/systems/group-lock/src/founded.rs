//! The group as most worlds find it: its first view has come to everybody, its coordinator has
//! collected everything, nothing is on its way. It is found by running the cores.

use std::collections::VecDeque;

use turnstile_core::number::ViewId;
use turnstile_core::view::View;
use turnstile_step::{Effect, Input, Out};
use turnstile_world::NodeId;
use turnstile_world::system::{EffectOf, InputOf, System as _};

use super::types::{GroupTypes, Letter, Seat, State, Timer};
use super::{Group, member};

/// More messages than any group of few needs to come to rest; a table that is wrong may not.
const STEPS_MAX: usize = 1_000;

/// A member at rest, and the timers that are armed nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) seat: Seat,
    pub(super) timers: Vec<Timer>,
}

/// What is on its way to whom.
type Inputs = VecDeque<(NodeId, InputOf<GroupTypes>)>;

/// The members of a group that has formed; or of several, where each begins with a view.
pub(super) fn founded(group: &Group) -> Vec<Rest> {
    let mut inputs = Inputs::new();
    let mut members: Vec<Rest> = Vec::new();
    for node in 0..group.members {
        let mut out = Out::default();
        let seat = match &group.views {
            None => group.seat(node),
            Some(views) => group.begin(views, node, &mut out),
        };
        let mut rest = Rest { seat, timers: Vec::new() };
        rest.carry(node, out.effects, &mut inputs);
        members.push(rest);
    }
    if group.views.is_none() {
        let view = View::new(ViewId::new(0), (0..group.members).map(member));
        let told = |node| {
            let message = Letter::View(view.clone());
            (node, Input::Message { from: group.members, message })
        };
        inputs.extend((0..group.members).map(told));
    }
    for _ in 0..STEPS_MAX {
        let Some((to, input)) = inputs.pop_front() else { break };
        let mut out = Out::default();
        let rest: &mut Rest = &mut members[to];
        let mut state = State::Member(Box::new(rest.seat.clone()));
        group.step(to, 0, &mut state, input, &mut out);
        if let State::Member(seat) = state {
            rest.seat = *seat;
        }
        rest.carry(to, out.effects, &mut inputs);
    }
    members
}

impl Rest {
    fn carry(&mut self, me: NodeId, effects: Vec<EffectOf<GroupTypes>>, inputs: &mut Inputs) {
        for effect in effects {
            match effect {
                Effect::Send { to, message } => {
                    inputs.push_back((to, Input::Message { from: me, message }));
                }
                Effect::Arm(timer) => self.timers.push(timer),
                Effect::Disarm(timer) => self.timers.retain(|armed| *armed != timer),
                Effect::Save(()) | Effect::Notify(_) => {}
            }
        }
    }
}
