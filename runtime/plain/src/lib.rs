#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod plain;
mod rules;
mod types;

pub use plain::{Outgoing, Plain, Receivers, SavedParts, SentValue};
pub use rules::{Change, Operand, PlainRules, Update, Values, Variable};
pub use types::{Command, Message, Notice, Peer, State, Timer};
