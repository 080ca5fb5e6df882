//! The host in one program: nodes, stores, transports and processes, on simulated networks and
//! disks and on real ones.

mod node;
mod processes;
#[path = "../../examples/baton/core.rs"]
mod runner;
mod store;
mod transport;
