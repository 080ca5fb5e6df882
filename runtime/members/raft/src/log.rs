//! The log of a member on a store of the host: entries by index, the vote, marks and the snapshot,
//! all of them bytes.
//!
//! A store can be read only once, at the start; so what is not purged stays in memory. Writes
//! become durable in the order of the calls, and a crash keeps a prefix of them. A purge is held
//! back until a snapshot that covers it is written before it: otherwise a crash between the two
//! would lose the entries of both. So are the entries after a purge that lies beyond the log, which
//! would leave a gap.

#[cfg(test)]
mod crash;
mod held;
mod load;
mod mark;
mod note;
mod owner;
pub(crate) mod record;
mod state;

use std::io;
use std::ops::RangeBounds;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use turnstile_host::Bell;
use turnstile_host::store::{Batch, Note, Store};

use crate::writer::{Done, Write, Writer};
use held::HeldPurge;
pub(crate) use mark::Mark;
use record::SnapshotRecord;
use state::{LogState, StoredSnapshot};

/// The size of the parts in which a snapshot is written: a vote or an append waits for one at most.
/// Small in tests, so that snapshots have several.
const CHUNK_BYTES: usize = if cfg!(test) { 256 } else { 1 << 20 };

/// The log grows by this part of the last snapshot before the next one, so that snapshots of a
/// large state are not most of what is written.
const SHARE: usize = 4;
/// A growth of so many bytes does not matter.
const SMALL_BYTES: usize = 256 << 10;
/// The maximum size of the entries after a snapshot, which are in memory.
const UNCOVERED_BYTES: usize = 64 << 20;

/// The log of one member.
pub(crate) struct Log {
    state: Mutex<LogState>,
    writer: Writer,
    /// One snapshot is written at a time.
    snapshots: tokio::sync::Mutex<()>,
    /// Rings once: its number is durable.
    begun: Bell,
    note: Mutex<Box<dyn Note>>,
}

impl Log {
    /// Reads the log of this member, or begins one in an empty store.
    ///
    /// # Errors
    /// When the store cannot be read, belongs to another member, or has data that cannot be a log.
    pub(crate) fn open(mut store: Box<dyn Store>, member: u64) -> io::Result<Self> {
        let load::Loaded { mut state, repair } = load::load(&mut *store, member)?;
        let (noted, note) = store.note()?;
        state.noted = noted;
        let writer = Writer::start(store)?;
        writer.write(Write { batch: repair, done: None });
        let (state, snapshots) = (Mutex::new(state), tokio::sync::Mutex::new(()));
        Ok(Self { state, writer, snapshots, begun: Bell::default(), note: Mutex::new(note) })
    }

    /// The vote.
    pub(crate) fn vote(&self) -> Option<Bytes> {
        self.lock().vote.clone()
    }

    /// Replaces the vote, and returns once it is durable.
    ///
    /// # Errors
    /// When the log was closed first.
    pub(crate) async fn put_vote(&self, vote: Bytes) -> io::Result<()> {
        let mut batch = Batch::default();
        batch.put(&record::VOTE, &vote);
        self.lock().vote = Some(vote);
        self.write_and_wait(batch).await
    }

    /// The last entry that is known to be committed; a hint, which may lag behind.
    pub(crate) fn committed(&self) -> Option<Mark> {
        self.lock().committed.clone()
    }

    /// Notes what is committed, with the next write.
    pub(crate) fn put_committed(&self, committed: Option<Mark>) {
        let mut batch = Batch::default();
        match &committed {
            Some(mark) => batch.put_with(&record::COMMITTED, |out| record::put_mark(out, mark)),
            None => batch.remove(&record::COMMITTED),
        }
        let mut state = self.lock();
        (state.committed, state.is_commit_unsynced) = (committed, true);
        self.writer.write(Write { batch, done: None });
    }

    /// The last purged entry, and the bytes of the last entry that is present.
    pub(crate) fn ends(&self) -> (Option<Mark>, Option<Bytes>) {
        let state = self.lock();
        let last = state.entries.last_key_value().map(|(_, entry)| entry.clone());
        (state.purged.clone(), last)
    }

    /// The index of the last entry, purged ones included.
    pub(crate) fn last_index(&self) -> Option<u64> {
        let state = self.lock();
        let purged = state.purged.as_ref().map(|purged| purged.index);
        state.entries.last_key_value().map(|(index, _)| *index).or(purged)
    }

    /// The entries in a range of indices. They end early at `bytes_max`, but not before the first.
    pub(crate) fn entries(&self, range: impl RangeBounds<u64>, bytes_max: usize) -> Vec<Bytes> {
        let mut left = bytes_max;
        let fits = |entry: &Bytes| {
            let is_within = left > 0;
            left = left.saturating_sub(entry.len());
            is_within
        };
        if is_empty(&range) {
            return Vec::new();
        }
        self.lock().entries.range(range).map(|(_, entry)| entry.clone()).take_while(fits).collect()
    }

