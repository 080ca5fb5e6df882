//! Traces: the steps of nodes, recorded as JSON Lines. A core can be traced if its types are serde
//! types.
//!
//! ```text
//! {"trace":1}
//! {"node":"turnstiled","is":"claim server with room for 10 waiting and 10 over"}
//! {"node":"turnstiled","input":{"restart":"nothing"},"rows":[],"effects":[]}
//! {"node":"turnstiled","input":{"fired":{"ttl":1}},"rows":[…],"effects":[…]}
//! ```
//!
//! The first line names the version of the format. A line with `is` declares a node; declared
//! again, it starts again. Every other line is a step: an input, the rows taken and the effects, in
//! serde's form. A host writes them ([`declaration_line`], [`step_line`]); [`replay`] and
//! [`replay_core`] give the inputs to the cores and report each difference. White space and the
//! order of fields do not matter. A truncated last line is reported in [`Replay::truncated_line`].
//!
//! ```
//! use turnstile_scenario::CoreNode;
//! use turnstile_scenario::trace::{HEAD, declaration_line, replay_core, step_line};
//! use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf};
//!
//! /// Notifies for each number whether it is the greatest so far.
//! #[derive(Clone)]
//! struct Greatest;
//!
//! impl Core for Greatest {
//!     type State = u32;
//!     type Peer = ();
//!     type Message = ();
//!     type Timer = ();
//!     type Command = u32;
//!     type Notice = bool;
//!     type Saved = ();
//!
//!     fn start(&self) -> u32 {
//!         0
//!     }
//!
//!     fn step(&self, state: &mut u32, input: InputOf<Self>, out: &mut OutOf<Self>) {
//!         if let Input::Command(number) = input {
//!             out.effects.push(Effect::Notify(number > *state));
//!             *state = number.max(*state);
//!         }
//!     }
//! }
//!
//! let mut state = Greatest.start();
//! let mut trace = format!("{HEAD}{}", declaration_line("one", "any"));
//! for number in [3, 7, 5] {
//!     let (input, mut out) = (Input::Command(number), Out::default());
//!     Greatest.step(&mut state, input.clone(), &mut out);
//!     trace += &step_line::<Greatest>("one", &input, &out)?;
//! }
//! let replayed = replay_core(trace.as_bytes(), |_, _| Some(CoreNode::new(Greatest)));
//! assert!(replayed.is_ok_and(|replay| replay.steps == 3 && replay.matches()));
//!
//! let wrong = trace.replace(r#"{"notify":false}"#, r#"{"notify":true}"#);
//! let replay = replay_core(wrong.as_bytes(), |_, _| Some(CoreNode::new(Greatest)));
//! assert_eq!(replay.expect("it is a trace").mismatches[0].line, 5);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod line;
mod node;
mod play;
pub(crate) mod replay_node;
mod serde_core;
mod together;

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use std::io::BufRead;

use crate::error::{InputError, LineError};
use crate::node::CoreNode;
use crate::protocol::{Protocol, play_script, traced};
use crate::replay::Replay;
use crate::script::Script;

pub use line::{HEAD, VERSION, declaration_line, step_line};
pub use node::TraceableNode;
pub use replay_node::{Envelope, ReplayNode, ReplayedStep};
pub use serde_core::SerdeCore;
pub use together::{Impossible, Reason, Run, Together, replay_together};

/// Whether a file is a trace; otherwise it is a scenario. Its first bytes decide.
#[must_use]
pub fn is_trace(beginning: &[u8]) -> bool {
    beginning.trim_ascii_start().starts_with(b"{")
}

/// Replays a trace; each node's `is` chooses its protocol.
///
/// # Errors
///
/// A line is no line of a trace, and no mismatch precedes it.
pub fn replay(trace: impl BufRead, protocols: &[Protocol]) -> Result<Replay, LineError> {
    play::play(trace, &mut |name, is| Ok(traced(protocols, name, is)?.0))
}

/// Replays a trace of one core; `node` makes the node that a name and its `is` describe.
///
/// # Errors
///
/// As [`replay`].
pub fn replay_core<C: SerdeCore + 'static>(
    trace: impl BufRead,
    mut node: impl FnMut(&str, &str) -> Option<CoreNode<C>>,
) -> Result<Replay, LineError> {
    play::play(trace, &mut |name, is| match node(name, is) {
        Some(node) => Ok(Box::new(node)),
        None => Err(InputError::new(
            "unknown node kind",
            "replay the trace with the cores that it records",
        )),
    })
}

/// Plays a scenario and records it as a trace.
///
/// # Errors
///
/// The first line that cannot be played, or whose node cannot be traced.
pub fn from_scenario(text: &str, protocols: &[Protocol]) -> Result<String, LineError> {
    let script = Script::parse(text)?;
    let mut trace = HEAD.to_owned();
    let mut untraceable = None;
    play_script(&script, protocols, &mut |step, _, line| {
        if step.allows_unknown_senders() {
            return;
        }
        if step.is_declaration {
            trace += &declaration_line(&step.line.name, &step.line.text);
            return;
        }
        match line() {
            Some(line) => trace += &line,
            None => untraceable = untraceable.take().or_else(|| Some(step.line.clone())),
        }
    })?;
    match untraceable {
        None => Ok(trace),
        Some(line) => Err(LineError {
            line: line.number,
            text: line.text,
            reason: "the node cannot be traced: its core's types are not serde types".into(),
            help: "a node is data as a `TracedNode`".into(),
        }),
    }
}
