//! What this member has answered for: the entries that it has applied.
//!
//! Raft never drops a committed entry. If a majority has lost its data, or runs with older data, it
//! may elect a leader that lacks one. A member that has applied the entry notices it and stops;
//! openraft relies on it that this does not happen. So the last applied entry is noted before its
//! answers leave: the end of the process keeps the note, and the log has it, synced, a heartbeat
//! later.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use openraft::{CommittedLeaderId, LogId, StorageError, StorageIOError};
use tokio::time::sleep;

use crate::engine::log::authors::{Author, Authors};
use crate::engine::log::encoding::decode;
use crate::engine::log::entry::EntryHead;
use crate::engine::snapshot_head::SnapshotHead;
use crate::log::Log;

type Id = LogId<u64>;

/// The delay between attempts to note an entry.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// The last entry that this member has answered for, and whether it is lost.
pub(crate) struct Answered {
    log: Arc<Log>,
    state: Mutex<AnsweredState>,
    loss: OnceLock<String>,
}

#[derive(Default)]
struct AnsweredState {
    noted: Option<Id>,
    /// The last committed entry, which will be applied.
    committed: Option<Id>,
    authors: Authors,
}

impl Answered {
    /// Reads the note.
    ///
    /// # Errors
    /// When the log ends before the noted entry.
    pub(crate) fn open(log: Arc<Log>) -> io::Result<Arc<Self>> {
        let noted = log
            .noted()
            .map(|[index, term, leader]| LogId::new(CommittedLeaderId::new(term, leader), index));
        let committed = log.committed().map(|mark| decode::<Id>(&mark.id)).transpose()?;
        if let Some(noted) = noted
            && log.last_index() < Some(noted.index)
        {
            let why = format!("the log ends before entry {}", noted.index);
            return Err(io::Error::new(io::ErrorKind::InvalidData, lost(&why)));
        }
        let state =
            AnsweredState { noted, committed: noted.max(committed), authors: Authors::default() };
        Ok(Arc::new(Self { log, state: Mutex::new(state), loss: OnceLock::new() }))
    }

    /// The log in which it is noted.
    pub(crate) fn log(&self) -> Arc<Log> {
        Arc::clone(&self.log)
    }

    /// The last entry that is known to be committed.
    pub(crate) fn committed(&self) -> Option<Id> {
        self.lock().committed
    }

    /// An entry is committed, and so will be applied.
    pub(crate) fn set_committed(&self, id: Option<Id>) {
        let mut state = self.lock();
        state.committed = state.committed.max(id);
    }

    /// Notes an entry that is committed, before this member answers for it. It is retried while the
    /// store rejects it.
    ///
    /// # Errors
    /// When the member stops first.
    pub(crate) async fn note(&self, id: Id) -> Result<(), StorageError<u64>> {
        if self.lock().noted >= Some(id) {
            return Ok(());
        }
        let Id { index, leader_id } = id;
        let mut has_failed = false;
        while let Err(error) = self.log.put_note([index, leader_id.term, leader_id.node_id]) {
            if self.log.gives_up() {
                return Err(StorageIOError::write_logs(&error).into());
            }
            if !std::mem::replace(&mut has_failed, true) {
                tracing::error!(%error, "the store rejects writes: the log waits for it");
            }
            sleep(RETRY_PAUSE).await;
        }
        self.lock().noted = Some(id);
        self.set_committed(Some(id));
        Ok(())
    }

    /// Notes who has written an entry, which is applied.
    pub(crate) fn add_author(&self, entry: &EntryHead) {
        self.lock().authors.add(entry);
    }

    /// Notes who has written what is in a snapshot, which is installed.
    pub(crate) fn set_authors(&self, authors: Authors) {
        self.lock().authors = authors;
    }

    /// Who has written the applied entries.
    pub(crate) fn authors(&self) -> Authors {
        self.lock().authors.clone()
    }

    /// Who has written an entry, which is in the log or applied.
    pub(crate) fn author_of(&self, index: u64) -> Option<Author> {
        let kept = self.log.entries(index..=index, usize::MAX);
        let head = kept.first().and_then(|entry| decode::<EntryHead>(entry).ok());
        head.map(|head| head.author()).or_else(|| self.lock().authors.of(index))
    }

    /// Checks the entries of a leader: that before them, and their own, each with the process that
    /// has written it, if that is known. Of those that must be there the last one decides, since
    /// the logs of two members are equal up to an entry that both have. A leader before that of the
    /// committed entry is refused anyway.
    ///
    /// # Errors
    /// When this member has another committed entry at the place of one of them, or one with its id
    /// that another process has written.
    pub(crate) fn check_entries(
        &self,
        leader: &CommittedLeaderId<u64>,
        sent: impl Iterator<Item = (Id, Option<u64>)>,
    ) -> Result<(), String> {
        let committed = self.committed().filter(|id| id.leader_id <= *leader);
        let (own_last, mut decisive) = (self.log.last_index(), None);
        for (id, process) in sent.take_while(|(id, _)| Some(id.index) <= own_last) {
            let own = self.author_of(id.index);
            let sent = process.map(|process| Author { leader: id.leader_id, process });
            check_rival(id.index, own, sent)?;
            decisive =
                committed.filter(|last| id.index <= last.index).map(|_| (id, own)).or(decisive);
        }
        let (Some(committed), Some((id, own))) = (committed, decisive) else { return Ok(()) };
        let own = match id.index == committed.index {
            true => Some(committed.leader_id),
            false => own.map(|own| own.leader),
        };
        // The leaders of a log follow each other, also before those that are known.
        if own.map_or(id.leader_id <= committed.leader_id, |own| own == id.leader_id) {
            Ok(())
        } else {
            Err(lost(&has_another(committed)))
        }
    }

