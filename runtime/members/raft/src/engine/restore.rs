//! A log that begins with the state of another group.

use std::io;

use bytes::Bytes;
use openraft::{CommittedLeaderId, LogId, StoredMembership};

use super::snapshot_head::{Meta, SnapshotHead};
use crate::encoding::snapshot::SnapshotParts;
use crate::engine::log::authors::Authors;
use crate::engine::log::encoding::{decode, encode};
use crate::engine::log::log_store::mark;
use crate::group::Founding;
use crate::log::Log;

/// What a snapshot says about a log that has written nothing.
pub(crate) fn unwritten() -> Bytes {
    encode(&SnapshotHead { meta: Meta::default(), version: 1, authors: Authors::default() })
}

/// Writes a state into an empty log: as a snapshot without members, which those of the new group
/// become once they know the numbers of their logs.
///
/// # Errors
/// When the log is not empty, or the state is none of a log.
pub(crate) async fn restore(
    log: &Log,
    parts: &SnapshotParts,
    founding: &Founding,
) -> io::Result<()> {
    if !log.is_empty() {
        let text = "the store has a log already: a state is restored into an empty one";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    let SnapshotHead { mut meta, version, authors } = decode(&parts.meta)?;
    let first = LogId::new(CommittedLeaderId::new(0, 0), 0);
    let last = meta.last_log_id.unwrap_or(first);
    meta.last_log_id = Some(last);
    meta.last_membership = StoredMembership::default();
    meta.snapshot_id = format!("{last}-restored-{:x}", founding.origin.unwrap_or_default());
    let head = encode(&SnapshotHead { meta, version, authors });
    let parts = SnapshotParts { meta: head, state: parts.state.clone() };
    log.put_founding(founding.encode());
    log.put_snapshot(Some(last.index), parts.encode()).await?;
    log.purge(mark(&last));
    log.begin().await
}
