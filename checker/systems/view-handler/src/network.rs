//! The network below the members: it partitions, in both directions or in one, reports the members
//! of each side as suspected to those of the other that do not hear them, and heals. It decides
//! nothing about views.

use turnstile_step::not_symbolic;
use turnstile_view_handler_core::{MembershipRequest, Message};
use turnstile_world::system::{Effect, Input, NodeCore, Out};
use turnstile_world::{NetworkChange, NodeId, Ordered, Value};

use crate::{Views, member, words};

/// The connectivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Network {
    /// All members are connected.
    Whole,
    /// Only members of the same partition are connected.
    Partitioned,
}

/// A timer of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Timer {
    /// The partition is detected.
    Detect,
    /// The network heals.
    Heal,
}

/// The network partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct PartitionBegins;

not_symbolic!(Network, Timer, PartitionBegins);

/// The network of a world.
#[derive(Clone, Debug)]
pub struct NetworkNode(pub Views);

/// The effect of an input of the network on links.
pub fn cut(views: &Views, input: &Input) -> Option<NetworkChange> {
    match input {
        Input::Command(command) => command.get::<PartitionBegins>().map(|PartitionBegins| {
            let side = (0..views.side).collect();
            if views.assumptions.loses {
                NetworkChange::Disconnect(side, views.cut)
            } else {
                NetworkChange::Partition(side, views.cut)
            }
        }),
        Input::Fired(timer) => (timer.get() == Some(&Timer::Heal)).then_some(NetworkChange::Heal),
        Input::Message { .. } | Input::Restart(_) => None,
    }
}

/// Each member of a partition is told to suspect each member of the other that it does not
/// hear.
fn suspicions(views: &Views) -> impl Iterator<Item = Effect> {
    let (members, side, cut) = (views.members, views.side, views.cut);
    let apart = move |to: NodeId, gone: NodeId| cut.has(gone < side, to < side);
    let all = (0..members).flat_map(move |to| (0..members).map(move |gone| (to, gone)));
    all.filter(move |(to, gone)| apart(*to, *gone)).map(|(to, gone)| {
        let suspect = MembershipRequest::Suspect { member: member(gone) };
        Effect::Send { to, message: Ordered::new(Message::Request(suspect)) }
    })
}

impl NodeCore for NetworkNode {
    fn start(&self) -> Value {
        Value::new(Network::Whole)
    }

    /// A partition that heals before its detection is only a delay; one that loses messages is
    /// always detected.
    fn step(&self, _choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let loses = self.0.assumptions.loses;
        let heal = || Effect::Arm(Ordered::new(Timer::Heal));
        match input {
            Input::Command(_) => {
                *state = Value::new(Network::Partitioned);
                out.effects.push(Effect::Arm(Ordered::new(Timer::Detect)));
                out.effects.extend((!loses).then(heal));
            }
            Input::Fired(timer) => match timer.of() {
                Timer::Detect => {
                    out.effects.extend(suspicions(&self.0));
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
            Network::Whole => vec![Ordered::new(PartitionBegins)],
            Network::Partitioned => Vec::new(),
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
                Timer::Detect => "detects the partition",
                Timer::Heal => "heals",
            },
            Input::Command(_) => "partitions",
            Input::Restart(_) => "restarts",
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
