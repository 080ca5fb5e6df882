#![doc = include_str!("../README.md")]
//!
//! # The scenario file
//!
//! ```text
//! A renewal without an answer is retried
//!
//! A paragraph on what goes wrong and what follows.
//!
//! client 1 is a claim client of resource 1
//! server is a claim server
//!
//! client 1 is told claim with key 5
//!   sends server: call 0: POST resource 1 key 5
//!   arms timeout timer
//!
//! # A comment explains what follows.
//! server hears client 1: call 0: POST resource 1 key 5
//!   …
//! ```
//!
//! A line that is not indented declares a node (`NAME is a KIND`) or gives one an input; the
//! indented lines below an input are its effects. A timer that expired before it was disarmed
//! `fires late`. The runner knows no protocol. It refuses a message that no earlier line sent, a
//! timer that is not armed and a node that is not declared; how a network may alter or lose a
//! message is said by [`Deliverable`]. [`play`] returns the same text with the current effects.
//!
//! [`replay`] reports where a file differs from what the cores do. A running service records its
//! steps as data instead of text: a trace (module `trace`, with the feature `trace`).
#![no_std]

extern crate alloc;
#[cfg(feature = "trace")]
extern crate std;

mod compare;
mod error;
mod network;
mod node;
mod protocol;
mod replay;
mod script;
#[cfg(feature = "trace")]
pub mod trace;

use alloc::string::String;
use alloc::vec::Vec;

pub use error::{InputError, LineError};
pub use network::Network;
pub use node::{CoreNode, Deliverable, Node, Sent, StepOutput, TextFormat, effect_text};
pub use protocol::{LinkKind, NodeFactory, Protocol};
pub use replay::{Mismatch, Replay, replay};
pub use script::{Line, Script, ScriptLine};

/// Plays a scenario by one of these protocols and returns its text with the current effects. The
/// text is unchanged if the effects were right.
///
/// # Errors
///
/// The first line that cannot be played.
pub fn play(text: &str, protocols: &[Protocol]) -> Result<String, LineError> {
    let script = Script::parse(text)?;
    let mut all = Vec::new();
    protocol::play_script(&script, protocols, &mut |_, effects, _| all.push(effects))?;
    Ok(script.write(&all))
}
