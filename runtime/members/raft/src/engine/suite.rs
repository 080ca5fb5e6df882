//! Openraft's own tests of a storage, over ours.

use std::io;
use std::sync::Arc;

use openraft::storage::RaftStateMachine as _;
use openraft::testing::{StoreBuilder, Suite};
use openraft::{
    CommittedLeaderId, EntryPayload, LogId, RaftSnapshotBuilder as _, SnapshotMeta, StorageError,
};
use turnstile_host::store::{Disk, LogStore as HostStore, Store};
use turnstile_simulation::Folder;

use super::machine::Machine;
use crate::encoding::batch;
use crate::encoding::snapshot::SnapshotParts;
use crate::engine::log::answered::Answered;
use crate::engine::log::entry::{Entry, TypeConfig};
use crate::engine::log::log_store::LogStore;
use crate::engine::log::unsynced::Unsynced;
use crate::log::Log;
use crate::machine::{Encode, LogPosition, StateMachine};

struct Nothing;

impl StateMachine for Nothing {
    fn apply(&mut self, _place: LogPosition, operation: &[u8]) -> io::Result<Vec<u8>> {
        match operation {
            b"unknown" => Err(io::Error::other("it does not know this one")),
            operation => Ok(operation.to_vec()),
        }
    }

    fn snapshot(&self) -> Encode {
        Box::new(|out| out.extend_from_slice(b"nothing"))
    }

    fn install(&mut self, snapshot: &[u8]) -> io::Result<()> {
        assert_eq!(snapshot, b"nothing");
        Ok(())
    }
}

/// Builds an empty storage, on a simulated disk or in a folder.
struct Build {
    is_simulated: bool,
}

impl StoreBuilder<TypeConfig, LogStore, Machine, Folder> for Build {
    async fn build(&self) -> Result<(Folder, LogStore, Machine), StorageError<u64>> {
        let folder = Folder::new("suite");
        let store: Box<dyn Store> = if self.is_simulated {
            Box::new(Disk::default().open())
        } else {
            Box::new(HostStore::open(folder.path()).expect("the folder is empty"))
        };
        let log = Arc::new(Log::open(store, 1).expect("the store is empty"));
        let unsynced = Arc::new(Unsynced::default());
        let answered = Answered::open(Arc::clone(&log)).expect("the store is empty");
        let (kept, synced) = (Arc::clone(&answered), Arc::clone(&unsynced));
        let machine = Machine::open(1, kept, synced, Box::new(Nothing));
        Ok((
            folder,
            LogStore { log, id: u64::MAX, process: 1, unsynced, answered },
            machine.expect("there is no snapshot"),
        ))
    }
}

#[test]
fn the_storage_on_a_simulated_disk_passes_openrafts_suite() {
    Suite::test_all(Build { is_simulated: true }).expect("each case passes");
}

#[test]
fn the_storage_in_a_folder_passes_openrafts_suite() {
    Suite::test_all(Build { is_simulated: false }).expect("each case passes");
}

fn damaged() -> Vec<u8> {
    let parts = SnapshotParts { meta: "meta".into(), state: "state".into() };
    let mut bytes = parts.encode().to_vec();
    bytes[15] ^= 1;
    bytes
}

#[tokio::test]
async fn a_damaged_snapshot_is_refused_at_a_start_and_at_an_installation() {
    let disk = Disk::default();
    let log = Arc::new(Log::open(Box::new(disk.open()), 1).expect("the disk is empty"));
    let open = |log| Machine::open(1, Answered::open(log)?, Arc::default(), Box::new(Nothing));
    let mut machine = open(Arc::clone(&log)).expect("it is empty");
    let data = Box::new(damaged().into());
    let installed = machine.install_snapshot(&SnapshotMeta::default(), data).await;
    let error = installed.expect_err("it is damaged").to_string();
    assert!(error.contains("the snapshot is damaged: its checksum is wrong"), "{error}");
    log.put_snapshot(Some(1), damaged().into()).await.expect("the disk works");
    log.close();
    let log = Arc::new(Log::open(Box::new(disk.open()), 1).expect("the log is whole"));
    let error = open(log).err().expect("it is damaged");
    assert_eq!(error.to_string(), "the snapshot is damaged: its checksum is wrong");
}

#[tokio::test]
async fn what_an_operation_without_a_known_effect_has_left_gets_into_no_snapshot() {
    let disk = Disk::default();
    let log = Arc::new(Log::open(Box::new(disk.open()), 1).expect("the disk is empty"));
    let answered = Answered::open(Arc::clone(&log)).expect("the store is empty");
    let machine = Machine::open(1, answered, Arc::default(), Box::new(Nothing));
    let mut machine = machine.expect("it is empty");
    let entry = |index, version, operation: &[u8]| {
        let mut operations = batch::begin(version);
        batch::put(&mut operations, operation);
        let log_id = LogId::new(CommittedLeaderId::new(1, 1), index);
        Entry::new(log_id, EntryPayload::Normal(operations.freeze()))
    };
    let refused = [entry(2, 1, b"unknown"), entry(2, 2, b"of a later version")];
    for refused in refused {
        machine.apply([entry(1, 1, b"known")]).await.expect("it is known");
        let before = machine.build_snapshot().await.expect("all is known").meta;
        assert_eq!(before.last_log_id.map(|id| id.index), Some(1));
        machine.apply([refused]).await.expect_err("it is not applied");
        let built = machine.build_snapshot().await.map(|snapshot| snapshot.meta);
        let error = built.expect_err("its state is not known").to_string();
        assert!(error.contains("does not know what it has applied"), "{error}");
        let kept = machine.get_current_snapshot().await.expect("it is whole");
        assert_eq!(kept.map(|kept| kept.meta), Some(before));
    }
}
