//! The view handling system: members of groups that change their views and merge.
//!
//! Wiring and predicates only; what the members do is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/view-handler.yaml`.

mod facts;
mod network;
mod nodes;
mod past;
mod predicates;
mod system;
pub mod words;
mod world;

pub use network::NetworkNode;
use system::member;
pub use system::{HandlerRules, Terms, Views};
pub use world::ENTRY;
