//! Traces: what nodes did, as data. JSON Lines, one object a line, of any core whose types are
//! serde types.
//!
//! ```text
//! {"trace":1}
//! {"node":"turnstiled","is":"claim server with room for 10 waiting and 10 over"}
//! {"node":"turnstiled","input":{"restart":"nothing"},"rows":[],"effects":[]}
//! {"node":"turnstiled","input":{"fired":{"ttl":1}},"rows":[…],"effects":[…]}
//! ```
//!
//! The first line says the format. A line with `is` lets a node enter; one that enters again begins
//! anew. Every other line is a step: an input, the rows that were taken, and the effects, as serde
//! writes them. A driver writes them ([`entry_line`], [`step_line`]); [`replay`] and
//! [`replay_core`] take the inputs to the cores and say where a line departs from what these do.
//! Spaces and the order of fields do not count. A last line that is torn is told
//! ([`Replay::torn`]).
//!
//! ```
//! use turnstile_scenario::CoreNode;
//! use turnstile_scenario::trace::{HEAD, entry_line, replay_core, step_line};
//! use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf};
//!
//! /// It says of each number whether it is the greatest so far.
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
//! let (mut state, mut trace) = (Greatest.start(), format!("{HEAD}{}", entry_line("one", "any")));
//! for number in [3, 7, 5] {
//!     let (input, mut out) = (Input::Command(number), Out::default());
//!     Greatest.step(&mut state, input.clone(), &mut out);
//!     trace += &step_line::<Greatest>("one", &input, &out)?;
//! }
//! let replayed = replay_core(trace.as_bytes(), |_, _| Some(CoreNode::new(Greatest)));
//! assert!(replayed.is_ok_and(|replay| replay.steps == 3 && replay.is_as_written()));
//!
//! let wrong = trace.replace(r#"{"notify":false}"#, r#"{"notify":true}"#);
//! let replay = replay_core(wrong.as_bytes(), |_, _| Some(CoreNode::new(Greatest)));
//! assert_eq!(replay.expect("it is a trace").departures[0].line, 5);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod line;
mod node;
mod play;

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use std::io::BufRead;

use serde::Serialize;
use serde::de::DeserializeOwned;
use turnstile_step::Core;

use crate::language::{known, perform};
use crate::node::{CoreNode, Wrong};
use crate::script::Script;
use crate::{Fault, Language, Replay};

pub use line::{HEAD, VERSION, entry_line, step_line};
pub use node::{Now, Traced, TracedNode};

/// A core whose inputs and effects are data: every core whose types are serde types.
pub trait Data:
    Core<
        Peer: Serialize + DeserializeOwned,
        Message: Serialize + DeserializeOwned,
        Timer: Serialize + DeserializeOwned,
        Command: Serialize + DeserializeOwned,
        Notice: Serialize,
        Saved: Serialize + DeserializeOwned,
    >
{
}

impl<C> Data for C where
    C: Core<
            Peer: Serialize + DeserializeOwned,
            Message: Serialize + DeserializeOwned,
            Timer: Serialize + DeserializeOwned,
            Command: Serialize + DeserializeOwned,
            Notice: Serialize,
            Saved: Serialize + DeserializeOwned,
        >
{
}

/// Whether a text is a trace, or a scenario: by how it begins.
#[must_use]
pub fn is_trace(beginning: &[u8]) -> bool {
    beginning.trim_ascii_start().starts_with(b"{")
}

/// Replays a trace whose nodes are of these languages, each by its own `is`.
///
/// # Errors
///
/// [`Fault`] at a line that is none of a trace, though nothing has departed before.
pub fn replay(trace: impl BufRead, languages: &[Language]) -> Result<Replay, Fault> {
    play::play(trace, &mut |name, is| {
        let node = languages.iter().find_map(|language| language.traced(name, is));
        node.ok_or_else(|| Wrong::new("no such node is known here", known(languages)))
    })
}

/// Replays a trace of one core, by the node that a name and its `is` mean.
///
/// # Errors
///
/// As those of [`replay`].
pub fn replay_core<C: Data + 'static>(
    trace: impl BufRead,
    mut node: impl FnMut(&str, &str) -> Option<CoreNode<C>>,
) -> Result<Replay, Fault> {
    play::play(trace, &mut |name, is| match node(name, is) {
        Some(node) => Ok(Box::new(node)),
        None => {
            Err(Wrong::new("no such node is known here", "replay it with the cores that it is of"))
        }
    })
}

/// Plays a scenario, and gives its run as a trace.
///
/// # Errors
///
/// [`Fault`] at the first line that cannot be played, or of a node whose core is no data.
pub fn of_scenario(text: &str, languages: &[Language]) -> Result<String, Fault> {
    let script = Script::read(text)?;
    let mut trace = HEAD.to_owned();
    let mut mute = None;
    perform(&script, languages, &mut |step, _, line| {
        if step.admits_strangers() {
            return;
        }
        if step.is_entry {
            trace += &entry_line(&step.line.name, &step.line.text);
            return;
        }
        match line() {
            Some(line) => trace += &line,
            None => mute = mute.take().or_else(|| Some(step.line.clone())),
        }
    })?;
    match mute {
        None => Ok(trace),
        Some(line) => Err(Fault {
            line: line.number,
            text: line.text,
            because: "the inputs and effects of this node are no data".into(),
            help: "a node is data as a `TracedNode`".into(),
        }),
    }
}