    /// Checks the snapshot of a leader up to an entry. One that is damaged is refused later.
    ///
    /// # Errors
    /// When this member has a committed entry that is not in it, or an entry that another process
    /// has written there.
    pub(crate) fn check_snapshot(
        &self,
        leader: &CommittedLeaderId<u64>,
        upto: Option<Id>,
        snapshot: &Bytes,
    ) -> Result<(), String> {
        let committed = self.committed().filter(|id| id.leader_id <= *leader);
        let (Some(committed), Some(upto)) = (committed, upto) else { return Ok(()) };
        let head = SnapshotHead::read(snapshot.clone());
        let Ok(SnapshotHead { authors, .. }) = head else { return Ok(()) };
        let own_last = self.log.last_index().map(|last| last.min(upto.index));
        for index in own_last.into_iter().chain([committed.index]) {
            check_rival(index, self.author_of(index), authors.of(index))?;
        }
        let is_lost = match committed.index <= upto.index {
            true => authors.of(committed.index).is_some_and(|of| of.leader != committed.leader_id),
            // Openraft would install it, and drop what is after it.
            false => upto > committed,
        };
        if is_lost { Err(lost(&has_another(committed))) } else { Ok(()) }
    }

    /// Notes that acknowledged changes are lost.
    pub(crate) fn set_loss(&self, why: String) {
        tracing::error!("{why}");
        // Only the first is told.
        let _told = self.loss.set(why);
    }

    /// Why this member has stopped, if acknowledged changes are lost.
    pub(crate) fn loss(&self) -> Option<&String> {
        self.loss.get()
    }

    fn lock(&self) -> MutexGuard<'_, AnsweredState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// # Errors
/// When two processes of one leader have written an entry in one term.
fn check_rival(index: u64, own: Option<Author>, sent: Option<Author>) -> Result<(), String> {
    let Some((own, _)) = own.zip(sent).filter(|(own, sent)| own.has_rival(sent)) else {
        return Ok(());
    };
    let CommittedLeaderId { term, node_id } = own.leader;
    let why = format!("member {node_id} has written two entries {index} in term {term}");
    Err(lost(&format!("{why}, one of them with older data")))
}

fn has_another(own: Id) -> String {
    let Id { index, leader_id } = own;
    format!(
        "the leader lacks entry {index} of term {}, which this member has applied",
        leader_id.term
    )
}

fn lost(why: &str) -> String {
    format!(
        "acknowledged changes are lost: {why}; members have lost their data, or run with older \
         data, so that this one and the leader have two histories, of which one can be kept. For \
         that of this member: stop the others, start it alone, save what it has as a snapshot, and \
         restore a new group from that. For that of the leader: remove this member, and add one \
         with a new id"
    )
}

#[cfg(test)]
mod tests {
    use turnstile_host::store::Disk;

    use super::*;
    use crate::encoding::snapshot::SnapshotParts;
    use crate::engine::log::encoding::encode;
    use crate::engine::snapshot_head::Meta;

    /// The term, the member and the number of its process that have written an entry.
    type Writer = (u64, u64, u64);

    fn entries(writers: &[Writer]) -> Vec<EntryHead> {
        let head = |(&(term, leader, process), index): (&Writer, u64)| {
            let id = LogId::new(CommittedLeaderId::new(term, leader), index);
            EntryHead { id, process }
        };
        writers.iter().zip(1..).map(head).collect()
    }

    /// The snapshot of such entries.
    fn snapshot(entries: &[EntryHead]) -> (Option<Id>, Bytes) {
        let mut authors = Authors::default();
        entries.iter().for_each(|entry| authors.add(entry));
        let last_log_id = entries.last().map(|entry| entry.id);
        let meta = Meta { last_log_id, ..Meta::default() };
        let meta = encode(&SnapshotHead { meta, version: 1, authors });
        (last_log_id, SnapshotParts { meta, state: Bytes::new() }.encode())
    }

    #[tokio::test]
    async fn a_snapshot_of_a_leader_that_lacks_what_is_applied_is_noticed() {
        let (one, again, two) = ((1, 1, 10), (1, 1, 11), (2, 1, 10));
        let lacks = Some("the leader lacks entry 2 of term 2");
        let rival = Some("member 1 has written two entries 2 in term 1");
        // What this member has applied, what the snapshot has, and what is noticed.
        let cases: [(&[Writer], &[Writer], _); 7] = [
            (&[one, one], &[one, one, one], None),
            (&[one, two], &[one, one], lacks),
            // Its last entry is before that of this member, and it has more of them.
            (&[one, two], &[one, one, one], lacks),
            (&[one, two], &[one, (3, 1, 12)], lacks),
            (&[one, two], &[(3, 1, 12)], lacks),
            (&[one, two], &[one], None),
            (&[one, one], &[one, again, again], rival),
        ];
        for (applied, sent, expected) in cases {
            let log = Log::open(Box::new(Disk::default().open()), 1).expect("it is empty");
            let answered = Answered::open(Arc::new(log)).expect("it is empty");
            let heads = entries(applied);
            heads.iter().for_each(|entry| answered.add_author(entry));
            answered.note(heads[heads.len() - 1].id).await.expect("the disk works");
            let (upto, bytes) = snapshot(&entries(sent));
            let found = answered.check_snapshot(&CommittedLeaderId::new(9, 3), upto, &bytes).err();
            let has = |words: &&str| found.as_ref().is_some_and(|why| why.contains(*words));
            let told = (expected.filter(has), found.is_some());
            assert_eq!(told, (expected, expected.is_some()), "{applied:?}, {sent:?}: {found:?}");
        }
    }
}
