//! The group lock: members that are clients and one of them coordinator, and what delivers their
//! views: a membership that comes to anything, or their own view handling.
//!
//! Wiring and predicates only; what a member does is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/group-lock.yaml`.

mod beneath;
mod facts;
mod founded;
mod membership;
mod nodes;
mod predicates;
mod queue;
mod seat;
mod seat_node;
mod system;
mod world;

use system::{member, node};
pub use world::ENTRY;
