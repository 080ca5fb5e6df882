//! The replicated log in one program: groups in real time, and members in a simulated one.

mod cluster;
mod register;
mod simulation;
