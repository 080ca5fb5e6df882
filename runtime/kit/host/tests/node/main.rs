//! Nodes of a core of one's own: two runners with a baton, on simulated networks and disks.

mod bounds;
mod broken;
mod faults;
#[path = "../seeds/mod.rs"]
mod many;
#[path = "../../examples/baton/core.rs"]
mod runner;
mod seeds;
mod service;
mod traces;
