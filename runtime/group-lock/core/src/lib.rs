#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod client;
mod context;
mod coordinator;
mod facts;
mod member;
pub mod message;
mod reconcile;
pub mod scenario;
pub mod stack;
mod state;
mod step;

pub use member::Member;
pub use state::{Command, CoordinatorState, LockState, Notice, State, Timer};
