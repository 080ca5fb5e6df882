//! A member that is alone: at its first start, and with snapshots or a store that hang or panic.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use tokio::time::timeout;
use turnstile_host::store::{Batch, Disk, Note, NoteValue, Store, Visitor};

use super::Member;
use crate::error::Members;
use crate::group::{Founding, Group};
use crate::log::Log;
use crate::machine::{Encode, Place, StateMachine};
use crate::network::hub::Hub;
use crate::options::Options;
use crate::status::Status;

/// The timeout of all waits: reaching it is a failure.
const PATIENCE: Duration = Duration::from_secs(60);
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
    fn apply(&mut self, _place: Place, operation: &[u8]) -> io::Result<Vec<u8>> {
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

#[tokio::test]
async fn a_group_that_is_known_and_has_no_entry_is_begun_at_the_next_start() {
    let disk = Disk::default();
    let log = Log::open(Box::new(disk.open()), 1).expect("the disk is empty");
    let members = Members::from([(1, "first".to_owned())]);
    log.begin().await.expect("the disk works");
    let logs = BTreeMap::from([(1, log.number().await)]);
    let group = Group { founding: Founding { name: String::new(), members, origin: None }, logs };
    log.put_group(group.encode()).await.expect("the disk works");
    log.close();
    let network = Hub::new().join(1);
    let member =
        Member::start(Options::new(1), Box::new(disk.open()), Echo::default(), network).await;
    let member = member.expect("the log is whole");
    member.wait_for(PATIENCE, |status| status.leader == Some(1)).await.expect("it is alone");
    assert_eq!(member.propose("a").await.expect("it leads"), "a");
    member.stop().await;
}

/// The only member of a group, which leads.
async fn alone(options: Options, store: impl Store + 'static, machine: Echo) -> Member {
    let network = Hub::new().join(options.id);
    let member = Member::start(options, Box::new(store), machine, network).await;
    let member = member.expect("the store is empty");
    let list = Members::from([(1, "first".to_owned())]);
    member.initialize(&list).await.expect("it is one of them");
    let leads = |status: &Status| status.leader == Some(1) && status.applied_index.is_some();
    member.wait_for(PATIENCE, leads).await.expect("it is alone");
    member
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_is_made_although_one_with_less_is_just_being_made() {
    let machine = Echo::default();
    let member = alone(Options::new(1), Disk::default().open(), machine.clone()).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn snapshots_are_made_also_after_one_that_has_nothing_new() {
    let machine = Echo::default();
    let options = Options { snapshot_every: 5, ..Options::new(1) };
    let member = alone(options, Disk::default().open(), machine.clone()).await;
    member.snapshot().await.expect("it is made");
    machine.hold_snapshots(true);
    member.engine.trigger_snapshot().await.expect("it runs");
    let mut applied = None;
    for _ in 0..6 {
        member.propose("a").await.expect("it leads");
        applied = member.status().applied_index;
    }
    machine.hold_snapshots(false);
    let is_made = |status: &Status| status.snapshot_index >= applied;
    member.wait_for(PATIENCE, is_made).await.expect("it is due");
    member.stop().await;
}

/// Panics at the write of this operation.
const PANICS: &[u8] = b"the store breaks";

struct Panics(Box<dyn Store>);

impl Store for Panics {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        self.0.read(each)
    }

    fn write(&mut self, batch: &Batch) {
        let is_due = batch.as_bytes().windows(PANICS.len()).any(|part| part == PANICS);
        assert!(!is_due, "the store is broken");
        self.0.write(batch);
    }

    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        self.0.note()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_whose_store_panics_stops() {
    let store = Panics(Box::new(Disk::default().open()));
    let member = alone(Options::new(1), store, Echo::default()).await;
    member.propose(PANICS).await.expect_err("it is not written");
    let has_failed = |status: &Status| status.failure.is_some();
    let failed = member.wait_for(PATIENCE, has_failed).await.map(|status| status.failure);
    let why = failed.map_or_else(|error| error.to_string(), Option::unwrap_or_default);
    assert!(why.contains("the store has panicked"), "{why}");
    member.stop().await;
}
