//! The group lock: members that are clients and one of them coordinator, and what delivers their
//! views: a membership that comes to anything, or their own view handling.
//!
//! Wiring and predicates only; what a member does is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/group-lock.yaml`.

mod facts;
mod founded;
mod membership;
mod predicates;
mod queue;
mod seat;
mod stacked;
mod system;
pub mod types;
mod words;
mod world;

pub use crate::types::{Caller, Command, GroupTypes, Letter, Runs, Seat, State, Timer};
pub use system::{ClientRules, CoordinatorRules, Group};
use system::{member, node};
pub use world::ENTRY;
