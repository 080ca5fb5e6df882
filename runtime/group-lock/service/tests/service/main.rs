//! Members of groups in one program: over TCP in one process, in simulated time, and the program
//! `grouplock`.

mod members;
#[cfg(feature = "cli")]
mod program;
mod simulation;
mod state;
