//! What a log refuses, and what it does while its store rejects writes.

use std::io;
use std::sync::mpsc::{Sender, channel};

use bytes::Bytes;
use turnstile_host::store::{Batch, Disk, DiskStore, Key, Note, NoteValue, Store, Visitor};

use super::{Log, Mark, record};

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime can be built").block_on(future)
}

fn open(disk: &Disk, member: u64) -> io::Result<Log> {
    Log::open(Box::new(disk.open()), member)
}

fn refusal(disk: &Disk) -> String {
    match open(disk, 1) {
        Ok(_) => panic!("the log starts"),
        Err(error) => error.to_string(),
    }
}

/// A disk with a log of member 1 and the entries 0 to 3, of which those up to 1 are purged.
fn disk() -> Disk {
    let disk = Disk::default();
    let log = open(&disk, 1).expect("the disk is empty");
    let (done, is_done) = channel();
    let entries = (0..4).map(|index| (index, Bytes::from(vec![7; 3]))).collect();
    log.append(entries, Box::new(move |result| done.send(result).expect("the test waits")));
    is_done.recv().expect("it is called").expect("the disk works");
    block_on(log.put_snapshot(Some(2), Bytes::from(vec![1; 700]))).expect("the disk works");
    log.purge(Mark { index: 1, id: Bytes::from("id") });
    log.close();
    disk
}

fn change(disk: &Disk, change: impl FnOnce(&mut Batch)) {
    let mut batch = Batch::default();
    change(&mut batch);
    let mut store = disk.open();
    store.write(&batch);
    store.sync().expect("the disk works");
}

#[test]
fn a_log_starts_with_what_it_had() {
    let log = open(&disk(), 1).expect("the log is whole");
    assert_eq!(log.ends().0, Some(Mark { index: 1, id: Bytes::from("id") }));
    assert_eq!(log.entries(.., usize::MAX).len(), 2);
    assert_eq!(log.entries(.., 1).len(), 1, "the first is read in any case");
    assert_eq!(log.snapshot(), Some(Bytes::from(vec![1; 700])));
    log.close();
}

#[test]
fn what_no_crash_can_leave_is_refused() {
    let disk = disk();
    let other = open(&disk, 2).err().expect("it is another's").to_string();
    assert!(other.ends_with("the log belongs to member 1, not to 2"), "{other}");
    change(&disk, |batch| batch.remove(&record::entry(2)));
    assert!(refusal(&disk).ends_with("the entry before 3 is missing"));

    let disk = self::disk();
    change(&disk, |batch| batch.remove(&record::SNAPSHOT));
    let expected = "no snapshot has the entries up to 1, which are purged";
    assert!(refusal(&disk).ends_with(expected));

    let disk = self::disk();
    let second = Key::numbered(record::CHUNK_KIND, (1 << 32) + 1);
    change(&disk, |batch| batch.remove(&second));
    assert!(refusal(&disk).ends_with("the snapshot is incomplete"));

    let disk = self::disk();
    change(&disk, |batch| batch.put(&record::OWNER, &[9; 9]));
    assert!(refusal(&disk).contains("version 9 of the format"));

    let disk = Disk::default();
    change(&disk, |batch| batch.put(&Key::single(99), b"foreign"));
    assert!(refusal(&disk).contains("a value of kind 99"));
}

/// A disk whose syncs fail as often as the test says.
struct Failing {
    store: DiskStore,
    failures: u32,
    failed: Sender<()>,
}

impl Store for Failing {
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()> {
        self.store.read(each)
    }

    fn write(&mut self, batch: &Batch) {
        self.store.write(batch);
    }

    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        self.store.note()
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.failures == 0 {
            return self.store.sync();
        }
        self.failures -= 1;
        self.failed.send(()).expect("the test waits");
        Err(io::Error::other("the disk is full"))
    }
}

fn failing(disk: &Disk, failures: u32) -> (Log, std::sync::mpsc::Receiver<()>) {
    let (failed, has_failed) = channel();
    let store = Failing { store: disk.open(), failures, failed };
    (Log::open(Box::new(store), 1).expect("the disk is empty"), has_failed)
}

#[test]
fn a_write_is_durable_when_it_is_reported_and_a_failed_sync_is_retried() {
    let disk = Disk::default();
    let (log, failed) = failing(&disk, 1);
    let (done, is_done) = channel();
    let durable = disk.clone();
    let report = Box::new(move |result: io::Result<()>| {
        let is_durable = durable.open().load().expect("it reads").contains_key(&record::entry(0));
        done.send(result.is_ok() && is_durable).expect("the test waits");
    });
    log.append(vec![(0, Bytes::from("entry"))], report);
    failed.recv().expect("the first sync fails");
    assert!(is_done.try_recv().is_err(), "it is not reported");
    assert!(is_done.recv().expect("the second sync succeeds"));
    assert!(!log.is_failing());
    log.close();
}

#[test]
fn a_log_that_is_closed_does_not_wait_for_its_store() {
    let (log, failed) = failing(&Disk::default(), u32::MAX);
    log.give_up();
    let error = block_on(log.put_vote(Bytes::from("vote"))).expect_err("the sync fails");
    assert_eq!(error.to_string(), "the disk is full");
    log.close();
    let error = block_on(log.put_vote(Bytes::from("vote"))).expect_err("it is closed");
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert!(failed.try_iter().count() > 0);
}
