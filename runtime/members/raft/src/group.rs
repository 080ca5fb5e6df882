//! The identity of a group: the name, the members and the logs with which it began.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hasher as _;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::error::Members;

/// A member as the log has it. A member whose log has another number has lost what it acknowledged,
/// and is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MemberNode {
    pub(crate) address: String,
    /// The number of its log.
    pub(crate) log: u64,
}

/// What a group is to begin with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Founding {
    pub(crate) name: String,
    pub(crate) members: Members,
    /// What the group is restored from: the checksum of the snapshot.
    pub(crate) origin: Option<u64>,
}

/// A group, by its beginning: members that began with another name, another list or other logs are
/// of another group, although they have the same addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) founding: Founding,
    /// The numbers of the logs of its first members.
    pub(crate) logs: BTreeMap<u64, u64>,
}

impl Founding {
    pub(crate) fn encode(&self) -> Bytes {
        encode(self)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

impl Group {
    /// The first members, as the log has them.
    pub(crate) fn nodes(&self) -> BTreeMap<u64, MemberNode> {
        let node = |(id, address): (&u64, &String)| {
            let log = self.logs.get(id).copied();
            let log = log.expect("a group has the numbers of all logs");
            (*id, MemberNode { address: address.clone(), log })
        };
        self.founding.members.iter().map(node).collect()
    }

    /// A short form, to tell two groups apart.
    fn fingerprint(&self) -> u64 {
        let mut hasher = SipHasher13::new();
        hasher.write(&self.encode());
        hasher.finish()
    }

    pub(crate) fn encode(&self) -> Bytes {
        encode(self)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let group: Self = postcard::from_bytes(bytes).ok()?;
        group.logs.keys().eq(group.founding.members.keys()).then_some(group)
    }
}

fn encode(value: &impl Serialize) -> Bytes {
    postcard::to_allocvec(value).expect("a list of members can be encoded").into()
}

impl fmt::Display for Founding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { members, origin, .. } = self;
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

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, fingerprint) = (&self.founding.name, self.fingerprint());
        write!(f, "{name:?} ({fingerprint:016x}), begun{}", self.founding)
    }
}
