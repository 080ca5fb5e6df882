//! The layer below the members as a node: the membership service, which delivers views; or the
//! network, if members handle their views themselves.

use std::collections::BTreeSet;

use turnstile_step::Symbolic;
use turnstile_system_view_handler::NetworkNode;
use turnstile_view_handler_core::MemberId;
use turnstile_world::system::{Effect, Input, NodeCore, Out};
use turnstile_world::{Ordered, Value};

use crate::group_lock::node;
use crate::layer_message::LayerMessage;
use crate::membership::{Membership, MembershipChange};

/// The membership service, with its first state.
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
                LayerMessage::Ended(gone) => membership.exclude(*gone),
                LayerMessage::View(_)
                | LayerMessage::Stop
                | LayerMessage::Crashed(_)
                | LayerMessage::Restarted(_) => return,
            },
            Input::Fired(_) | Input::Restart(_) => return,
        };
        let send = |(to, message)| Effect::Send { to: node(to), message: Ordered::new(message) };
        out.effects.extend(sent.into_iter().map(send));
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        state.of::<Membership>().changes().into_iter().map(Ordered::new).collect()
    }

    fn input_words(&self, input: &Input) -> String {
        match input {
            Input::Message { message, .. } => self.message_words(message),
            Input::Command(change) => change.of::<MembershipChange>().to_string(),
            Input::Fired(_) | Input::Restart(_) => "restarts".to_owned(),
        }
    }

    fn message_words(&self, message: &Ordered) -> String {
        message.of::<LayerMessage>().to_string()
    }
}

/// The network, and the crashed members.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
struct NetworkState {
    network: Value,
    /// The others are notified of these repeatedly.
    #[symbolic(skip)]
    crashed: BTreeSet<MemberId>,
}

/// The network detects, repeatedly, that a member has crashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct CrashDetected(MemberId);

/// The layer below members that handle their views themselves.
#[derive(Clone, Debug)]
pub(crate) struct NetworkLayerNode(pub(crate) NetworkNode);

impl NodeCore for NetworkLayerNode {
    fn start(&self) -> Value {
        Value::new(NetworkState { network: self.0.start(), crashed: BTreeSet::new() })
    }

    fn step(&self, choice: u8, state: &mut Value, input: Input, out: &mut Out) {
        let lower_layer: &mut NetworkState = state.of_mut();
        match &input {
            Input::Message { message, .. } => {
                if let LayerMessage::Ended(gone) = message.of() {
                    lower_layer.crashed.insert(*gone);
                }
            }
            Input::Command(command) if let Some(CrashDetected(gone)) = command.get() => {
                let NetworkNode(views) = &self.0;
                let others = (0..views.members).filter(|other| *other != node(*gone));
                let message = Ordered::new(LayerMessage::Crashed(*gone));
                out.effects.extend(others.map(|to| Effect::Send { to, message: message.clone() }));
            }
            Input::Command(_) | Input::Fired(_) | Input::Restart(_) => {
                self.0.step(choice, &mut lower_layer.network, input, out);
            }
        }
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        let NetworkState { network, crashed } = state.of();
        let mut commands = self.0.commands(network);
        commands.extend(crashed.iter().map(|gone| Ordered::new(CrashDetected(*gone))));
        commands
    }

    fn timer_name(&self, timer: &Ordered) -> &'static str {
        self.0.timer_name(timer)
    }

    fn input_words(&self, input: &Input) -> String {
        match input {
            Input::Message { message, .. } => self.message_words(message),
            Input::Command(command) if let Some(CrashDetected(gone)) = command.get() => {
                format!("{gone} is detected as crashed")
            }
            Input::Command(_) | Input::Fired(_) | Input::Restart(_) => self.0.input_words(input),
        }
    }

    fn message_words(&self, message: &Ordered) -> String {
        match message.get::<LayerMessage>() {
            Some(message) => message.to_string(),
            None => self.0.message_words(message),
        }
    }

    fn effect_words(&self, effect: &Effect) -> Option<String> {
        self.0.effect_words(effect)
    }
}
