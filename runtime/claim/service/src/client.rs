//! The client: [`LockClient`] and [`Claim`], async over any connection.
//!
//! The claim core decides about requests, retries, withdrawal and loss; this module sends the
//! requests, runs the timers and informs the user.

mod acquire;
mod builder;
mod claim;
mod clock;
mod cluster;
mod command;
mod driver;
mod entry;
mod error;
mod handle;
mod inherited;
mod keychain_connection;
mod leave_guard;
mod lock_client;
mod query;
mod requests;
mod retry_policy;
mod service;
mod shared;

pub use crate::client::requests::connect::{Connector, Stream};
pub use crate::client::requests::redact::redacted;
pub use crate::client::requests::server_address::ServerAddress;
pub use acquire::Acquire;
pub use builder::LockClientBuilder;
pub use claim::{Changes, Claim, LeaseState};
pub use clock::Clock;
pub use error::{Error, ErrorKind};
pub use inherited::{HELD, InheritedClaims};
pub use leave_guard::LeaveGuard;
pub use lock_client::LockClient;
pub use retry_policy::Rng;
