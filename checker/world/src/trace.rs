//! The steps of a trace as text, for reports.

use std::fmt;

use serde::{Serialize, Serializer};

/// The [`StepReport::node`] of a step that no node takes: a loss or a delay.
pub const NETWORK: &str = "network";

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepReport {
    /// The node that took it, `client 1`, or [`NETWORK`].
    pub node: String,
    /// The event: `response (503)`, `retry timer triggers`, `lost answer to client 1`.
    pub event: String,
    /// The rows taken, by id, joined by `, `; empty where no row was taken.
    pub row: String,
    /// The same rows, each with its machine.
    #[serde(skip)]
    pub rows: Vec<TakenRow>,
    /// The sender of the message delivered, if there is one.
    pub from: Option<String>,
    /// Its effects, in order.
    pub effects: Vec<EffectReport>,
    /// The state of the node after it, if the node displays one: `Registering`.
    #[serde(skip)]
    pub state: Option<String>,
}

/// A row that a step takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TakenRow {
    /// The machine whose table has it.
    pub machine: String,
    /// Its id.
    pub id: String,
    /// Its place in the table's file: `claim.yaml:210`; empty where no file is known.
    pub place: String,
}

/// An effect of a step, for the sequence diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EffectReport {
    /// A message was sent.
    Sends {
        /// The receiver.
        to: String,
        /// A short text: `POST`, `409`.
        message: String,
    },
    /// Any other effect as a short text: `arms renew timer`, `tells user: acquired`, `saves`; or
    /// why there is none: `ignored in state departed`.
    Does(String),
}

impl fmt::Display for EffectReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sends { to, message } => write!(f, "sends {message} to {to}"),
            Self::Does(what) => f.write_str(what),
        }
    }
}

impl Serialize for EffectReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `1 fault`, `3,000 faults`, `2 searches`, `2 properties`.
#[must_use]
pub fn counted(number: u64, word: &str) -> String {
    let (stem, ending) = match word.strip_suffix('y') {
        _ if number == 1 => (word, ""),
        Some(stem) => (stem, "ies"),
        None if word.ends_with("ch") => (word, "es"),
        None => (word, "s"),
    };
    format!("{} {stem}{ending}", grouped(number))
}

/// `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
