#![doc = include_str!("../README.md")]

mod actor;
mod core;
mod handle;
mod snapshot;
mod system;

pub use crate::actor::{Actor, ActorInbox, ActorMachine, ActorOptions, Ended};
pub use crate::core::Answer;
#[doc(hidden)]
pub use crate::core::{ActorCore, ActorNotice, Given};
pub use crate::handle::{ActorCounts, Handle};
pub use crate::snapshot::{Migration, Snapshot, SnapshotError};
pub use crate::system::{Member, System};
