#![doc = include_str!("../README.md")]

pub mod allocation;
mod barrier;
pub mod bounds;
pub mod breadth_first;
mod chunk;
pub mod discovery_log;
pub mod engine;
pub mod fairness_label;
pub mod fingerprint;
mod fingerprint_set;
mod frontier;
pub mod interned;
pub mod judgement;
pub mod liveness;
mod property_batch;
pub mod replay;
pub mod state_graph;
pub mod state_vector;
pub mod successors;
pub mod trail;
pub mod transition_system;
mod transitions;
pub mod variants;
mod worker;
