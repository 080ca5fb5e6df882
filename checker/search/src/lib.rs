#![doc = include_str!("../README.md")]

mod barrier;
pub mod bounds;
pub mod breadth_first;
pub mod engine;
pub mod fairness_label;
pub mod fingerprint;
pub mod interned;
pub mod judgement;
pub mod liveness;
mod property_batch;
pub mod replay;
pub mod storage;
pub mod successors;
pub mod trail;
pub mod transition_system;
pub mod variants;
mod worker;
