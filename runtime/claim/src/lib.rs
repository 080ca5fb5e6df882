//! The claim service on `turnstile-host`: the server, its client, and the protocol between them.

pub mod blocking;
pub mod client;
pub mod keychain;
pub mod server;
pub mod wire;
