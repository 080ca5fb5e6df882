//! The driver from outside: its server over real HTTP, its client against it, its store on a disk.

mod additions;
mod http;
mod protocol;
mod replay;
mod simulation;
mod store;
