//! Reads a log from its store, and refuses what no crash can leave.

use std::collections::BTreeMap;
use std::io;

use bytes::Bytes;
use turnstile_host::random_bytes;
use turnstile_host::store::{Batch, Key, Store};

use super::record::{self, SnapshotRecord, invalid};
use super::state::{LogState, StoredSnapshot};

/// The content of a store.
pub(super) struct Loaded {
    pub(super) state: LogState,
    /// What the first write puts right: an empty store gets its owner, and the chunks of snapshots
    /// that were interrupted are removed.
    pub(super) repair: Batch,
}

#[derive(Default)]
struct Content {
    owner: Option<Vec<u8>>,
    record: Option<SnapshotRecord>,
    chunks: BTreeMap<Key, Vec<u8>>,
    state: LogState,
}

pub(super) fn load(store: &mut dyn Store, member: u64) -> io::Result<Loaded> {
    let mut content = Content::default();
    let mut is_empty = true;
    store.read(&mut |key, value| {
        is_empty = false;
        content.take(key, value)
    })?;
    let mut repair = Batch::default();
    content.state.number = match &content.owner {
        Some(owner) => record::check_owner(owner, member)?,
        None if is_empty => {
            let number = u64::from_le_bytes(random_bytes()?);
            repair.put(&record::OWNER, &record::owner(member, number));
            number
        }
        None => return Err(invalid("it has no owner")),
    };
    let Content { record, chunks, mut state, .. } = content;
    state.snapshot = snapshot(record, chunks, &mut repair)?;
    state.uncovered_bytes = state.count_uncovered();
    check_entries(&state)?;
    drop_unknown_commit(&mut state);
    Ok(Loaded { state, repair })
}

impl Content {
    fn take(&mut self, key: &Key, value: &[u8]) -> io::Result<()> {
        let bytes = || Bytes::copy_from_slice(value);
        match (key.kind(), key.number()) {
            (record::ENTRY_KIND, Some(index)) => {
                self.state.entries.insert(index, bytes());
            }
            (record::CHUNK_KIND, Some(_)) => {
                self.chunks.insert(*key, value.to_vec());
            }
            (_, _) if *key == record::GROUP => self.state.group = Some(bytes()),
            (_, _) if *key == record::FOUNDING => self.state.founding = Some(bytes()),
            (_, _) if *key == record::APPLICATION => {
                self.state.application = String::from_utf8_lossy(value).into_owned();
            }
            (_, _) if *key == record::OWNER => self.owner = Some(value.to_vec()),
            (_, _) if *key == record::VOTE => self.state.vote = Some(bytes()),
            (_, _) if *key == record::PURGED => self.state.purged = Some(record::mark(value)?),
            (_, _) if *key == record::COMMITTED => {
                self.state.committed = Some(record::mark(value)?);
            }
            (_, _) if *key == record::SNAPSHOT => {
                self.record = Some(SnapshotRecord::read(value)?);
            }
            (kind, _) => return Err(invalid(&format!("it has a value of kind {kind}"))),
        }
        Ok(())
    }
}

/// The snapshot of a record; other chunks are to be removed.
fn snapshot(
    record: Option<SnapshotRecord>,
    mut chunks: BTreeMap<Key, Vec<u8>>,
    repair: &mut Batch,
) -> io::Result<Option<StoredSnapshot>> {
    let mut stored = None;
    if let Some(record) = record {
        let sizes = record.keys().filter_map(|key| chunks.get(&key)).map(Vec::len);
        let mut bytes = Vec::with_capacity(sizes.sum());
        for key in record.keys() {
            let chunk = chunks.remove(&key);
            bytes.extend_from_slice(&chunk.ok_or_else(|| invalid("the snapshot is incomplete"))?);
        }
        stored = Some(StoredSnapshot { record, bytes: bytes.into() });
    }
    chunks.keys().for_each(|key| repair.remove(key));
    Ok(stored)
}

/// The entries follow each other and what is purged, which a snapshot covers.
fn check_entries(state: &LogState) -> io::Result<()> {
    if let Some(purged) = &state.purged
        && !state.is_covered(purged.index)
    {
        let text = format!("no snapshot has the entries up to {}, which are purged", purged.index);
        return Err(invalid(&text));
    }
    let mut expected = state.purged.as_ref().map(|purged| purged.index + 1);
    for index in state.entries.keys() {
        if expected.is_some_and(|expected| expected != *index) {
            return Err(invalid(&format!("the entry before {index} is missing")));
        }
        expected = Some(index + 1);
    }
    Ok(())
}

/// The commit of entries that wait for a purge may be durable before them.
fn drop_unknown_commit(state: &mut LogState) {
    let known = state.last_index();
    state.committed = state.committed.take().filter(|committed| Some(committed.index) <= known);
}
