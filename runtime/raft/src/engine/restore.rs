//! A log that begins with the state of another group.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use bytes::Bytes;
use openraft::{BasicNode, CommittedLeaderId, LogId, Membership, StoredMembership, Vote};

use super::log_store::{decode, encode, mark};
use super::machine::{Meta, SnapshotHead};
use crate::group::Group;
use crate::log::Log;
use crate::snapshot::SnapshotParts;

/// What a snapshot says about a log that has written nothing.
pub(crate) fn unwritten() -> Bytes {
    encode(&SnapshotHead { meta: Meta::default(), version: 1 })
}

/// Writes a state into an empty log: as a snapshot whose members are those of the new group. Each
/// of them that does it with the same state and list has the same log.
///
/// # Errors
/// When the log is not empty, or the state is none of a log.
pub(crate) async fn restore(
    log: &Log,
    member: u64,
    parts: &SnapshotParts,
    group: &Group,
) -> io::Result<()> {
    if !log.is_empty() {
        let text = "the store has a log already: a state is restored into an empty one";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    let SnapshotHead { mut meta, version } = decode(&parts.meta)?;
    let first = LogId::new(CommittedLeaderId::new(0, 0), 0);
    let last = meta.last_log_id.unwrap_or(first);
    let ids: BTreeSet<u64> = group.members.keys().copied().collect();
    let nodes: BTreeMap<u64, BasicNode> =
        group.members.iter().map(|(id, address)| (*id, BasicNode::new(address))).collect();
    meta.last_log_id = Some(last);
    meta.last_membership = StoredMembership::new(Some(last), Membership::new(vec![ids], nodes));
    meta.snapshot_id = format!("{last}-restored-{:x}", group.origin.unwrap_or_default());
    let parts =
        SnapshotParts { meta: encode(&SnapshotHead { meta, version }), state: parts.state.clone() };
    log.put_group(group.encode());
    // The first term of the new group is after all of the former one.
    let term = last.leader_id.term.strict_add(1);
    log.put_vote(encode(&Vote::new(term, member))).await?;
    log.put_snapshot(Some(last.index), parts.encode()).await?;
    log.purge(mark(&last));
    log.begin().await
}
