//! The searches over a World.

pub mod breadth;
pub mod check;
mod chunk;
pub mod engine;
pub mod fingerprint;
mod frontier;
pub mod interned;
pub mod judged;
pub mod label;
pub mod live;
pub mod log;
pub mod record;
pub mod reference;
mod rendezvous;
pub mod replay;
mod seen;
pub mod space;
mod worker;
