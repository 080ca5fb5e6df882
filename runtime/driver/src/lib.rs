//! Gives cores a real network, a real store and real users.

pub mod blocking;
pub mod client;
pub mod keychain;
mod random;
pub mod server;
pub mod store;
mod timers;
pub mod trace;
mod trouble;
pub mod wire;
