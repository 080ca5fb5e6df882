//! A node of a trace: a core behind data, as [`CoreNode`] has it behind words.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use serde_json::Value;
use turnstile_step::{Input, InputOf, OutOf};

use super::Data;
use super::line::{short, step_line, words};
use crate::node::{CoreNode, Did, Node, TextFormat, Wrong};

/// What a step comes to now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Now {
    /// The rows that the core takes, a JSON array.
    pub rows: String,
    /// The effects, a JSON array.
    pub effects: String,
    /// How many rows and effects there are.
    pub count: usize,
    /// Whether it is a timer that fires though it was disarmed.
    pub is_late: bool,
}

/// A node of any core, of a trace.
pub trait Traced {
    /// Takes the input that is written so.
    ///
    /// # Errors
    ///
    /// Why it is none.
    fn replay(&mut self, input: &str) -> Result<Now, Wrong>;
}

impl<C: Data> CoreNode<C> {
    /// Takes a timer; whether it is one that was disarmed.
    fn take_timer(&mut self, timer: &C::Timer) -> Result<bool, Wrong> {
        if self.fire(timer) {
            return Ok(false);
        }
        if self.fire_late(timer) {
            return Ok(true);
        }
        let json = |timer: &C::Timer| serde_json::to_string(timer).unwrap_or_default();
        Err(Wrong::new("no such timer is armed, or was", self.armed(json)))
    }

    /// A step that ends where the core panics.
    fn try_step(&mut self, input: InputOf<C>) -> Result<OutOf<C>, Wrong> {
        catch_unwind(AssertUnwindSafe(|| self.step(input))).map_err(|_| {
            let help = "the core, or whatever changed the trace, has a mistake there";
            Wrong::new("the core panics at this input", help)
        })
    }
}

impl<C: Data> Traced for CoreNode<C> {
    fn replay(&mut self, written: &str) -> Result<Now, Wrong> {
        let help = "it is written as the core's types are by serde";
        let input: InputOf<C> = serde_json::from_str(written)
            .map_err(|error| Wrong::new(format!("the input is none: {}", words(&error)), help))?;
        let read = json(&input)?;
        if !is_same(written, &read) {
            let help = format!("the core reads `{}`", short(&read));
            return Err(Wrong::new("the input says what the core does not read", help));
        }
        let is_late = match &input {
            Input::Fired(timer) => self.take_timer(timer)?,
            Input::Message { .. } | Input::Command(_) | Input::Restart(_) => false,
        };
        let out = self.try_step(input)?;
        let (rows, effects) = (json(&out.rows)?, json(&out.effects)?);
        Ok(Now { rows, effects, count: out.rows.len() + out.effects.len(), is_late })
    }
}

fn json(value: &impl serde::Serialize) -> Result<String, Wrong> {
    serde_json::to_string(value).map_err(|error| {
        let help = "a map of the core has keys that are neither text nor numbers, perhaps";
        Wrong::new(format!("what the core has is no JSON: {error}"), help)
    })
}

/// Whether two texts are the same JSON.
fn is_same(a: &str, b: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    a == b || value(a).is_some_and(|a| Some(a) == value(b))
}

/// A node of a scenario whose run can be a trace: [`CoreNode`], of a core that is data.
#[derive(Clone, Debug)]
pub struct TracedNode<C: Data> {
    node: CoreNode<C>,
    last: Option<(InputOf<C>, OutOf<C>)>,
}

impl<C: Data> TracedNode<C> {
    /// As [`CoreNode::new`].
    pub fn new(core: C) -> Self {
        Self { node: CoreNode::new(core), last: None }
    }

    /// As [`CoreNode::with`].
    pub fn with(core: C, state: C::State) -> Self {
        Self { node: CoreNode::with(core, state), last: None }
    }
}

impl<C: Data + TextFormat> TracedNode<C> {
    fn step(&mut self, input: InputOf<C>) -> Did<C::Message> {
        let out = self.node.step(input.clone());
        self.last = Some((input, out.clone()));
        self.node.tell(out)
    }
}

impl<C: Data + TextFormat + 'static> Node<C::Message> for TracedNode<C> {
    fn hear(&mut self, from: &str, message: C::Message) -> Result<Did<C::Message>, Wrong> {
        Ok(self.step(CoreNode::<C>::heard(from, message)?))
    }

    fn happen(&mut self, words: &str) -> Result<Did<C::Message>, Wrong> {
        let input = self.node.read(words)?;
        Ok(self.step(input))
    }

    fn last_step(&self, name: &str) -> Option<String> {
        let (input, out) = self.last.as_ref()?;
        step_line::<C>(name, input, out).ok()
    }

    fn traced(self: Box<Self>) -> Option<Box<dyn Traced>> {
        Some(Box::new(self.node))
    }
}
