//! `turnstiled`: the claim server around the record core.
//!
//! HTTP requests become inputs of the core; its effects become timers, writes and responses. The
//! core alone decides the response; this module never decides by a claim's status.

mod abort_on_drop;
mod access;
mod audit;
#[cfg(feature = "cluster")]
mod cluster;
mod connections;
mod options;
mod runtime;
mod serve;
mod state;
mod web;

pub use crate::server::access::auth::Tokens;
pub use crate::server::connections::listen::{Accept, TakenAddress, TryWrite};
pub use crate::server::connections::tls::ServerTls;
pub use crate::server::state::retention::Quotas;
pub use crate::server::web::host::{Hosts, PublicUrl, read_name};
pub use audit::Audit;
#[cfg(feature = "cluster")]
pub use cluster::{ClusterOptions, Snapshot};
pub use options::Options;
pub use runtime::{runtime, runtime_that_releases};
pub use serve::{Server, Storage};
