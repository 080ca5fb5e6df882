//! Compiled tables as actors: alone, as members of a system, as processes, and as Rust that is
//! checked in.

mod http;
mod members;
mod order;
mod parcel;
mod processes;
mod rendered;
