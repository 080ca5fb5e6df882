#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod compiled;
mod plain;
mod rules;
mod types;
#[cfg(feature = "system")]
mod wiring;

pub use compiled::Compiled;
pub use plain::{Outgoing, Plain, Receivers, SavedParts, SentValue};
pub use rules::{Declared, PlainRules, Values, Variable, Wiring};
pub use turnstile_machine::{Operand, Update, VariableChange};
pub use types::{Command, Message, Notice, Peer, State, Timer};
#[cfg(feature = "system")]
pub use wiring::outgoing;
