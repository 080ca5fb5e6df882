//! What a search stores of states and of what leads from one to another.

pub(crate) mod chunk;
pub mod discovery_log;
pub(crate) mod fingerprint_set;
pub(crate) mod frontier;
pub mod state_graph;
pub mod state_vector;
pub(crate) mod transitions;
