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

use super::log_store::{decode, log_id_at};
use super::machine::SnapshotHead;
use crate::log::Log;

type Id = LogId<u64>;

/// The delay between attempts to note an entry.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// The last entry that this member has answered for, and whether it is lost.
pub(super) struct Answered {
    log: Arc<Log>,
    state: Mutex<AnsweredState>,
    loss: OnceLock<String>,
}

#[derive(Default)]
struct AnsweredState {
    noted: Option<Id>,
    /// The last committed entry, which will be applied.
    committed: Option<Id>,
}

impl Answered {
    /// Reads the note.
    ///
    /// # Errors
    /// When the log ends before the noted entry.
    pub(super) fn open(log: Arc<Log>) -> io::Result<Arc<Self>> {
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
        let state = AnsweredState { noted, committed: noted.max(committed) };
        Ok(Arc::new(Self { log, state: Mutex::new(state), loss: OnceLock::new() }))
    }

    /// The log in which it is noted.
    pub(super) fn log(&self) -> Arc<Log> {
        Arc::clone(&self.log)
    }

    /// The last entry that is known to be committed.
    pub(super) fn committed(&self) -> Option<Id> {
        self.lock().committed
    }

    /// An entry is committed, and so will be applied.
    pub(super) fn set_committed(&self, id: Option<Id>) {
        let mut state = self.lock();
        state.committed = state.committed.max(id);
    }

    /// Notes an entry that is committed, before this member answers for it. It is retried while the
    /// store rejects it.
    ///
    /// # Errors
    /// When the member stops first.
    pub(super) async fn note(&self, id: Id) -> Result<(), StorageError<u64>> {
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

    /// Checks the entries of a leader: that before them, and their own. Of those that must be there
    /// the last one decides, since the logs of two members are equal up to an entry that both have.
    /// A leader before that of the committed entry is refused anyway.
    ///
    /// # Errors
    /// When this member has another committed entry at the place of one of them.
    pub(super) fn check_entries(
        &self,
        leader: &CommittedLeaderId<u64>,
        ids: impl Iterator<Item = Id>,
    ) -> Result<(), String> {
        let committed = self.committed().filter(|id| id.leader_id <= *leader);
        let Some(committed) = committed else { return Ok(()) };
        let Some(id) = ids.filter(|id| id.index <= committed.index).last() else { return Ok(()) };
        let own = match id.index == committed.index {
            true => Some(committed.leader_id),
            false => self.leader_at(id.index),
        };
        // The leaders of a log follow each other, also before those that are known.
        if own.map_or(id.leader_id <= committed.leader_id, |own| own == id.leader_id) {
            Ok(())
        } else {
            Err(lost(&has_another(committed)))
        }
    }

    /// The leader that has written an entry, by the log or, if it is purged, by the snapshot. A
    /// purge may be ahead of the stored one for a moment.
    fn leader_at(&self, index: u64) -> Option<CommittedLeaderId<u64>> {
        let kept = log_id_at(&self.log, index).map(|id| id.leader_id);
        kept.or_else(|| {
            let SnapshotHead { meta, terms, .. } = SnapshotHead::read(self.log.snapshot()?).ok()?;
            terms.leader(index).filter(|_| Some(index) <= meta.last_log_id.map(|id| id.index))
        })
    }

    /// Checks the snapshot of a leader up to an entry. One that is damaged is refused later.
    ///
    /// # Errors
    /// When this member has a committed entry that is not in it.
    pub(super) fn check_snapshot(
        &self,
        leader: &CommittedLeaderId<u64>,
        upto: Option<Id>,
        snapshot: &Bytes,
    ) -> Result<(), String> {
        let committed = self.committed().filter(|id| id.leader_id <= *leader);
        // Openraft does not install one that has no more than this member.
        let (Some(committed), Some(upto)) = (committed, upto.filter(|_| upto > committed)) else {
            return Ok(());
        };
        let head = SnapshotHead::read(snapshot.clone());
        let Ok(SnapshotHead { terms, .. }) = head else { return Ok(()) };
        let is_there = |leader| leader == committed.leader_id;
        if committed.index <= upto.index && terms.leader(committed.index).is_none_or(is_there) {
            Ok(())
        } else {
            Err(lost(&has_another(committed)))
        }
    }

    /// Notes that acknowledged changes are lost.
    pub(super) fn set_loss(&self, why: String) {
        tracing::error!("{why}");
        // Only the first is told.
        let _told = self.loss.set(why);
    }

    /// Why this member has stopped, if acknowledged changes are lost.
    pub(super) fn loss(&self) -> Option<&String> {
        self.loss.get()
    }

    fn lock(&self) -> MutexGuard<'_, AnsweredState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        "acknowledged changes are lost: {why}; a majority of the members has lost its data, or \
         runs with older data. To keep the changes: stop the other members, start this one, save a \
         snapshot of it, and restore a new group from that. To give them up: remove this member, \
         and add one with a new id"
    )
}
