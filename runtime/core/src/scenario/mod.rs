//! Scenario files: a run written down, line by line, that a person reads and a test plays again.
//!
//! ```text
//! A renewal that is not answered is tried again
//!
//! A paragraph on what goes wrong and what comes of it.
//!
//! client 1 is a claim client of resource 1
//! server is a claim server
//!
//! client 1 is told claim with key 5
//!   sends server: call 0: POST resource 1 key 5
//!   arms timeout timer
//!
//! # A line of this kind explains what follows.
//! server hears client 1: call 0: POST resource 1 key 5
//!   …
//! ```
//!
//! A line that is not indented is a node and its input; the indented ones below are the effects.
//! A timer that was disarmed when its time was over already `fires late`.
//! The runner knows nodes only. It refuses a message that no earlier line sent, a timer that is
//! not armed, a node that is not on stage; a lost answer is what the network puts in its place
//! ([`Travels`]). [`play`] gives the same text back, with the effects as they are now.
//!
//! What a running driver did is noted in the same words ([`step_words`]): a trace is a scenario
//! that says which rows were taken, too, in which `everyone else is a stranger`, whose messages are
//! taken as they are written. [`replay`] says where a file departs from what the cores do.

mod actor;
mod claim;
mod group;
mod ranges;
mod read;
mod replay;
mod replicated;
mod script;
mod stack;
mod stage;
mod view;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use actor::{
    Actor, Did, Node, Sent, Travels, Words, Wrong, effect_words, input_words, step_words,
};
pub use claim::{cast, server_words};
pub use replay::{Departure, Replay, replay};
pub use script::{Line, Scene, Script};
pub use stage::Stage;

/// Who may enter, for whoever let someone else in.
const CAST: &str = "known are `claim client of resource N`, `keychain`, both perhaps `that waits`, \
                    `claim server`, perhaps `with room for N waiting and N over`, and `fence`; \
                    or, all of them, `member of view N of N, N` and `member of no group`; \
                    or `member with locks`, all of them, or all of them with locks \
                    `of view N of N`, alone, and `of no group`; \
                    or `host N is a cache manager` and `file server is a server of files`; \
                    or `member`, `follower` and `leader at address N`";

/// Plays a scenario by the tables that are baked in, and gives its text with the effects as they
/// are; a scenario whose effects are right comes back as it was.
///
/// # Errors
///
/// [`Fault`] at the first line that cannot be played.
pub fn play(text: &str) -> Result<String, Fault> {
    let script = Script::read(text)?;
    let mut all = Vec::new();
    perform(&script, |_, effects| all.push(effects))?;
    Ok(script.write(&all))
}

/// Plays a script whose nodes all speak one language: that of the first
/// that is on stage.
fn perform(script: &Script, each: impl FnMut(&Scene, Vec<String>)) -> Result<(), Fault> {
    let mut nodes = script.scenes.iter().filter(|scene| !scene.admits_strangers());
    match nodes.next().map(|scene| &scene.line) {
        Some(Line { name, text, .. }) if view::cast(name, text).is_some() => {
            script.play(view::cast, each)
        }
        Some(Line { name, text, .. }) if group::cast(name, text).is_some() => {
            script.play(group::cast, each)
        }
        Some(Line { name, text, .. }) if stack::cast(name, text).is_some() => {
            script.play(stack::cast, each)
        }
        Some(Line { name, text, .. }) if ranges::cast(name, text).is_some() => {
            script.play(ranges::cast, each)
        }
        Some(Line { text, .. }) if replicated::cast(text).is_some() => {
            script.play(|_, what| replicated::cast(what), each)
        }
        Some(_) | None => script.play(|_, what| cast(what), each),
    }
}

/// A line that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, counted from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
    /// What is wrong with it.
    pub because: String,
    /// What would be right.
    pub help: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, text, because, help } = self;
        write!(f, "line {line}: {because}: `{text}`\nhelp: {help}")
    }
}

impl core::error::Error for Fault {}
