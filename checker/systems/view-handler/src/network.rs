//! What is beneath the members: it falls into two partitions, tells the members of each that the
//! others seem to be gone, and is whole again. It decides nothing about views.

use turnstile_core::view::{Message, Request};
use turnstile_step::{Effect, Input, not_symbolic};
use turnstile_world::system::{EffectOf, InputOf};
use turnstile_world::{Cut, NodeId};

use super::types::{Command, Timer, ViewTypes};
use super::{Views, member};

/// Who can talk to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Network {
    /// All to all.
    Whole,
    /// Those of each partition.
    Apart,
}

not_symbolic!(Network);

impl Views {
    /// The number of the node that stands for the network.
    pub fn network(&self) -> NodeId {
        self.members
    }

    /// What the network does to links.
    pub(super) fn way(&self, input: &InputOf<ViewTypes>) -> Option<Cut> {
        match input {
            Input::Command(Command::Part) => {
                let side = (0..self.side).collect();
                Some(if self.terms.loses { Cut::Lost(side) } else { Cut::Apart(side) })
            }
            Input::Fired(Timer::Heal) => Some(Cut::Together),
            Input::Command(Command::Member(_))
            | Input::Fired(Timer::Member(_) | Timer::Detect)
            | Input::Message { .. }
            | Input::Restart(_) => None,
        }
    }

    /// A partition that is over before it is detected was only a delay; one that loses messages is
    /// always detected.
    pub fn step_network(
        &self,
        state: &mut Network,
        input: &InputOf<ViewTypes>,
        out: &mut Vec<EffectOf<ViewTypes>>,
    ) {
        match input {
            Input::Command(Command::Part) => {
                *state = Network::Apart;
                out.push(Effect::Arm(Timer::Detect));
                out.extend((!self.terms.loses).then_some(Effect::Arm(Timer::Heal)));
            }
            Input::Fired(Timer::Detect) => {
                out.extend(self.suspicions());
                out.extend(self.terms.loses.then_some(Effect::Arm(Timer::Heal)));
            }
            Input::Fired(Timer::Heal) => {
                *state = Network::Whole;
                out.push(Effect::Disarm(Timer::Detect));
            }
            Input::Command(Command::Member(_))
            | Input::Fired(Timer::Member(_))
            | Input::Message { .. }
            | Input::Restart(_) => {}
        }
    }

    /// Each member of a partition is told of each member of the other.
    fn suspicions(&self) -> impl Iterator<Item = EffectOf<ViewTypes>> {
        let apart = |one: &NodeId, other: &NodeId| (*one < self.side) != (*other < self.side);
        let all = (0..self.members).flat_map(|to| (0..self.members).map(move |gone| (to, gone)));
        all.filter(move |(to, gone)| apart(to, gone)).map(|(to, gone)| {
            let member = member(gone);
            Effect::Send { to, message: Message::Request(Request::Suspect { member }) }
        })
    }
}
