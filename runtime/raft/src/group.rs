//! The identity of a group: the name and the members with which it began.

use std::fmt;
use std::hash::Hasher as _;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::error::Members;

/// A group, by its beginning: members that began with another name or another list are of another
/// group, although they have the same addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) members: Members,
    /// What the group was restored from: the checksum of the snapshot.
    pub(crate) origin: Option<u64>,
}

impl Group {
    /// A short form, to tell two groups apart.
    fn fingerprint(&self) -> u64 {
        let mut hasher = SipHasher13::new();
        hasher.write(&self.encode());
        hasher.finish()
    }

    pub(crate) fn encode(&self) -> Bytes {
        postcard::to_allocvec(self).expect("a list of members can be encoded").into()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, members, origin } = self;
        write!(f, "{name:?} ({:016x}), begun", self.fingerprint())?;
        if origin.is_some() {
            f.write_str(" from a snapshot")?;
        }
        f.write_str(" by")?;
        for (place, (id, address)) in members.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma} {id}={address}")?;
        }
        Ok(())
    }
}