    /// Appends entries. They can be read at once; `done` is called once they are durable.
    pub(crate) fn append(&self, entries: Vec<(u64, Bytes)>, done: Done) {
        let mut batch = Batch::default();
        let mut state = self.lock();
        state.is_commit_unsynced = false;
        for (index, entry) in entries {
            batch.put(&record::entry(index), &entry);
            state.uncovered_bytes += entry.len();
            state.entries.insert(index, entry);
        }
        self.write_in_order(&mut state, Write { batch, done: Some(done) });
    }

    /// Whether writes of entries wait for a snapshot.
    pub(crate) fn holds_writes(&self) -> bool {
        self.lock().held.as_ref().is_some_and(HeldPurge::holds)
    }

    /// Removes the entries from this index on.
    pub(crate) fn truncate(&self, from: u64) {
        let mut batch = Batch::default();
        let mut state = self.lock();
        for (index, entry) in state.entries.split_off(&from) {
            state.uncovered_bytes = state.uncovered_bytes.saturating_sub(entry.len());
            batch.remove(&record::entry(index));
        }
        self.write_in_order(&mut state, Write { batch, done: None });
    }

    /// Removes the entries up to a mark, which may lie beyond the log. They can no longer be read;
    /// the store keeps them until a snapshot covers them.
    pub(crate) fn purge(&self, upto: Mark) {
        let mut state = self.lock();
        let leaves_gap = state.last_index() < Some(upto.index);
        let kept = state.entries.split_off(&upto.index.saturating_add(1));
        let removed = std::mem::replace(&mut state.entries, kept).into_keys().collect();
        state.purged = Some(upto.clone());
        let purge = HeldPurge::new(upto, removed, leaves_gap);
        let purge = match state.held.take() {
            Some(held) => held.then(purge),
            None => purge,
        };
        if state.is_covered(purge.index()) {
            self.release(purge, Batch::default(), None);
        } else {
            state.held = Some(purge);
        }
    }

    /// The bytes of the last snapshot.
    pub(crate) fn snapshot(&self) -> Option<Bytes> {
        self.lock().snapshot.as_ref().map(|snapshot| snapshot.bytes.clone())
    }

    /// Whether the log has grown so much since the last snapshot, by this number of entries, that a
    /// snapshot is due: it writes the whole state, and a start applies the entries after it again.
    pub(crate) fn is_snapshot_due(&self, entries: u64, every: u64) -> bool {
        let state = self.lock();
        let large = state.snapshot.as_ref().map_or(0, |last| last.bytes.len() / SHARE);
        let is_worth_it = large < SMALL_BYTES || state.uncovered_bytes >= large;
        state.uncovered_bytes >= UNCOVERED_BYTES || (entries >= every && is_worth_it)
    }

    /// Writes a snapshot of the entries up to an index, and returns once it is durable. One that is
    /// older than the present one is ignored.
    ///
    /// # Errors
    /// When the log was closed first.
    pub(crate) async fn put_snapshot(&self, upto: Option<u64>, bytes: Bytes) -> io::Result<()> {
        let _writing = self.snapshots.lock().await;
        let before = self.lock().snapshot.as_ref().map(|snapshot| snapshot.record);
        if before.is_some_and(|before| before.upto > upto) {
            return Ok(());
        }
        let record = SnapshotRecord::after(before, upto, bytes.len().div_ceil(CHUNK_BYTES))?;
        for (key, chunk) in record.keys().zip(bytes.chunks(CHUNK_BYTES)) {
            let mut batch = Batch::default();
            batch.put(&key, chunk);
            self.write_and_wait(batch).await?;
        }
        let mut batch = Batch::default();
        record.put(&mut batch);
        for key in before.iter().flat_map(SnapshotRecord::keys) {
            batch.remove(&key);
        }
        let (done, is_done) = waiter();
        self.publish(StoredSnapshot { record, bytes }, batch, done);
        is_done.await.map_err(io::Error::other)?
    }

    /// Writes the record of a snapshot whose chunks are written, and the purge that waits for it.
    fn publish(&self, snapshot: StoredSnapshot, batch: Batch, done: Done) {
        let mut state = self.lock();
        state.snapshot = Some(snapshot);
        state.uncovered_bytes = state.count_uncovered();
        match state.held.take() {
            Some(held) if state.is_covered(held.index()) => self.release(held, batch, Some(done)),
            held => {
                state.held = held;
                self.writer.write(Write { batch, done: Some(done) });
            }
        }
    }

