#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod actions;
mod context;
mod display;
mod handler;
mod merge;
mod message;
pub mod number;
pub mod scenario;
mod state;
mod step;
mod types;
mod view_delivery;

pub use handler::{Command, Handler, MACHINE, Notice, Timer};
pub use message::{MembershipRequest, Message};
pub use state::{
    Exclusion, Installation, Intent, Merge, MergeLeader, MissedMerge, QUEUE_MAX, State,
};
pub use types::{MemberId, Members, Suspension, View};
