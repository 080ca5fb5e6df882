//! What is beneath the members: it falls into two partitions, tells the members of each that the
//! others seem to be gone, and is whole again. It decides nothing about views.

use turnstile_core::view::{Message, Request};
use turnstile_step::not_symbolic;
use turnstile_world::system::{Effect, Input, NodeCore, Out};
use turnstile_world::{Cut, NodeId, Ordered, Value};

use crate::{Views, member, words};

/// Who can talk to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Network {
    /// All to all.
    Whole,
    /// Those of each partition.
    Apart,
}

/// What it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Timer {
    /// It is found that there are two partitions.
    Detect,
    /// There are two partitions no longer.
    Heal,
}

/// It falls into two partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FallsApart;

not_symbolic!(Network, Timer, FallsApart);

/// The network of a world.
#[derive(Clone, Debug)]
pub struct NetworkNode(pub Views);

impl Views {
    /// What an input does to links, if it is one of the network.
    pub fn cut(&self, input: &Input) -> Option<Cut> {
        match input {
            Input::Command(command) => command.get::<FallsApart>().map(|FallsApart| {
                let side = (0..self.side).collect();
                if self.terms.loses { Cut::Lost(side) } else { Cut::Apart(side) }
            }),
            Input::Fired(timer) => (timer.get() == Some(&Timer::Heal)).then_some(Cut::Together),
            Input::Message { .. } | Input::Restart(_) => None,
        }
    }

    /// Each member of a partition is told of each member of the other.
    fn suspicions(&self) -> impl Iterator<Item = Effect> {
        let (members, side) = (self.members, self.side);
        let apart = move |one: NodeId, other: NodeId| (one < side) != (other < side);
        let all = (0..members).flat_map(move |to| (0..members).map(move |gone| (to, gone)));
        all.filter(move |(to, gone)| apart(*to, *gone)).map(|(to, gone)| {
            let suspect = Request::Suspect { member: member(gone) };
            Effect::Send { to, message: Ordered::new(Message::Request(suspect)) }
        })
    }
}

impl NodeCore for NetworkNode {
    fn start(&self) -> Value {
        Value::new(Network::Whole)
    }

    /// A partition that is over before it is detected was only a delay; one that loses messages is
    /// always detected.
    fn step(&self, _choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let loses = self.0.terms.loses;
        let heal = || Effect::Arm(Ordered::new(Timer::Heal));
        match input {
            Input::Command(_) => {
                *state = Value::new(Network::Apart);
                out.effects.push(Effect::Arm(Ordered::new(Timer::Detect)));
                out.effects.extend((!loses).then(heal));
            }
            Input::Fired(timer) => match timer.of() {
                Timer::Detect => {
                    out.effects.extend(self.0.suspicions());
                    out.effects.extend(loses.then(heal));
                }
                Timer::Heal => {
                    *state = Value::new(Network::Whole);
                    out.effects.push(Effect::Disarm(Ordered::new(Timer::Detect)));
                }
            },
            Input::Message { .. } | Input::Restart(_) => {}
        }
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        match state.of() {
            Network::Whole => vec![Ordered::new(FallsApart)],
            Network::Apart => Vec::new(),
        }
    }

    fn timer_name(&self, timer: &Ordered) -> &'static str {
        match timer.of() {
            Timer::Detect => "detect",
            Timer::Heal => "heal",
        }
    }

    fn input_words(&self, input: &Input) -> String {
        match input {
            Input::Message { message, .. } => return self.message_words(message),
            Input::Fired(timer) => match timer.of() {
                Timer::Detect => "finds that it fell apart",
                Timer::Heal => "is whole again",
            },
            Input::Command(_) => "falls apart",
            Input::Restart(_) => "starts again",
        }
        .to_owned()
    }

    fn message_words(&self, message: &Ordered) -> String {
        words::message(message.of())
    }

    fn effect_words(&self, effect: &Effect) -> Option<String> {
        match effect {
            Effect::Arm(timer) => Some(format!("arms {}", self.timer_name(timer))),
            Effect::Disarm(timer) => Some(format!("disarms {}", self.timer_name(timer))),
            Effect::Send { .. } | Effect::Save(_) | Effect::Notify(_) => None,
        }
    }
}
