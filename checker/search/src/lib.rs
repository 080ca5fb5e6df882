//! Exhaustive searches over a state that is a list of parts: invariants, reachability and what fair
//! runs do, on any number of threads, with counterexamples that are the shortest.
//!
//! It knows values and symbolic numbers, and nothing of nodes, messages or protocols.

pub mod bounds;
pub mod breadth;
mod chunk;
pub mod engine;
pub mod fingerprint;
mod frontier;
pub mod interned;
pub mod judged;
pub mod label;
pub mod live;
pub mod log;
pub mod parts;
pub mod record;
mod rendezvous;
pub mod replay;
mod seen;
pub mod space;
mod worker;
