//! What may be told of before its sync, and when.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use openraft::CommittedLeaderId;
use openraft::entry::RaftEntry as _;
use openraft::storage::{RaftLogStorage as _, RaftLogStorageExt as _};
use turnstile_host::store::Disk;

use crate::engine::log::answered::Answered;
use crate::engine::log::entry::Entry;
use crate::engine::log::log_store::LogStore;
use crate::engine::log::unsynced::*;
use crate::log::Log;

const OWN: u64 = 1;
const SYNC_MOST: Duration = Duration::from_millis(100);

fn id(term: u64, leader: u64, index: u64) -> Id {
    LogId::new(CommittedLeaderId::new(term, leader), index)
}

/// What a future has when it is polled once.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn leading(term: u64) -> Unsynced {
    let unsynced = Unsynced::default();
    unsynced.vote(Vote::new_committed(term, OWN), OWN);
    unsynced
}

#[tokio::test]
async fn an_entry_is_applied_and_told_committed_after_its_sync() {
    let unsynced = leading(2);
    let (first, second) = (id(2, OWN, 5), id(2, OWN, 6));
    assert!(unsynced.begin(first) && unsynced.begin(second));
    assert!(now(unsynced.wait(Some(first))).is_none(), "it is not synced");
    assert!(now(unsynced.wait(Some(id(1, 3, 4)))).is_some(), "that of a former term is");
    unsynced.end(first, &Ok(()));
    assert!(now(unsynced.wait(Some(first))).is_some());
    assert!(now(unsynced.wait(Some(second))).is_none());
    let committed = |told_again| now(unsynced.committed(Some(second), told_again, SYNC_MOST));
    assert_eq!(committed(true), Some(Some(first)), "entries do not wait");
    assert_eq!(committed(false), None, "what is only told of does");
    unsynced.end(second, &Ok(()));
    assert_eq!(committed(false), Some(Some(second)));
}

#[tokio::test]
async fn what_a_leader_of_another_term_has_synced_is_not_told_committed() {
    let unsynced = leading(2);
    assert!(unsynced.begin(id(2, OWN, 9)));
    unsynced.end(id(2, OWN, 9), &Ok(()));
    unsynced.vote(Vote::new_committed(3, 2), OWN);
    assert!(!unsynced.begin(id(3, 2, 7)), "openraft awaits the sync of a follower");
    unsynced.vote(Vote::new(4, OWN), OWN);
    assert!(!unsynced.begin(id(4, OWN, 8)), "it does not lead yet");
    unsynced.vote(Vote::new_committed(4, OWN), OWN);
    assert!(unsynced.begin(id(4, OWN, 8)));
    let committed = unsynced.committed(Some(id(4, OWN, 8)), true, SYNC_MOST);
    assert_eq!(now(committed), Some(None), "entry 9 of term 2 is no more");
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_store_does_not_sync_for_too_long_is_silent() {
    let unsynced = leading(2);
    assert!(unsynced.begin(id(2, OWN, 1)));
    let told = || now(unsynced.committed(None, true, SYNC_MOST));
    assert_eq!(told(), Some(None));
    tokio::time::advance(SYNC_MOST).await;
    assert_eq!(told(), None);
    unsynced.end(id(2, OWN, 1), &Ok(()));
    assert_eq!(told(), Some(None));
}

#[tokio::test]
async fn a_store_that_is_closed_ends_the_wait() {
    let unsynced = leading(2);
    assert!(unsynced.begin(id(2, OWN, 1)));
    unsynced.end(id(2, OWN, 1), &Err(io::Error::other("full")));
    let error = unsynced.wait(Some(id(2, OWN, 1))).await.expect_err("it was not synced");
    assert_eq!(error.to_string(), "full");
}

fn blank(id: Id) -> [Entry; 1] {
    [Entry::new_blank(id)]
}

#[tokio::test]
async fn only_a_leaders_own_entries_are_written_before_their_sync() {
    let disk = Disk::default();
    let log = Log::open(Box::new(disk.open()), OWN).expect("it is empty");
    let unsynced = Arc::new(Unsynced::default());
    let log = Arc::new(log);
    let answered = Answered::open(Arc::clone(&log)).expect("it is empty");
    let mut store = LogStore { log, id: OWN, process: 1, unsynced, answered };
    store.save_vote(&Vote::new_committed(2, OWN)).await.expect("the disk works");
    disk.set_full(true);
    let written = now(store.blocking_append(blank(id(2, OWN, 0))));
    assert!(matches!(written, Some(Ok(()))), "{written:?}");
    let applied = now(store.unsynced.wait(Some(id(2, OWN, 0))));
    assert!(applied.is_none(), "it is not synced");
    let of_another = now(store.blocking_append(blank(id(1, 3, 1))));
    assert!(of_another.is_none(), "{of_another:?}");
    // A vote would be synced before what waits for a snapshot.
    store.purge(id(1, 3, 9)).await.expect("it is queued");
    let held = now(store.blocking_append(blank(id(2, OWN, 10))));
    assert!(held.is_none(), "{held:?}");
}
