//! The client: [`LockClient`] and [`Claim`], async over any connection.
//!
//! The claim core decides about requests, retries, withdrawal and loss; this module sends the
//! requests, runs the timers and informs the user.

mod acquire;
mod answer;
mod builder;
mod call;
mod claim;
mod clock;
mod command;
mod connect;
mod driver;
mod entry;
mod error;
mod explain;
mod handle;
mod inherited;
mod keychain_connection;
mod leave_guard;
mod lock_client;
mod members;
mod pending_request;
mod query;
mod redact;
mod request;
mod retry_policy;
mod server_address;
mod server_list;
mod service;
mod snapshot;
mod watch;

pub use acquire::Acquire;
pub use builder::LockClientBuilder;
pub use claim::{Changes, Claim, LeaseState};
pub use clock::Clock;
pub use connect::{Connector, Stream};
pub use error::{Error, ErrorKind};
pub use inherited::{HELD, InheritedClaims};
pub use leave_guard::LeaveGuard;
pub use lock_client::LockClient;
pub use redact::redacted;
pub use retry_policy::Rng;
pub use server_address::ServerAddress;
