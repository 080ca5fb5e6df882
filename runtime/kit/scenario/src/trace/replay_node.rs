//! What the replay of a trace needs of a node, whatever its core is.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::InputError;

/// The output of a replayed step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedStep {
    /// The rows that the core takes: a JSON array.
    pub rows: String,
    /// The effects: a JSON array.
    pub effects: String,
    /// The number of rows and effects.
    pub count: usize,
    /// Whether the input is a timer that fires late, after it was disarmed.
    pub was_disarmed: bool,
    /// The message that is the input.
    pub received: Option<Envelope>,
    /// The messages among the effects.
    pub sent: Vec<Envelope>,
}

/// A message of a step and the name of its peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The sender of a message that is received, the receiver of one that is sent.
    pub peer: String,
    /// The message, as JSON.
    pub message: String,
}

/// A node of a trace, whatever its core is.
pub trait ReplayNode {
    /// Takes an input, as JSON.
    ///
    /// # Errors
    ///
    /// It is no input of the core, its timer is not armed, or the core panics.
    fn replay(&mut self, input: &str) -> Result<ReplayedStep, InputError>;
}
