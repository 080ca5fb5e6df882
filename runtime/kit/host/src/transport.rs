//! Transports of messages between nodes: in one process, over TCP, or a simulated network.
//!
//! A transport delivers each message at most once, and those of one connection in order. `send`
//! never blocks: a message that cannot be queued is handed back.

mod contract;
mod counts;
pub mod local;
pub mod simulated;
pub mod tcp;
mod unsent;

pub use contract::{Receiver, Transport};
pub use counts::{Counts, Refusal};
pub use unsent::{Unsent, UnsentReason};
