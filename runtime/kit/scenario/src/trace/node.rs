//! The nodes of traces: cores whose inputs and effects are JSON.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use serde_json::Value;
use turnstile_step::{Effect, Input, InputOf, OutOf};

use super::line::{message_without_line, short, step_line};
use super::replay_node::{Envelope, ReplayNode, ReplayedStep};
use super::serde_core::SerdeCore;
use crate::error::InputError;
use crate::node::{CoreNode, Node, StepOutput, TextFormat};

impl<C: SerdeCore> CoreNode<C> {
    /// Removes a timer that fires; whether it was disarmed before.
    fn take_timer(&mut self, timer: &C::Timer) -> Result<bool, InputError> {
        if self.fire(timer) {
            return Ok(false);
        }
        if self.fire_late(timer) {
            return Ok(true);
        }
        let json = |timer: &C::Timer| serde_json::to_string(timer).unwrap_or_default();
        Err(InputError::new("timer was never armed", self.armed(json)))
    }

    /// Steps the core; a panic of the core is an error.
    fn try_step(&mut self, input: InputOf<C>) -> Result<OutOf<C>, InputError> {
        catch_unwind(AssertUnwindSafe(|| self.step(input))).map_err(|_| {
            let help = "either the core has a bug, or the trace was changed";
            InputError::new("the core panics at this input", help)
        })
    }
}

impl<C: SerdeCore> CoreNode<C> {
    /// Takes an input, as JSON; `name` is that of a peer.
    fn replay_by(
        &mut self,
        expected: &str,
        name: fn(C::Peer) -> String,
    ) -> Result<ReplayedStep, InputError> {
        let help = "an input has the serde form of the core's types";
        let input: InputOf<C> = serde_json::from_str(expected).map_err(|error| {
            InputError::new(format!("invalid input: {}", message_without_line(&error)), help)
        })?;
        let read = json(&input)?;
        if !is_same(expected, &read) {
            let help = format!("the core reads `{}`", short(&read));
            return Err(InputError::new("the input has values that the core ignores", help));
        }
        let was_disarmed = match &input {
            Input::Fired(timer) => self.take_timer(timer)?,
            Input::Message { .. } | Input::Command(_) | Input::Restart(_) => false,
        };
        let envelope =
            |peer, message: &C::Message| Ok(Envelope { peer: name(peer), message: json(message)? });
        let received = match &input {
            Input::Message { from, message } => Some(envelope(*from, message)?),
            Input::Fired(_) | Input::Command(_) | Input::Restart(_) => None,
        };
        let out = self.try_step(input)?;
        let (rows, effects) = (json(&out.rows)?, json(&out.effects)?);
        let sent = out.effects.iter().filter_map(|effect| match effect {
            Effect::Send { to, message } => Some(envelope(*to, message)),
            Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(_) | Effect::Notify(_) => None,
        });
        let sent = sent.collect::<Result<_, _>>()?;
        let count = out.rows.len() + out.effects.len();
        Ok(ReplayedStep { rows, effects, count, was_disarmed, received, sent })
    }
}

/// Its peers are named by their JSON.
impl<C: SerdeCore> ReplayNode for CoreNode<C> {
    fn replay(&mut self, input: &str) -> Result<ReplayedStep, InputError> {
        self.replay_by(input, |peer| serde_json::to_string(&peer).unwrap_or_default())
    }
}

impl<C: SerdeCore + TextFormat> ReplayNode for TraceableNode<C> {
    fn replay(&mut self, input: &str) -> Result<ReplayedStep, InputError> {
        self.node.replay_by(input, C::peer_name)
    }
}

fn json(value: &impl serde::Serialize) -> Result<String, InputError> {
    serde_json::to_string(value).map_err(|error| {
        let help = "a map of the core may have keys that are neither text nor numbers";
        InputError::new(format!("JSON cannot have a value of the core: {error}"), help)
    })
}

/// Whether two texts are equal as JSON.
fn is_same(a: &str, b: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    a == b || value(a).is_some_and(|a| Some(a) == value(b))
}

/// A node of a scenario that can also be recorded as a trace.
#[derive(Clone, Debug)]
pub struct TraceableNode<C: SerdeCore> {
    node: CoreNode<C>,
    last: Option<(InputOf<C>, OutOf<C>)>,
}

impl<C: SerdeCore> TraceableNode<C> {
    /// As [`CoreNode::new`].
    pub fn new(core: C) -> Self {
        Self { node: CoreNode::new(core), last: None }
    }

    /// As [`CoreNode::with_state`].
    pub fn with_state(core: C, state: C::State) -> Self {
        Self { node: CoreNode::with_state(core, state), last: None }
    }
}

impl<C: SerdeCore + TextFormat> TraceableNode<C> {
    fn step(&mut self, input: InputOf<C>) -> StepOutput<C::Message> {
        let out = self.node.step(input.clone());
        self.last = Some((input, out.clone()));
        self.node.output(out)
    }
}

impl<C: SerdeCore + TextFormat + 'static> Node<C::Message> for TraceableNode<C> {
    fn receive(
        &mut self,
        from: &str,
        message: C::Message,
    ) -> Result<StepOutput<C::Message>, InputError> {
        Ok(self.step(CoreNode::<C>::message_input(from, message)?))
    }

    fn take_input(&mut self, text: &str) -> Result<StepOutput<C::Message>, InputError> {
        let input = self.node.parse_input(text)?;
        Ok(self.step(input))
    }

    fn last_step(&self, name: &str) -> Option<String> {
        let (input, out) = self.last.as_ref()?;
        step_line::<C>(name, input, out).ok()
    }

    fn into_replay_node(self: Box<Self>) -> Option<Box<dyn ReplayNode>> {
        Some(self)
    }
}
