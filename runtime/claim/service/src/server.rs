//! `turnstiled`: the claim server around the record core.
//!
//! HTTP requests become inputs of the core; its effects become timers, writes and responses. The
//! core alone decides the response; this module never decides by a claim's status.

mod abort_on_drop;
mod audit;
mod auth;
mod auth_throttle;
mod authenticate;
mod call;
mod claim_engine;
#[cfg(feature = "cluster")]
mod cluster;
mod connection;
mod connection_state;
mod digest;
mod disconnect;
mod entries;
mod handle;
#[cfg(test)]
mod histories;
mod host;
mod html;
mod http;
mod incoming;
mod index;
mod listen;
mod listing;
mod login_page;
#[cfg(feature = "cluster")]
mod members;
mod metrics;
mod network;
mod options;
mod origin;
mod outlet;
mod page;
mod quota;
mod record;
mod reply;
mod response;
mod restore;
mod retention;
mod route;
mod runtime;
mod saved;
mod serve;
mod service;
mod session;
mod slots;
mod streamed;
mod tls;
mod token_file;
mod watch;
mod write_timeout;

pub use audit::Audit;
pub use auth::Tokens;
#[cfg(feature = "cluster")]
pub use cluster::{ClusterOptions, Snapshot};
pub use host::{Hosts, PublicUrl, read_name};
pub use listen::{Accept, TakenAddress, TryWrite};
pub use options::Options;
pub use retention::Quotas;
pub use runtime::{runtime, runtime_that_releases};
pub use serve::{Server, Storage};
pub use tls::ServerTls;
