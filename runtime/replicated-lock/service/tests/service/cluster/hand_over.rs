//! Locks that go from member to member, while all are connected.

use tokio::time::timeout;
use turnstile_replicated_lock::{LockStatus, StatusChange, lock_name};

use super::group::{Group, LOCK, PATIENCE};

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_excludes_and_its_tokens_grow() {
    let group = Group::start(3, |_| {}).await;
    let mut tokens = Vec::new();
    for round in 0..9 {
        let at = 1 + round % 3;
        let guard = group.lock(at, LOCK).await;
        for other in group.others(at) {
            let tried = group.members[&other].lock(LOCK).try_lock().await;
            assert!(tried.expect("it is connected").is_none(), "{other} tries");
        }
        tokens.push(guard.token());
        guard.unlock().await.expect("it is connected");
    }
    assert!(tokens.is_sorted_by(|one, next| one < next), "{tokens:?}");
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiters_are_served_in_their_order() {
    let group = Group::start(3, |_| {}).await;
    let holder = group.lock(1, LOCK).await;
    let mut waiting = Vec::new();
    for at in [2, 3] {
        let mut changes = group.members[&at].changes();
        let mutex = group.members[&at].lock(LOCK);
        waiting.push(tokio::spawn(async move { mutex.lock().await }));
        group.waits(at, &mut changes).await;
    }
    let (first, token) = (waiting.remove(0), holder.token());
    holder.unlock().await.expect("it is connected");
    let second = timeout(PATIENCE, first).await.expect("it is the first").expect("it ends");
    let second = second.expect("it is connected");
    assert!(!waiting[0].is_finished());
    assert!(second.token() > token);
    let token = second.token();
    drop(second);
    let third = timeout(PATIENCE, waiting.remove(0)).await.expect("it is next");
    assert!(third.expect("it ends").expect("it is connected").token() > token);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_one_member_take_turns() {
    let group = Group::start(3, |_| {}).await;
    let holder = group.lock(2, LOCK).await;
    let tried = group.members[&2].lock(LOCK).try_lock().await;
    assert!(tried.expect("it is connected").is_none());
    let mutex = group.members[&2].lock(LOCK);
    let next = tokio::spawn(async move { mutex.lock().await });
    let token = holder.token();
    drop(holder);
    let next = timeout(PATIENCE, next).await.expect("it is next").expect("it ends");
    assert!(next.expect("it is connected").token() > token);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_wait_gives_the_lock_back() {
    let group = Group::start(3, |_| {}).await;
    let holder = group.lock(1, LOCK).await;
    let mut changes = group.members[&2].changes();
    let mutex = group.members[&2].lock(LOCK);
    let waiting = tokio::spawn(async move { mutex.lock().await.map(|guard| guard.token()) });
    group.waits(2, &mut changes).await;
    waiting.abort();
    assert!(waiting.await.expect_err("it is aborted").is_cancelled());
    drop(holder);
    drop(group.lock(3, LOCK).await);
    drop(group.lock(2, LOCK).await);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_hear_each_change_in_order() {
    let group = Group::start(3, |options| options.changes_max = 2).await;
    let (mut changes, mut slow) = (group.members[&3].changes(), group.members[&3].changes());
    let guard = group.lock(3, LOCK).await;
    let token = guard.token();
    let change = |status, token| {
        Some(StatusChange { lock: lock_name(LOCK), id: Some(LOCK.to_owned()), status, token })
    };
    assert_eq!(changes.next().await, Ok(change(LockStatus::Holding, Some(token))));
    guard.unlock().await.expect("it is connected");
    assert_eq!(changes.next().await, Ok(change(LockStatus::None, None)));
    let again = group.lock(3, LOCK).await;
    assert_eq!(changes.next().await, Ok(change(LockStatus::Holding, Some(again.token()))));
    assert_eq!(slow.next().await.expect_err("one is lost").0, 1);
    assert_eq!(slow.next().await, Ok(change(LockStatus::None, None)));
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_names_locks_holders_and_waiters() {
    let group = Group::start(3, |_| {}).await;
    let _holder = group.lock(1, LOCK).await;
    let mut changes = group.members[&2].changes();
    let mutex = group.members[&2].lock(LOCK);
    let waiting = tokio::spawn(async move { mutex.lock().await });
    group.waits(2, &mut changes).await;
    let status = group.members[&2].status();
    let lock = &status.locks[..];
    assert_eq!(lock.len(), 1, "{status:#?}");
    assert_eq!(lock[0].id.as_deref(), Some(LOCK));
    assert_eq!(lock[0].holder.and_then(|holder| holder.id), Some(1));
    assert_eq!(lock[0].waiters.iter().map(|waiter| waiter.id).collect::<Vec<_>>(), [Some(2)]);
    assert!(status.is_ready);
    waiting.abort();
    group.end().await;
}
