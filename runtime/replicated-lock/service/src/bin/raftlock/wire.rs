//! What the socket of a member is asked for, and its answers: lines of JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use turnstile_local::LockRequest;

/// The first line of a connection.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Waits for a lock and holds it.
    Lock(LockRequest),
    /// The member's status.
    Status,
    /// Adds a member, which runs.
    AddMember {
        /// Its number.
        id: u64,
        /// Its address.
        address: String,
    },
    /// Removes a member.
    RemoveMember {
        /// Its number.
        id: u64,
    },
    /// Saves the state in a file.
    Save {
        /// Its absolute path.
        file: PathBuf,
    },
}

/// The answer to a request that asks for no lock.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// What was asked for is done.
    Done,
    /// The status, as its own object.
    Status(Value),
    /// The request is refused, or has failed.
    Error(String),
    /// Whether the change of the members is or will be made is unknown: it may be asked for again.
    Unknown(String),
    /// The member that is to be removed is none.
    NoMember(String),
}
