//! `turnstiled`: the claim server around the record core.
//!
//! HTTP in, inputs to the core, effects out to timers, store and answers. Which answer a request
//! gets is decided by the core alone; nothing here looks at a claim's status to decide anything.

mod admit;
mod audit;
mod auth;
mod book;
mod call;
mod connection;
mod digest;
mod ear;
mod engine;
mod entry;
mod guesses;
mod handle;
#[cfg(test)]
mod histories;
mod host;
mod http;
mod listen;
mod listing;
mod metrics;
mod network;
mod open;
mod page;
mod patience;
mod quota;
mod reply;
mod route;
mod runtime;
mod saved;
mod seat;
mod serve;
mod service;
mod session;
mod slots;
mod streamed;
mod tls;
mod token_file;
mod watch;

pub use audit::Audit;
pub use auth::Tokens;
pub use host::{Hosts, PublicUrl, read_name};
pub use listen::{Accept, LastWord};
pub use quota::Quotas;
pub use runtime::runtime;
pub use serve::{Options, Server, Storage};
pub use tls::ServerTls;
