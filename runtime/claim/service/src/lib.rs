#![doc = include_str!("../README.md")]

pub mod blocking;
pub mod client;
pub mod keychain;
pub mod log_filter;
pub mod server;
pub mod usage;
pub mod wire;
