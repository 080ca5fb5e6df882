//! The log as openraft's storage.

#![expect(clippy::result_large_err, reason = "the size of the error is that of openraft")]

use std::fmt::Debug;
use std::io;
use std::ops::RangeBounds;
use std::sync::Arc;

use bytes::Bytes;
use openraft::storage::{LogFlushed, RaftLogStorage};
use openraft::{
    AnyError, LogId, LogState, OptionalSend, RaftLogReader, StorageError, StorageIOError, Vote,
};

use crate::engine::log::answered::Answered;
use crate::engine::log::encoding::{decode, encode};
use crate::engine::log::entry::{Entry, EntryHead, TypeConfig};
use crate::engine::log::unsynced::Unsynced;
use crate::log::{Log, Mark};

/// The size of the entries that are sent in one request; a larger one is sent alone.
const REQUEST_BYTES: usize = 1 << 20;

type Stored<T> = Result<T, StorageError<u64>>;

/// Openraft's view of the [`Log`] of a member.
#[derive(Clone)]
pub(crate) struct LogStore {
    pub(crate) log: Arc<Log>,
    pub(crate) id: u64,
    /// The number of the process of this member.
    pub(crate) process: u64,
    pub(crate) unsynced: Arc<Unsynced>,
    pub(crate) answered: Arc<Answered>,
}

/// A member that led does not lead again in the same term after a restart. Openraft would let it
/// (its issue 1511), and confirm reads before the member knows again which entries were committed.
fn without_leadership(vote: Vote<u64>, id: u64) -> Vote<u64> {
    Vote { committed: vote.committed && vote.leader_id.voted_for() != Some(id), ..vote }
}

impl RaftLogReader<TypeConfig> for LogStore {
    async fn try_get_log_entries<RB: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: RB,
    ) -> Stored<Vec<Entry>> {
        self.log.entries(range, usize::MAX).iter().map(entry).collect()
    }

    async fn limited_get_log_entries(&mut self, start: u64, end: u64) -> Stored<Vec<Entry>> {
        self.log.entries(start..end, REQUEST_BYTES).iter().map(entry).collect()
    }
}

impl RaftLogStorage<TypeConfig> for LogStore {
    type LogReader = Self;

    async fn get_log_state(&mut self) -> Stored<LogState<TypeConfig>> {
        let (purged, last) = self.log.ends();
        let last_purged_log_id = purged.map(|mark| log_id(&mark)).transpose()?;
        let last = last.as_ref().map(|last| decode::<EntryHead>(last)).transpose();
        let last = last.map_err(unreadable)?.map(|head| head.id);
        Ok(LogState { last_purged_log_id, last_log_id: last.or(last_purged_log_id) })
    }

    async fn get_log_reader(&mut self) -> Self {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote<u64>) -> Stored<()> {
        let written = self.log.put_vote(encode(vote)).await;
        written.map_err(|error| StorageIOError::write_vote(&error))?;
        self.unsynced.vote(*vote, self.id);
        Ok(())
    }

    async fn read_vote(&mut self) -> Stored<Option<Vote<u64>>> {
        let vote = self.log.vote().map(|vote| decode::<Vote<u64>>(&vote)).transpose();
        let vote = vote.map_err(|error| StorageIOError::read_vote(&error))?;
        Ok(vote.map(|vote| without_leadership(vote, self.id)))
    }

    async fn save_committed(&mut self, committed: Option<LogId<u64>>) -> Stored<()> {
        self.answered.set_committed(committed);
        self.log.put_committed(committed.as_ref().map(mark));
        Ok(())
    }

    async fn read_committed(&mut self) -> Stored<Option<LogId<u64>>> {
        Ok(self.answered.committed())
    }

    async fn append<I>(&mut self, entries: I, callback: LogFlushed<TypeConfig>) -> Stored<()>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let (mut last, mut encoded) = (None, Vec::new());
        for mut entry in entries {
            let EntryHead { id, process } = entry.head();
            if process == 0 && id.leader_id.voted_for() == Some(self.id) {
                entry.written_by(self.process);
            }
            last = Some(id);
            encoded.push((id.index, encode(&entry)));
        }
        // A write that waits for a snapshot is not in the order of the votes.
        match last.filter(|last| !self.log.holds_writes() && self.unsynced.begin(*last)) {
            Some(last) => {
                let unsynced = Arc::clone(&self.unsynced);
                self.log.append(encoded, Box::new(move |done| unsynced.end(last, &done)));
                callback.log_io_completed(Ok(()));
            }
            None => self.log.append(encoded, Box::new(|done| callback.log_io_completed(done))),
        }
        Ok(())
    }

    async fn truncate(&mut self, from: LogId<u64>) -> Stored<()> {
        self.log.truncate(from.index);
        Ok(())
    }

    async fn purge(&mut self, upto: LogId<u64>) -> Stored<()> {
        self.log.purge(mark(&upto));
        Ok(())
    }
}

fn entry(bytes: &Bytes) -> Stored<Entry> {
    decode(bytes).map_err(unreadable)
}

fn unreadable(error: io::Error) -> StorageError<u64> {
    StorageIOError::read_logs(AnyError::new(&error)).into()
}

pub(crate) fn mark(id: &LogId<u64>) -> Mark {
    Mark { index: id.index, id: encode(id) }
}

fn log_id(mark: &Mark) -> Stored<LogId<u64>> {
    decode(&mark.id).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use openraft::CommittedLeaderId;
    use openraft::entry::RaftEntry as _;
    use openraft::storage::RaftLogStorageExt as _;
    use turnstile_host::store::Disk;

    use super::*;

    const OWN: u64 = 1;

    fn id(term: u64, leader: u64, index: u64) -> LogId<u64> {
        LogId::new(CommittedLeaderId::new(term, leader), index)
    }

    /// What a future has when it is polled once.
    async fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        tokio::select! { biased; value = future => Some(value), () = async {} => None }
    }

    #[tokio::test]
    async fn only_a_leaders_own_entries_are_written_before_their_sync() {
        let disk = Disk::default();
        let log = Arc::new(Log::open(Box::new(disk.open()), OWN).expect("it is empty"));
        let answered = Answered::open(Arc::clone(&log)).expect("it is empty");
        let unsynced = Arc::default();
        let mut store = LogStore { log, id: OWN, process: 1, unsynced, answered };
        store.save_vote(&Vote::new_committed(2, OWN)).await.expect("the disk works");
        disk.set_full(true);
        let written = now(store.blocking_append([Entry::new_blank(id(2, OWN, 0))])).await;
        assert!(matches!(written, Some(Ok(()))), "{written:?}");
        let applied = now(store.unsynced.wait(Some(id(2, OWN, 0)))).await;
        assert!(applied.is_none(), "it is not synced");
        let of_another = now(store.blocking_append([Entry::new_blank(id(1, 3, 1))])).await;
        assert!(of_another.is_none(), "{of_another:?}");
        // A vote would be synced before what waits for a snapshot.
        store.purge(id(1, 3, 9)).await.expect("it is queued");
        let held = now(store.blocking_append([Entry::new_blank(id(2, OWN, 10))])).await;
        assert!(held.is_none(), "{held:?}");
    }
}
