//! A node of a scenario: a core with its state, its armed timers and its saved data. Inputs and
//! effects are lines of text.

#[cfg(feature = "trace")]
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;

use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, Out, OutOf, RowOutcome};

use super::error::InputError;
#[cfg(feature = "trace")]
use super::trace::replay_node::ReplayNode;

/// How a network may change or lose a message.
pub trait Deliverable: Clone + Display {
    /// The messages that may be delivered in its place.
    fn altered(&self) -> Vec<Self>;
    /// The messages that may be delivered to its sender in place of a reply, if it is a request.
    fn unanswered(&self) -> Vec<Self>;
    /// Parses a message from a node that is not part of the scenario; `None` if this protocol has
    /// no such nodes, or the text is invalid.
    fn parse(_text: &str) -> Option<Self> {
        None
    }
}

/// A core with a text format for its inputs and effects. Commands are parsed; messages and timers
/// are found among those sent and armed before, by their `Display` text.
pub trait TextFormat:
    Core<Message: Deliverable, Timer: Display, Command: Display, Notice: Display>
{
    /// The commands of this core, for the help of an error.
    const COMMANDS: &'static str = "its other scenarios show its commands";

    /// The name of a peer.
    fn peer_name(peer: Self::Peer) -> String;
    /// The peer of a name.
    fn peer(name: &str) -> Option<Self::Peer>;
    /// Parses a command.
    fn command(text: &str) -> Option<Self::Command>;
    /// The text of saved data.
    fn saved(saved: &Self::Saved) -> String;
}

/// The messages that a step sent, each with its receiver's name.
pub type Sent<M> = Vec<(String, M)>;

/// The output of a step, as text.
#[derive(Clone, Debug)]
pub struct StepOutput<M> {
    /// One line for each failed row (`! …`), then one for each effect.
    pub effects: Vec<String>,
    /// The messages among the effects.
    pub sent: Sent<M>,
}

/// A node, whatever its core is, that exchanges messages of one type.
pub trait Node<M> {
    /// Delivers a message.
    ///
    /// # Errors
    ///
    /// The sender is no peer of this node.
    fn receive(&mut self, from: &str, message: M) -> Result<StepOutput<M>, InputError>;
    /// Takes any other input: `is told …`, `fires …`, `fires late …`, `restarts`.
    ///
    /// # Errors
    ///
    /// The text is no input, or the timer cannot fire.
    fn take_input(&mut self, text: &str) -> Result<StepOutput<M>, InputError>;
    /// The last step as a line of a trace, under this name; `None` before the first step, or if the
    /// core's types are not serde types.
    fn last_step(&self, _name: &str) -> Option<String> {
        None
    }
    /// The same node, for the replay of a trace; `None` if the core's types are not serde types.
    #[cfg(feature = "trace")]
    fn into_replay_node(self: Box<Self>) -> Option<Box<dyn ReplayNode>> {
        None
    }
}

/// A node of one core.
#[derive(Clone, Debug)]
pub struct CoreNode<C: Core> {
    core: C,
    state: C::State,
    armed: BTreeSet<C::Timer>,
    /// Disarmed timers, which may still fire late: they may have expired before the disarm.
    disarmed: BTreeSet<C::Timer>,
    saved: Option<C::Saved>,
}

impl<C: Core> CoreNode<C> {
    /// A node that has never run.
    pub fn new(core: C) -> Self {
        let state = core.start();
        Self::with_state(core, state)
    }

    /// A node in a given state, with no timer armed.
    pub fn with_state(core: C, state: C::State) -> Self {
        Self { core, state, armed: BTreeSet::new(), disarmed: BTreeSet::new(), saved: None }
    }

    /// Steps the core and updates the timers.
    pub(super) fn step(&mut self, input: InputOf<C>) -> OutOf<C> {
        if matches!(input, Input::Restart(_)) {
            self.armed.clear();
            self.disarmed.clear();
        }
        let mut out = Out::default();
        self.core.step(&mut self.state, input, &mut out);
        for effect in &out.effects {
            match effect {
                Effect::Arm(timer) => {
                    self.armed.insert(*timer);
                }
                Effect::Disarm(timer) => self.disarmed.extend(self.armed.take(timer)),
                Effect::Send { .. } | Effect::Save(_) | Effect::Notify(_) => {}
            }
        }
        out
    }

    /// Removes an armed timer; `false` if it is not armed.
    pub(super) fn fire(&mut self, timer: &C::Timer) -> bool {
        self.armed.remove(timer)
    }

    /// Removes a disarmed timer; `false` if it was not armed before.
    pub(super) fn fire_late(&mut self, timer: &C::Timer) -> bool {
        self.disarmed.remove(timer)
    }

    /// The first eight armed timers, for the help of an error.
    pub(super) fn armed(&self, text: impl Fn(&C::Timer) -> String) -> String {
        let armed: Vec<String> = self.armed.iter().take(8).map(text).collect();
        let armed = if armed.is_empty() { "none".into() } else { armed.join(", ") };
        format!("armed timers: {armed}")
    }
}

