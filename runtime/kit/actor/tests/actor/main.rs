//! Compiled tables as actors: alone, as members of a system, and as Rust that is checked in.

mod http;
mod members;
mod order;
mod parcel;
mod rendered;
