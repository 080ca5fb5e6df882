#![doc = include_str!("../README.md")]
//!
//! # The scenario file
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
//! not armed, a node that has not entered; a lost answer is what the network puts in its place
//! ([`Deliverable`]). [`play`] gives the same text back, with the effects as they are now.
//!
//! [`replay`] says where a file departs from what the cores do. What a running driver did is data
//! instead of words: a trace (`trace`, with the feature of this name).
#![no_std]

extern crate alloc;
#[cfg(feature = "trace")]
extern crate std;

mod compare;
mod language;
mod network;
mod node;
mod replay;
mod script;
#[cfg(feature = "trace")]
pub mod trace;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use language::{Language, Nodes};
pub use network::Network;
pub use node::{CoreNode, Deliverable, Did, Node, Sent, TextFormat, Wrong, effect_words};
pub use replay::{Departure, Replay, replay};
pub use script::{Line, Script, Step};

/// Plays a scenario whose nodes speak one of these languages, and gives its text with the effects
/// as they are; a scenario whose effects are right comes back as it was.
///
/// # Errors
///
/// [`Fault`] at the first line that cannot be played.
pub fn play(text: &str, languages: &[Language]) -> Result<String, Fault> {
    let script = Script::read(text)?;
    let mut all = Vec::new();
    language::perform(&script, languages, &mut |_, effects, _| all.push(effects))?;
    Ok(script.write(&all))
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
