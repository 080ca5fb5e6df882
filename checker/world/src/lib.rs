#![doc = include_str!("../README.md")]
//!
//! # Design
//!
//! A state is a vector of parts: one for each node, one for each link, the monitor and the
//! remaining budgets. What a part does is a pure function of that part ([`node`], [`link_part`],
//! [`monitor`]); how parts act on each other is defined once ([`parts`]), for every search,
//! stateright's too.

mod apply;
pub mod budget;
pub mod calls;
mod channel;
mod core_node;
mod discharge;
mod enabled;
pub mod error;
pub mod fault;
pub mod link;
pub mod link_part;
pub mod monitor;
mod network;
pub mod node;
pub mod node_step;
mod panics;
pub mod parts;
mod possible;
pub mod property;
mod recording;
mod roles;
mod search;
pub mod state;
mod successors;
mod symmetry;
pub mod system;
pub mod trace;
mod transitions;
pub mod value;
mod words;
mod world;

pub use budget::{Budget, BudgetId, RemainingBudgets};
pub use core_node::{CoreNode, Start};
pub use error::WorldError;
pub use fault::Faults;
pub use link::{ChannelOptions, Link, LinkKind, Occurrence, WhenFull};
pub use link_part::LinkPart;
pub use monitor::{MonitorPart, Observation, Violation, ViolationKind};
pub use network::{Direction, NetworkChange, NodeId};
pub use node::{Event, NodePart};
pub use parts::Part;
pub use property::{PossibleAction, Predicate, Property, Reads, TemporalFormula, View};
pub use recording::{JudgedVariant, WorldRecording};
pub use roles::{Node, TimeRelation};
pub use search::{AnyWorld, search};
pub use state::{Action, State};
pub use value::{Content, Ordered, Value};
pub use world::World;
