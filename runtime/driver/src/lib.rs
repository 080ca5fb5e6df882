//! Gives cores a real network, a real store and real users.

pub mod client;
pub mod server;
pub mod store;
pub mod trace;
pub mod wire;
