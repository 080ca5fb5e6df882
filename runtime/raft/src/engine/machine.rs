//! The replicated state machine as openraft's, and its snapshots.

#![expect(clippy::result_large_err, reason = "the size of the error is that of openraft")]

use std::io::{self, Cursor};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use openraft::storage::RaftStateMachine;
use openraft::{
    AnyError, BasicNode, Entry, EntryPayload, LogId, OptionalSend, RaftSnapshotBuilder, Snapshot,
    SnapshotMeta, StorageError, StorageIOError, StoredMembership,
};
use turnstile_host::Rng;

use super::TypeConfig;
use super::log_store::{decode, encode};
use crate::batch;
use crate::log::Log;
use crate::machine::StateMachine;
use crate::snapshot::SnapshotParts;

type Stored<T> = Result<T, StorageError<u64>>;
type Meta = SnapshotMeta<u64, BasicNode>;

/// Openraft's view of a [`StateMachine`], whose snapshots are in the log's store.
#[derive(Clone)]
pub(super) struct Machine {
    member: u64,
    log: Arc<Log>,
    applied: Arc<Mutex<Applied>>,
}

struct Applied {
    machine: Box<dyn StateMachine>,
    last: Option<LogId<u64>>,
    membership: StoredMembership<u64, BasicNode>,
}

impl Machine {
    /// Installs the stored snapshot, if there is one.
    ///
    /// # Errors
    /// When the snapshot is damaged, or the machine refuses it.
    pub(super) fn open(
        member: u64,
        log: Arc<Log>,
        machine: Box<dyn StateMachine>,
    ) -> io::Result<Self> {
        let mut applied = Applied { machine, last: None, membership: StoredMembership::default() };
        if let Some(bytes) = log.snapshot() {
            applied.install(bytes)?;
        }
        Ok(Self { member, log, applied: Arc::new(Mutex::new(applied)) })
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
    fn install(&mut self, bytes: Bytes) -> io::Result<Meta> {
        let parts = SnapshotParts::decode(bytes)?;
        let meta: Meta = decode(&parts.meta)?;
        self.machine.install(&parts.state)?;
        self.last = meta.last_log_id;
        self.membership = meta.last_membership.clone();
        Ok(meta)
    }

    fn apply(&mut self, entry: Entry<TypeConfig>) -> Stored<Vec<Bytes>> {
        let id = entry.log_id;
        self.last = Some(id);
        match entry.payload {
            EntryPayload::Blank => Ok(Vec::new()),
            EntryPayload::Membership(membership) => {
                self.membership = StoredMembership::new(Some(id), membership);
                Ok(Vec::new())
            }
            EntryPayload::Normal(operations) => {
                let Some(operations) = batch::split(operations) else {
                    let error = AnyError::error("the entry is no list of operations");
                    return Err(StorageIOError::apply(id, error).into());
                };
                let apply = |operation: &Bytes| self.machine.apply(id.index, operation).into();
                Ok(operations.iter().map(apply).collect())
            }
        }
    }
}

impl RaftSnapshotBuilder<TypeConfig> for Machine {
    async fn build_snapshot(&mut self) -> Stored<Snapshot<TypeConfig>> {
        let (state, last_log_id, last_membership) = {
            let applied = self.lock();
            (applied.machine.snapshot(), applied.last, applied.membership.clone())
        };
        let snapshot_id = self.snapshot_id(last_log_id);
        let meta = SnapshotMeta { last_log_id, last_membership, snapshot_id };
        let parts_meta = encode(&meta);
        let encoded = tokio::task::spawn_blocking(move || {
            SnapshotParts { meta: parts_meta, state: state().into() }.encode()
        });
        let bytes = encoded.await.map_err(|error| write_error(&meta, &error))?;
        let written = self.log.put_snapshot(last_log_id.map(|id| id.index), bytes.clone()).await;
        written.map_err(|error| write_error(&meta, &error))?;
        Ok(Snapshot { meta, snapshot: Box::new(Cursor::new(bytes.into())) })
    }
}

impl RaftStateMachine<TypeConfig> for Machine {
    type SnapshotBuilder = Self;

    async fn applied_state(
        &mut self,
    ) -> Stored<(Option<LogId<u64>>, StoredMembership<u64, BasicNode>)> {
        let applied = self.lock();
        Ok((applied.last, applied.membership.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Stored<Vec<Vec<Bytes>>>
    where
        I: IntoIterator<Item = Entry<TypeConfig>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let entries = entries.into_iter();
        let mut applied = self.lock();
        entries.map(|entry| applied.apply(entry)).collect()
    }

    async fn get_snapshot_builder(&mut self) -> Self {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Stored<Box<Cursor<Vec<u8>>>> {
        Ok(Box::default())
    }

    async fn install_snapshot(
        &mut self,
        meta: &Meta,
        snapshot: Box<Cursor<Vec<u8>>>,
    ) -> Stored<()> {
        let bytes = Bytes::from(snapshot.into_inner());
        let installed = self.lock().install(bytes.clone());
        let installed = installed.map_err(|error| read_error(meta, &error))?;
        if installed != *meta {
            let error = io::Error::other("the snapshot is not the one that was announced");
            return Err(read_error(meta, &error));
        }
        let written = self.log.put_snapshot(meta.last_log_id.map(|id| id.index), bytes).await;
        written.map_err(|error| write_error(meta, &error))
    }

    async fn get_current_snapshot(&mut self) -> Stored<Option<Snapshot<TypeConfig>>> {
        let Some(bytes) = self.log.snapshot() else { return Ok(None) };
        let meta = SnapshotParts::decode(bytes.clone()).and_then(|parts| decode(&parts.meta));
        let meta = meta.map_err(|error| StorageIOError::read_snapshot(None, &error))?;
        Ok(Some(Snapshot { meta, snapshot: Box::new(Cursor::new(bytes.into())) }))
    }
}

fn read_error(meta: &Meta, error: &io::Error) -> StorageError<u64> {
    StorageIOError::read_snapshot(Some(meta.signature()), error).into()
}

fn write_error<E: std::error::Error + 'static>(meta: &Meta, error: &E) -> StorageError<u64> {
    StorageIOError::write_snapshot(Some(meta.signature()), error).into()
}
