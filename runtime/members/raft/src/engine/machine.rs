//! The replicated state machine as openraft's, and its snapshots.

#![expect(clippy::result_large_err, reason = "the size of the error is that of openraft")]

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use openraft::storage::RaftStateMachine;
use openraft::{
    AnyError, EntryPayload, LogId, OptionalSend, RaftSnapshotBuilder, Snapshot, SnapshotMeta,
    StorageError, StorageIOError, StoredMembership,
};
use turnstile_host::Rng;
use turnstile_host::simulation::blocking;

use super::snapshot_head::{Meta, SnapshotHead};
use crate::encoding::batch;
use crate::encoding::snapshot::{self, SnapshotParts};
use crate::engine::log::answered::Answered;
use crate::engine::log::authors::Authors;
use crate::engine::log::encoding::{decode, encode};
use crate::engine::log::entry::{Entry, TypeConfig};
use crate::engine::log::unsynced::Unsynced;
use crate::group::MemberNode;
use crate::log::Log;
use crate::machine::{LogPosition, StateMachine};

type Stored<T> = Result<T, StorageError<u64>>;
/// Openraft's view of a [`StateMachine`], whose snapshots are in the log's store.
#[derive(Clone)]
pub(super) struct Machine {
    member: u64,
    log: Arc<Log>,
    unsynced: Arc<Unsynced>,
    answered: Arc<Answered>,
    applied: Arc<Mutex<Applied>>,
}

struct Applied {
    machine: Box<dyn StateMachine>,
    last: Option<LogId<u64>>,
    membership: StoredMembership<u64, MemberNode>,
    /// The greatest version of the log's operations.
    version: Arc<AtomicU32>,
    /// Part of an entry or a snapshot may have changed the machine: what an error or a panic has
    /// left must get into no snapshot.
    is_partial: bool,
}

impl Machine {
    /// Installs the stored snapshot, if there is one.
    ///
    /// # Errors
    /// When the snapshot is damaged, or the machine refuses it.
    pub(super) fn open(
        member: u64,
        answered: Arc<Answered>,
        unsynced: Arc<Unsynced>,
        machine: Box<dyn StateMachine>,
    ) -> io::Result<Self> {
        let log = answered.log();
        let (membership, version) = (StoredMembership::default(), Arc::new(AtomicU32::new(1)));
        let (last, is_partial) = (None, false);
        let mut applied = Applied { machine, last, membership, version, is_partial };
        if let Some(bytes) = log.snapshot() {
            answered.set_authors(applied.install(bytes, None)?);
        }
        Ok(Self { member, log, unsynced, answered, applied: Arc::new(Mutex::new(applied)) })
    }

    /// The greatest version of the operations that are applied.
    pub(super) fn version(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.lock().version)
    }

    fn lock(&self) -> MutexGuard<'_, Applied> {
        self.applied.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that no other snapshot has: a receiver distinguishes streams by it.
    fn snapshot_id(&self, last: Option<LogId<u64>>) -> String {
        let last = last.map_or_else(|| "0".to_owned(), |last| last.to_string());
        format!("{last}-{}-{:x}", self.member, Rng::from_entropy().number())
    }
}

impl Applied {
    /// Installs a snapshot, which is the one that was announced. Returns who has written what is in
    /// it.
    fn install(&mut self, bytes: Bytes, announced: Option<&Meta>) -> io::Result<Authors> {
        let parts = SnapshotParts::decode(bytes)?;
        let SnapshotHead { meta, version, authors } = decode(&parts.meta)?;
        if announced.is_some_and(|announced| *announced != meta) {
            return Err(io::Error::other("the snapshot is not the one that was announced"));
        }
        let version = self.check_version(version).map_err(io::Error::other)?;
        self.is_partial = true;
        self.machine.install(&parts.state)?;
        self.version.store(version, Ordering::Relaxed);
        self.last = meta.last_log_id;
        self.membership = meta.last_membership;
        self.is_partial = false;
        Ok(authors)
    }

    /// The version by which an entry of this one is applied: a leader that does not know all
    /// members may write an older one than the leader before it.
    fn check_version(&self, version: u32) -> Result<u32, String> {
        let newest = self.machine.version();
        if version > newest {
            return Err(format!(
                "the log has operations of version {version}, and this member applies those up to \
                 version {newest}: it needs a later program"
            ));
        }
        Ok(version.max(self.version.load(Ordering::Relaxed)))
    }

    fn apply(&mut self, id: LogId<u64>, payload: EntryPayload<TypeConfig>) -> Stored<Vec<Bytes>> {
        self.is_partial = true;
        let answers = self.apply_payload(id, payload)?;
        self.last = Some(id);
        self.is_partial = false;
        Ok(answers)
    }

