//! Gives cores a real network, a real store and real users.

pub mod blocking;
pub mod client;
pub mod keychain;
pub mod server;
pub mod wire;
