//! The statuses of a claim in JSON: the core's words, as strings.

use serde::de::{Deserialize as _, Deserializer, Error as _};
use serde::ser::Serializer;
use turnstile_claim_core::record::Status;

/// Writes the protocol's word.
///
/// # Errors
/// When it cannot be written.
pub fn serialize<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.name())
}

/// Reads the protocol's word.
///
/// # Errors
/// When it is none of them.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Status, D::Error> {
    let name = String::deserialize(deserializer)?;
    Status::from_name(&name).ok_or_else(|| D::Error::custom(format!("{name:?} is not a status")))
}
