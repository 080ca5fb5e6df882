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
//! The runner knows nodes only. It refuses a message that no earlier line sent, a timer that is
//! not armed, a node that is not on stage; a lost answer is what the network puts in its place
//! ([`Travels`]). [`play`] gives the same text back, with the effects as they are now.

mod actor;
mod claim;
mod script;
mod stage;

use alloc::string::String;
use core::fmt;

pub use actor::{Actor, Node, Sent, Travels, Words, effect_words, input_words};
pub use claim::cast;
pub use script::{Line, Script};
pub use stage::Stage;

/// Plays a scenario by the tables that are baked in, and gives its text with the effects as they
/// are; a scenario whose effects are right comes back as it was.
///
/// # Errors
///
/// [`Fault`] at the first line that cannot be played.
pub fn play(text: &str) -> Result<String, Fault> {
    let script = Script::read(text)?;
    let mut stage = Stage::new();
    for line in &script.cast {
        let node = cast(&line.text).ok_or_else(|| line.fault("no such node is known here"))?;
        stage.enter(&line.name, node);
    }
    script.play(&mut stage)
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
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: `{}`", self.line, self.because, self.text)
    }
}

impl core::error::Error for Fault {}
