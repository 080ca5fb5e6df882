#![doc = include_str!("../README.md")]
//!
//! # Design
//!
//! A state is made of parts (one a node, one a link, one that remembers for the properties). What
//! a part does is a pure function of that part ([`node`], [`link_part`], [`monitor`]); how parts
//! act on each other is written once ([`parts`]), and every search, stateright's too, runs through
//! it.

mod apply;
pub mod budget;
pub mod calls;
mod core_node;
pub mod error;
pub mod fault;
pub mod link;
pub mod link_part;
mod mail;
pub mod monitor;
pub mod node;
mod offers;
pub mod parts;
pub mod property;
mod relief;
mod search;
pub mod state;
mod symmetry;
pub mod system;
pub mod trace;
pub mod turn;
pub mod value;
mod wiring;
mod words;
mod world;

pub use budget::{Budget, BudgetId, Left};
pub use core_node::CoreNode;
pub use error::WorldError;
pub use fault::Faults;
pub use link::{Chance, Link, LinkKind, Mail};
pub use link_part::LinkPart;
pub use monitor::{MonitorPart, Observation, Violation, ViolationKind};
pub use node::{Event, NodePart};
pub use parts::Part;
pub use property::{Claim, Predicate, Property, View};
pub use state::{Action, State};
pub use value::{Content, Ordered, Value};
pub use wiring::{Cut, NodeId};
pub use world::{Node, Relation, World};
