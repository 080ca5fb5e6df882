#![doc = include_str!("../README.md")]
//!
//! # Design
//!
//! A state is a vector of parts: one for each node, one for each link, the monitor and the
//! remaining budgets. What a part does is a pure function of that part ([`nodes`], [`links`],
//! [`monitor`]); how parts act on each other is defined once ([`parts`]), for every search,
//! stateright's too.

mod actions;
pub mod budget;
pub mod error;
pub mod fault;
pub mod links;
pub mod monitor;
pub mod nodes;
pub mod parts;
pub mod property;
mod recording;
mod search;
pub mod state;
mod step_rules;
mod symmetry;
pub mod system;
pub mod trace;
pub mod value;
pub mod words;
mod world;

pub use crate::links::link::{ChannelOptions, Link, LinkKind, Occurrence, WhenFull};
pub use crate::links::link_part::LinkPart;
pub use crate::links::network::{Direction, NetworkChange, NodeId};
pub use crate::nodes::core_node::{CoreNode, Start};
pub use crate::nodes::node::{Event, NodePart};
pub use crate::nodes::roles::{Node, TimeRelation};
pub use budget::{Budget, BudgetId, RemainingBudgets};
pub use error::WorldError;
pub use fault::Faults;
pub use monitor::{MonitorPart, Observation, Violation, ViolationKind};
pub use parts::Part;
pub use property::{PossibleAction, Predicate, Property, Reads, TemporalFormula, View};
pub use recording::{JudgedVariant, WorldRecording};
pub use search::{AnyWorld, WorldTrace, replay, search, simulate, trace_words};
pub use state::{Action, State};
pub use step_rules::{Breaches, StepRule};
pub use value::{Content, Ordered, Value};
pub use world::World;