    fn apply_payload(
        &mut self,
        id: LogId<u64>,
        payload: EntryPayload<TypeConfig>,
    ) -> Stored<Vec<Bytes>> {
        match payload {
            EntryPayload::Blank => Ok(Vec::new()),
            EntryPayload::Membership(membership) => {
                self.membership = StoredMembership::new(Some(id), membership);
                Ok(Vec::new())
            }
            EntryPayload::Normal(operations) => {
                let refuse = |why: &str| StorageIOError::apply(id, AnyError::error(why));
                let (version, operations) = batch::split(operations)
                    .ok_or_else(|| refuse("the entry is no list of operations"))?;
                let version = self.check_version(version).map_err(|why| refuse(&why))?;
                self.version.store(version, Ordering::Relaxed);
                let place = LogPosition { index: id.index, term: id.leader_id.term, version };
                let mut answers = Vec::with_capacity(operations.len());
                for operation in &operations {
                    let answer = self.machine.apply(place, operation);
                    answers.push(answer.map_err(|error| StorageIOError::apply(id, &error))?.into());
                }
                Ok(answers)
            }
        }
    }
}

impl RaftSnapshotBuilder<TypeConfig> for Machine {
    async fn build_snapshot(&mut self) -> Stored<Snapshot<TypeConfig>> {
        let started = Instant::now();
        let (state, last_log_id, last_membership, version, authors) = {
            let applied = self.lock();
            if applied.is_partial {
                let why = AnyError::error("this member does not know what it has applied");
                return Err(StorageIOError::read_state_machine(why).into());
            }
            let version = applied.version.load(Ordering::Relaxed);
            let (last, authors) = (applied.last, self.answered.authors());
            (applied.machine.snapshot(), last, applied.membership.clone(), version, authors)
        };
        let captured_ms = started.elapsed().as_millis();
        let snapshot_id = self.snapshot_id(last_log_id);
        let meta = SnapshotMeta { last_log_id, last_membership, snapshot_id };
        let head = SnapshotHead { meta, version, authors };
        let parts_meta = encode(&head);
        let meta = head.meta;
        // The state is probably about as large as it was.
        let before = self.log.snapshot().map_or(0, |before| before.len());
        let encoded = blocking(move || snapshot::encode(&parts_meta, before + before / 16, state));
        let bytes = encoded.await.map_err(|error| write_error(&meta, &error))?;
        let written = self.log.put_snapshot(last_log_id.map(|id| id.index), bytes.clone()).await;
        written.map_err(|error| write_error(&meta, &error))?;
        let (len, durable_ms) = (bytes.len(), started.elapsed().as_millis());
        tracing::debug!(bytes = len, captured_ms, durable_ms, "a snapshot is made");
        Ok(Snapshot { meta, snapshot: Box::new(bytes) })
    }
}

impl RaftStateMachine<TypeConfig> for Machine {
    type SnapshotBuilder = Self;

    async fn applied_state(
        &mut self,
    ) -> Stored<(Option<LogId<u64>>, StoredMembership<u64, MemberNode>)> {
        let applied = self.lock();
        Ok((applied.last, applied.membership.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Stored<Vec<Vec<Bytes>>>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let entries: Vec<_> = entries.into_iter().collect();
        let last = entries.last().map(|entry| entry.head().id);
        let synced = self.unsynced.wait(last).await;
        synced.map_err(|error| StorageIOError::write_logs(&error))?;
        if let Some(last) = last {
            self.answered.note(last).await?;
        }
        let mut applied = self.lock();
        let apply = |entry: Entry| {
            let head = entry.head();
            let answers = applied.apply(head.id, entry.payload)?;
            self.answered.add_author(&head);
            Ok(answers)
        };
        entries.into_iter().map(apply).collect()
    }

    async fn get_snapshot_builder(&mut self) -> Self {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Stored<Box<Bytes>> {
        Ok(Box::default())
    }

    async fn install_snapshot(&mut self, meta: &Meta, snapshot: Box<Bytes>) -> Stored<()> {
        let bytes = *snapshot;
        {
            let mut applied = self.lock();
            let authors = applied.install(bytes.clone(), Some(meta));
            self.answered.set_authors(authors.map_err(|error| read_error(meta, &error))?);
        }
        let written = self.log.put_snapshot(meta.last_log_id.map(|id| id.index), bytes).await;
        written.map_err(|error| write_error(meta, &error))?;
        match meta.last_log_id {
            Some(last) => self.answered.note(last).await,
            None => Ok(()),
        }
    }

    async fn get_current_snapshot(&mut self) -> Stored<Option<Snapshot<TypeConfig>>> {
        let Some(bytes) = self.log.snapshot() else { return Ok(None) };
        let head = SnapshotHead::read(bytes.clone());
        let SnapshotHead { meta, .. } =
            head.map_err(|error| StorageIOError::read_snapshot(None, &error))?;
        Ok(Some(Snapshot { meta, snapshot: Box::new(bytes) }))
    }
}

fn read_error(meta: &Meta, error: &io::Error) -> StorageError<u64> {
    StorageIOError::read_snapshot(Some(meta.signature()), error).into()
}

fn write_error<E: std::error::Error + 'static>(meta: &Meta, error: &E) -> StorageError<u64> {
    StorageIOError::write_snapshot(Some(meta.signature()), error).into()
}
