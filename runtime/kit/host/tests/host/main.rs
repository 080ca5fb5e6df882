//! The host in one program: nodes, stores and transports, on simulated networks and disks and on
//! real ones.

mod node;
#[path = "../../examples/baton/core.rs"]
mod runner;
mod store;
mod transport;
