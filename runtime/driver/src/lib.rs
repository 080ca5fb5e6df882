//! Gives cores a real network, a real store and real users.

pub mod server;
pub mod store;
pub mod wire;