    /// Writes a purge that is covered, after what is in the batch.
    fn release(&self, held: HeldPurge, mut batch: Batch, done: Option<Done>) {
        let later = held.release(&mut batch);
        self.writer.write(Write { batch, done });
        later.into_iter().for_each(|write| self.writer.write(write));
    }

    /// Queues a change of the entries, behind a purge that is held back if that leaves a gap.
    fn write_in_order(&self, state: &mut LogState, write: Write) {
        let rejected = match &mut state.held {
            Some(held) => held.hold(write),
            None => Some(write),
        };
        if let Some(write) = rejected {
            self.writer.write(write);
        }
    }

    async fn write_and_wait(&self, batch: Batch) -> io::Result<()> {
        let (done, is_done) = waiter();
        self.writer.write(Write { batch, done: Some(done) });
        is_done.await.map_err(io::Error::other)?
    }

    /// Whether the store rejects writes.
    pub(crate) fn is_failing(&self) -> bool {
        self.writer.is_failing()
    }

    /// How many syncs have succeeded, and how long they took together.
    pub(crate) fn syncs(&self) -> (u64, Duration) {
        self.writer.syncs()
    }

    /// Whether the retries of a store that rejects writes have ended.
    pub(crate) fn gives_up(&self) -> bool {
        self.writer.gives_up()
    }

    /// Ends the retries of a store that rejects writes.
    pub(crate) fn give_up(&self) {
        self.writer.give_up();
    }

    /// Syncs and closes the store. Blocks.
    pub(crate) fn close(&self) {
        self.writer.close();
    }

    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn waiter() -> (Done, oneshot::Receiver<io::Result<()>>) {
    let (done, is_done) = oneshot::channel();
    let done = move |result| {
        // The waiter may have been cancelled.
        let _unheard = done.send(result);
    };
    (Box::new(done), is_done)
}

/// Whether a range is empty or reversed: a map refuses it.
fn is_empty(range: &impl RangeBounds<u64>) -> bool {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    match (range.start_bound(), range.end_bound()) {
        (Unbounded, _) | (_, Unbounded) => false,
        (Included(from), Included(to)) => from > to,
        (Included(from), Excluded(to)) | (Excluded(from), Included(to) | Excluded(to)) => {
            from >= to
        }
    }
}

#[cfg(test)]
mod tests {
    use turnstile_host::store::{Disk, Key};

    use super::*;

    fn open(disk: &Disk, member: u64) -> io::Result<Log> {
        Log::open(Box::new(disk.open()), member)
    }

    /// A disk with a log of member 1 and the entries 0 to 3, of which those up to 1 are purged.
    async fn disk() -> Disk {
        let disk = Disk::default();
        let log = open(&disk, 1).expect("the disk is empty");
        let (done, is_done) = waiter();
        log.append((0..4).map(|index| (index, Bytes::from(vec![7; 3]))).collect(), done);
        is_done.await.expect("it is called").expect("the disk works");
        log.put_snapshot(Some(2), Bytes::from(vec![1; 700])).await.expect("the disk works");
        log.purge(Mark { index: 1, id: Bytes::from("id") });
        log.close();
        disk
    }

    #[tokio::test]
    async fn a_log_starts_with_what_it_had() {
        let log = open(&disk().await, 1).expect("the log is whole");
        assert_eq!(log.ends().0, Some(Mark { index: 1, id: Bytes::from("id") }));
        assert_eq!(log.entries(.., usize::MAX).len(), 2);
        assert_eq!(log.entries(.., 1).len(), 1, "the first is read in any case");
        assert_eq!(log.snapshot(), Some(Bytes::from(vec![1; 700])));
        log.close();
    }

    #[tokio::test]
    async fn what_no_crash_can_leave_is_refused() {
        let other = open(&disk().await, 2).err().expect("it is another's").to_string();
        assert!(other.ends_with("the log belongs to member 1, not to 2"), "{other}");
        let chunk = Key::numbered(record::CHUNK_KIND, (1 << 32) + 1);
        let damages = [
            (record::entry(2), None, "the entry before 3 is missing"),
            (record::SNAPSHOT, None, "no snapshot has the entries up to 1, which are purged"),
            (chunk, None, "the snapshot is incomplete"),
            (record::OWNER, Some(9), "has version 9, and this program reads version 17: start"),
            (Key::single(99), Some(0), "a value of kind 99"),
        ];
        for (key, value, refusal) in damages {
            let (mut store, mut batch) = (disk().await.open(), Batch::default());
            match value {
                Some(byte) => batch.put(&key, &[byte; 9]),
                None => batch.remove(&key),
            }
            store.write(&batch);
            store.sync().expect("the disk works");
            let error = Log::open(Box::new(store), 1).err().expect("it is damaged").to_string();
            assert!(error.contains(refusal), "{error}");
        }
    }
}
