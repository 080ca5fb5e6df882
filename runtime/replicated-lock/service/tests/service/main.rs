//! The lock service in one program: groups in one process, members in simulated time, and the
//! program `raftlock`.

mod cluster;
#[cfg(feature = "cli")]
mod program;
mod simulation;
