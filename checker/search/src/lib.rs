#![doc = include_str!("../README.md")]

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
