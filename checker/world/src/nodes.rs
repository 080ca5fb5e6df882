//! Nodes: their cores, their states and their steps.

pub(crate) mod core_node;
pub mod node;
pub(crate) mod node_step;
pub(crate) mod panics;
pub(crate) mod roles;
