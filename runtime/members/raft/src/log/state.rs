//! What a log has in memory.

use std::collections::BTreeMap;

use bytes::Bytes;
use turnstile_host::store::NoteValue;

use super::held::HeldPurge;
use super::mark::Mark;
use super::record::SnapshotRecord;

/// The log, as its store has it or soon will.
#[derive(Debug, Default)]
pub(super) struct LogState {
    pub(super) number: u64,
    pub(super) group: Option<Bytes>,
    /// Empty while it is unknown.
    pub(super) application: String,
    pub(super) founding: Option<Bytes>,
    pub(super) vote: Option<Bytes>,
    pub(super) committed: Option<Mark>,
    /// Whether what is committed was noted after the last write that is synced.
    pub(super) is_commit_unsynced: bool,
    pub(super) noted: Option<NoteValue>,
    pub(super) purged: Option<Mark>,
    pub(super) entries: BTreeMap<u64, Bytes>,
    /// The size of the entries that the snapshot does not cover.
    pub(super) uncovered_bytes: usize,
    pub(super) snapshot: Option<StoredSnapshot>,
    pub(super) held: Option<HeldPurge>,
}

/// A snapshot, with its place in the store.
#[derive(Clone, Debug)]
pub(super) struct StoredSnapshot {
    pub(super) record: SnapshotRecord,
    pub(super) bytes: Bytes,
}

impl LogState {
    /// The last index that is present or purged.
    pub(super) fn last_index(&self) -> Option<u64> {
        let last = self.entries.last_key_value().map(|(index, _)| *index);
        last.or(self.purged.as_ref().map(|mark| mark.index))
    }

    /// The size of the entries that the snapshot does not cover, as they are now.
    pub(super) fn count_uncovered(&self) -> usize {
        let upto = self.snapshot.as_ref().and_then(|snapshot| snapshot.record.upto);
        let first = upto.map_or(0, |upto| upto.saturating_add(1));
        self.entries.range(first..).map(|(_, entry)| entry.len()).sum()
    }

    /// Whether a snapshot up to this index is written.
    pub(super) fn is_covered(&self, index: u64) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.record.upto >= Some(index))
    }
}
