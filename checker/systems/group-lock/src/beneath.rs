//! What is beneath the members as a node: the membership, which delivers views; or the network,
//! beneath members that handle their views themselves.

use std::collections::BTreeSet;
use std::fmt;

use turnstile_core::view::{MemberId, View};
use turnstile_step::Symbolic;
use turnstile_system_view_handler::NetworkNode;
use turnstile_world::system::{Effect, Input, NodeCore, Out};
use turnstile_world::{Ordered, Value};

use crate::membership::{Change, Membership};
use crate::node;

/// What passes between a member and what is beneath it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Letter {
    /// To a member: its view.
    View(View),
    /// To a member: it ends.
    Stop,
    /// To a member, again and again: who has crashed.
    Crashed(MemberId),
    /// From a member: its process has ended.
    Ended(MemberId),
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::View(view) => view.fmt(f),
            Self::Stop => f.write_str("the end"),
            Self::Crashed(member) => write!(f, "SUSPECT {member}"),
            Self::Ended(member) => write!(f, "the end of {member}"),
        }
    }
}

/// What delivers views, as it begins.
#[derive(Clone, Debug)]
pub(crate) struct MembershipNode(pub(crate) Membership);

impl NodeCore for MembershipNode {
    fn start(&self) -> Value {
        Value::new(self.0.clone())
    }

    fn step(&self, _choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let membership: &mut Membership = state.of_mut();
        let sent = match input {
            Input::Command(change) => membership.change(*change.of()),
            Input::Message { message, .. } => match message.of() {
                Letter::Ended(gone) => membership.exclude(*gone),
                Letter::View(_) | Letter::Stop | Letter::Crashed(_) => return,
            },
            Input::Fired(_) | Input::Restart(_) => return,
        };
        let send = |(to, letter)| Effect::Send { to: node(to), message: Ordered::new(letter) };
        out.effects.extend(sent.into_iter().map(send));
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        state.of::<Membership>().changes().into_iter().map(Ordered::new).collect()
    }

    fn input_words(&self, input: &Input) -> String {
        match input {
            Input::Message { message, .. } => self.message_words(message),
            Input::Command(change) => change.of::<Change>().to_string(),
            Input::Fired(_) | Input::Restart(_) => "starts again".to_owned(),
        }
    }

    fn message_words(&self, message: &Ordered) -> String {
        message.of::<Letter>().to_string()
    }
}

/// The network, and who has crashed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
struct Beneath {
    network: Value,
    /// The others are told of it again and again.
    #[symbolic(skip)]
    crashed: BTreeSet<MemberId>,
}

/// It is noticed, again and again, that a member has crashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Noticed(MemberId);

/// What is beneath members that handle their views themselves.
#[derive(Clone, Debug)]
pub(crate) struct BeneathNode(pub(crate) NetworkNode);

impl NodeCore for BeneathNode {
    fn start(&self) -> Value {
        Value::new(Beneath { network: self.0.start(), crashed: BTreeSet::new() })
    }

    fn step(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let beneath: &mut Beneath = state.of_mut();
        match &input {
            Input::Message { message, .. } => {
                if let Letter::Ended(gone) = message.of() {
                    beneath.crashed.insert(*gone);
                }
            }
            Input::Command(command) if let Some(Noticed(gone)) = command.get() => {
                let NetworkNode(views) = &self.0;
                let others = (0..views.members).filter(|other| *other != node(*gone));
                let message = Ordered::new(Letter::Crashed(*gone));
                out.effects.extend(others.map(|to| Effect::Send { to, message: message.clone() }));
            }
            Input::Command(_) | Input::Fired(_) | Input::Restart(_) => {
                self.0.step(choice, &mut beneath.network, input, out);
            }
        }
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        let Beneath { network, crashed } = state.of();
        let mut commands = self.0.commands(network);
        commands.extend(crashed.iter().map(|gone| Ordered::new(Noticed(*gone))));
        commands
    }

    fn timer_name(&self, timer: &Ordered) -> &'static str {
        self.0.timer_name(timer)
    }

    fn input_words(&self, input: &Input) -> String {
        match input {
            Input::Message { message, .. } => self.message_words(message),
            Input::Command(command) if let Some(Noticed(gone)) = command.get() => {
                format!("{gone} is found to have crashed")
            }
            Input::Command(_) | Input::Fired(_) | Input::Restart(_) => self.0.input_words(input),
        }
    }

    fn message_words(&self, message: &Ordered) -> String {
        match message.get::<Letter>() {
            Some(letter) => letter.to_string(),
            None => self.0.message_words(message),
        }
    }

    fn effect_words(&self, effect: &Effect) -> Option<String> {
        self.0.effect_words(effect)
    }
}
