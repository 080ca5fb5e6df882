//! A member that is alone: at its first start, and with snapshots or a store that hang, fail or
//! panic.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use turnstile_host::store::{Batch, Disk, DiskStore, Note, NoteValue, Store, Visitor};
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Encode, LogPosition, Member, Members, Options, StateMachine, Status};

use crate::cluster::group::PATIENCE;

/// What has not happened by then is taken not to happen.
const A_WHILE: Duration = Duration::from_millis(200);

/// Answers with the operation.
#[derive(Clone, Default)]
struct Echo {
    /// Whether snapshots are not made yet, and who waits for that to change.
    are_held: Arc<(Mutex<bool>, Condvar)>,
}

impl Echo {
    fn hold_snapshots(&self, are_held: bool) {
        *self.are_held.0.lock().expect("no holder panics") = are_held;
        self.are_held.1.notify_all();
    }
}

impl StateMachine for Echo {
    fn apply(&mut self, _place: LogPosition, operation: &[u8]) -> io::Result<Vec<u8>> {
        Ok(operation.to_vec())
    }

    fn snapshot(&self) -> Encode {
        let gate = Arc::clone(&self.are_held);
        Box::new(move |_| {
            let are_held = gate.0.lock().expect("no holder panics");
            let _open = gate.1.wait_while(are_held, |are_held| *are_held);
        })
    }

    fn install(&mut self, _snapshot: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

async fn start(store: impl Store + 'static, machine: Echo) -> Member {
    let network = Hub::new().join(1);
    let member = Member::start(Options::new(1), Box::new(store), machine, network).await;
    member.expect("the store is empty, or has a log")
}

/// The only member of a group, which leads.
async fn alone(store: impl Store + 'static, machine: Echo) -> Member {
    let member = start(store, machine).await;
    let list = Members::from([(1, "first".to_owned())]);
    member.initialize(&list).await.expect("it is one of them");
    let leads = |status: &Status| status.leader == Some(1) && status.applied_index.is_some();
    member.wait_for(PATIENCE, leads).await.expect("it is alone");
    member
}

/// A store that does more at its writes and syncs than that of the disk.
struct Watched<W> {
    store: DiskStore,
    watch: W,
}

trait Watch: Send {
    fn before_write(&mut self, _batch: &Batch) {}

    fn after_sync(&mut self) {}
}

impl<W: Watch> Store for Watched<W> {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        self.store.read(each)
    }

    fn write(&mut self, batch: &Batch) {
        self.watch.before_write(batch);
        self.store.write(batch);
    }

    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        self.store.note()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.store.sync()?;
        self.watch.after_sync();
        Ok(())
    }
}

/// Copies the disk at each of its states.
struct Copies(Disk, Arc<Mutex<Vec<Disk>>>);

impl Watch for Copies {
    fn after_sync(&mut self) {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).push(self.0.copy());
    }
}

#[tokio::test]
async fn a_group_that_is_known_and_has_no_entry_is_begun_at_the_next_start() {
    let (disk, copies) = (Disk::default(), Arc::default());
    let watch = Copies(disk.clone(), Arc::clone(&copies));
    alone(Watched { store: disk.open(), watch }, Echo::default()).await.stop().await;
    let copies = copies.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut known = 0;
    for copy in copies {
        let member = start(copy.open(), Echo::default()).await;
        let Status { group, last_log_index, .. } = member.status();
        if group.is_some() && last_log_index.is_none() {
            known += 1;
            let leads = |status: &Status| status.leader == Some(1);
            member.wait_for(PATIENCE, leads).await.expect("it is alone");
            assert_eq!(member.propose("a").await.expect("it leads"), "a");
        }
        member.stop().await;
    }
    assert!(known > 0, "no start has the group without an entry");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_is_made_although_one_with_less_is_just_being_made() {
    let machine = Echo::default();
    let member = alone(Disk::default().open(), machine.clone()).await;
    machine.hold_snapshots(true);
    let making = |member: &Member| {
        let member = member.clone();
        tokio::spawn(async move { member.snapshot().await })
    };
    member.propose("a").await.expect("it leads");
    let mut first = making(&member);
    assert!(timeout(A_WHILE, &mut first).await.is_err(), "it is held");
    member.propose("b").await.expect("it leads");
    let mut second = making(&member);
    assert!(timeout(A_WHILE, &mut second).await.is_err(), "it is held");
    let applied = member.status().applied_index;
    machine.hold_snapshots(false);
    let status = second.await.expect("it does not panic").expect("it is made");
    assert_eq!(status.snapshot_index, applied);
    member.stop().await;
}

/// Panics at the write of this operation.
const PANICS: &[u8] = b"the store breaks";

struct Panics;

impl Watch for Panics {
    fn before_write(&mut self, batch: &Batch) {
        let is_due = batch.as_bytes().windows(PANICS.len()).any(|part| part == PANICS);
        assert!(!is_due, "the store is broken");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_whose_store_panics_stops() {
    let store = Watched { store: Disk::default().open(), watch: Panics };
    let member = alone(store, Echo::default()).await;
    member.propose(PANICS).await.expect_err("it is not written");
    let has_failed = |status: &Status| status.failure.is_some();
    let failed = member.wait_for(PATIENCE, has_failed).await.map(|status| status.failure);
    let why = failed.map_or_else(|error| error.to_string(), Option::unwrap_or_default);
    assert!(why.contains("the store has panicked"), "{why}");
    member.stop().await;
}

/// Whether some value that is synced on a disk has these bytes.
fn is_durable(disk: &Disk, bytes: &[u8]) -> bool {
    let mut is_there = false;
    let found = disk.open().read(&mut |_, value| {
        is_there |= value.windows(bytes.len()).any(|part| part == bytes);
        Ok(())
    });
    found.expect("it reads");
    is_there
}

/// An operation that is proposed while the disk is full.
const WAITS: &[u8] = b"it waits for room";

/// A member that has proposed [`WAITS`] on a full disk, whose syncs fail.
async fn on_a_full_disk(
    disk: &Disk,
) -> (Member, tokio::task::JoinHandle<Result<bytes::Bytes, turnstile_raft::MemberError>>) {
    let member = alone(disk.open(), Echo::default()).await;
    disk.set_full(true);
    let proposer = member.clone();
    let proposed = tokio::spawn(async move { proposer.propose(WAITS).await });
    let is_failing = |status: &Status| status.is_store_failing;
    member.wait_for(PATIENCE, is_failing).await.expect("a sync fails");
    (member, proposed)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_is_answered_when_it_is_durable_and_a_failed_sync_is_retried() {
    let disk = Disk::default();
    let (member, mut proposed) = on_a_full_disk(&disk).await;
    assert!(timeout(A_WHILE, &mut proposed).await.is_err(), "it is not answered");
    assert!(!is_durable(&disk, WAITS));
    disk.set_full(false);
    let answer = proposed.await.expect("it does not panic").expect("the disk has room");
    assert!(is_durable(&disk, WAITS), "it is answered");
    assert_eq!(answer, WAITS);
    assert!(!member.status().is_store_failing);
    member.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_stops_does_not_wait_for_its_store() {
    let disk = Disk::default();
    let (member, proposed) = on_a_full_disk(&disk).await;
    timeout(PATIENCE, member.stop()).await.expect("it does not wait");
    let answer = timeout(PATIENCE, proposed).await.expect("the wait for the sync has ended");
    answer.expect("it does not panic").expect_err("it is not written");
    member.propose("late").await.expect_err("it has stopped");
    assert!(!is_durable(&disk, WAITS));
}
