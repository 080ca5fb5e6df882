//! The searches over a World.

pub mod breadth;
mod chunk;
pub mod fingerprint;
mod frontier;
pub mod interned;
pub mod log;
pub mod reference;
mod rendezvous;
mod seen;
pub mod space;
pub mod world;
