//! The statuses of a claim, as the protocol spells them.
//!
//! This is spelling only: which status follows which is the core's.

use std::fmt;

/// Where a claim stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// In its resource's queue.
    Waiting,
    /// It holds the lock.
    Active,
    /// Given back by its holder.
    Released,
    /// Given up by a failing client.
    Aborted,
    /// Given up while it waited.
    Withdrawn,
    /// Taken away.
    Revoked,
    /// Its ttl has lapsed and another wanted the resource.
    Expired,
}

impl Status {
    /// All, in the order of the protocol's description.
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Active,
        Self::Released,
        Self::Aborted,
        Self::Withdrawn,
        Self::Revoked,
        Self::Expired,
    ];

    /// The protocol's spelling.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Active => "active",
            Self::Released => "released",
            Self::Aborted => "aborted",
            Self::Withdrawn => "withdrawn",
            Self::Revoked => "revoked",
            Self::Expired => "expired",
        }
    }

    /// The status of a spelling.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