impl<C: TextFormat> CoreNode<C> {
    /// The input of a message.
    pub(super) fn message_input(from: &str, message: C::Message) -> Result<InputOf<C>, InputError> {
        let from = C::peer(from).ok_or_else(|| {
            let reason = format!("`{from}` is not a peer of this node");
            InputError::new(
                reason,
                "the peers of a client are `server` and `store`, those of a server `client N`",
            )
        })?;
        Ok(Input::Message { from, message })
    }

    /// Parses any other input.
    pub(super) fn parse_input(&mut self, text: &str) -> Result<InputOf<C>, InputError> {
        if text == "restarts" {
            return Ok(Input::Restart(self.saved.clone()));
        }
        if let Some(text) = text.strip_prefix("is told ") {
            let command = C::command(text);
            let command = command.ok_or_else(|| InputError::new("unknown command", C::COMMANDS))?;
            if command.to_string() != text {
                let reason = format!("not the canonical form `{command}`");
                return Err(InputError::new(reason, "write the canonical form"));
            }
            return Ok(Input::Command(command));
        }
        if let Some(text) = text.strip_prefix("fires late ") {
            return self.late_timer(text);
        }
        if let Some(text) = text.strip_prefix("fires ") {
            return self.timer(text);
        }
        let reason = "expected `is told`, `hears`, `fires` or `restarts`";
        let help = "one of these follows a node's name; lines of effects are indented";
        Err(InputError::new(reason, help))
    }

    /// The output of a step as text; saved data is kept for a restart.
    pub(super) fn output(&mut self, out: OutOf<C>) -> StepOutput<C::Message> {
        let mut effects: Vec<String> = out.rows.iter().filter_map(row_failure).collect();
        effects.extend(out.effects.iter().map(effect_text::<C>));
        let mut sent = Vec::new();
        for effect in out.effects {
            match effect {
                Effect::Send { to, message } => sent.push((C::peer_name(to), message)),
                Effect::Save(saved) => C::merge_saved(&mut self.saved, saved),
                Effect::Arm(_) | Effect::Disarm(_) | Effect::Notify(_) => {}
            }
        }
        StepOutput { effects, sent }
    }

    fn timer(&mut self, text: &str) -> Result<InputOf<C>, InputError> {
        let timer = self.armed.iter().copied().find(|timer| timer.to_string() == text);
        let timer = timer.filter(|timer| self.fire(timer)).ok_or_else(|| {
            InputError::new("timer is not armed", self.armed(ToString::to_string))
        })?;
        Ok(Input::Fired(timer))
    }

    fn late_timer(&mut self, text: &str) -> Result<InputOf<C>, InputError> {
        let timer = self.disarmed.iter().copied().find(|timer| timer.to_string() == text);
        let help = "only a timer that was armed and then disarmed can fire late";
        let timer = timer.filter(|timer| self.fire_late(timer));
        Ok(Input::Fired(timer.ok_or_else(|| InputError::new("timer was not disarmed", help))?))
    }
}

impl<C: TextFormat> Node<C::Message> for CoreNode<C> {
    fn receive(
        &mut self,
        from: &str,
        message: C::Message,
    ) -> Result<StepOutput<C::Message>, InputError> {
        let out = self.step(Self::message_input(from, message)?);
        Ok(self.output(out))
    }

    fn take_input(&mut self, text: &str) -> Result<StepOutput<C::Message>, InputError> {
        let input = self.parse_input(text)?;
        let out = self.step(input);
        Ok(self.output(out))
    }
}

/// The text of an effect: `arms renew timer`.
pub fn effect_text<C: TextFormat>(effect: &EffectOf<C>) -> String {
    match effect {
        Effect::Send { to, message } => format!("sends {}: {message}", C::peer_name(*to)),
        Effect::Arm(timer) => format!("arms {timer}"),
        Effect::Disarm(timer) => format!("disarms {timer}"),
        Effect::Save(saved) => format!("saves {}", C::saved(saved)),
        Effect::Notify(notice) => format!("notifies {notice}"),
    }
}

/// The text of an unhandled event or a failed action. Rows taken are shown by traces only.
fn row_failure(outcome: &RowOutcome) -> Option<String> {
    match outcome {
        RowOutcome::Row { .. } | RowOutcome::Ignored { .. } => None,
        RowOutcome::Unexpected { machine, state, event, number: 0 } => {
            Some(format!("! {machine}: unhandled event: {event} in state {state}"))
        }
        RowOutcome::Unexpected { machine, state, event, number } => {
            Some(format!("! {machine}: unhandled event: {event} ({number}) in state {state}"))
        }
        RowOutcome::ActionFailed { machine, action, reason } => {
            Some(format!("! {machine}: action failed: {action}: {reason}"))
        }
    }
}
