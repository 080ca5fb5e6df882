//! Nodes of a core of one's own: two runners with a baton, on simulated networks and disks.

mod bounds;
mod broken;
mod faults;
mod seeds;
mod service;
mod traces;
