//! Members that are cut off, stop, or restart.

use tokio::time::timeout;
use turnstile_replicated_lock::LockError;

use super::group::{Group, LOCK, PATIENCE};

#[tokio::test(flavor = "multi_thread")]
async fn the_locks_of_a_stopped_leader_are_granted_to_their_waiters() {
    let mut group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let others = group.others(leader);
    let (waiter, keeper) = (others[0], others[1]);
    let kept = group.lock(keeper, "kept").await;
    let held = group.lock(leader, LOCK).await;
    let token = held.token();
    let mut changes = group.members[&waiter].changes();
    let mutex = group.members[&waiter].lock(LOCK);
    let waiting = tokio::spawn(async move { mutex.lock().await });
    group.waits(waiter, &mut changes).await;
    group.stop(leader).await;
    timeout(PATIENCE, held.lost()).await.expect("its member has stopped");
    let granted = timeout(PATIENCE, waiting).await;
    let granted = granted.unwrap_or_else(|_| panic!("{:#?}", group.all()));
    let granted = granted.expect("it ends").expect("the majority has persisted");
    assert!(granted.token() > token);
    assert!(!kept.is_lost(), "the members of the majority keep their locks");
    kept.unlock().await.expect("it holds it");
    group.join(leader).await;
    group.ready(leader).await;
    drop(granted);
    drop(group.lock(leader, LOCK).await);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_that_is_cut_off_loses_its_lock_and_can_lock_again() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let others = group.others(leader);
    let (cut, other) = (others[0], others[1]);
    let held = group.lock(cut, LOCK).await;
    let mutex = group.members[&other].lock(LOCK);
    let waiting = tokio::spawn(async move { mutex.lock().await });
    group.hub.isolate(cut);
    timeout(PATIENCE, held.lost()).await.expect("it is in a minority");
    assert_eq!(group.members[&cut].status().member, "resigned");
    let granted = timeout(PATIENCE, waiting).await;
    let granted = granted.unwrap_or_else(|_| panic!("{:#?}", group.all()));
    let granted = granted.expect("it ends").expect("the majority has persisted");
    assert!(granted.token() > held.token());
    assert_eq!(held.unlock().await, Err(LockError::Lost));
    group.hub.heal();
    group.ready(cut).await;
    let token = granted.token();
    drop(granted);
    assert!(group.lock(cut, LOCK).await.token() > token);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_cut_off_fails_and_its_late_command_is_void() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let others = group.others(leader);
    group.hub.isolate(leader);
    // It does not know yet that it is alone.
    let locked = group.members[&leader].lock(LOCK).lock().await;
    assert_eq!(locked.expect_err("it is alone"), LockError::Failed);
    let locked = group.members[&leader].lock(LOCK).lock().await;
    assert_eq!(locked.expect_err("it is alone"), LockError::NoMajority);
    group.leader_among(&others).await;
    let held = group.lock(others[0], LOCK).await;
    group.hub.heal();
    group.ready(leader).await;
    assert!(!held.is_lost());
    held.unlock().await.expect("it is connected");
    drop(group.lock(leader, LOCK).await);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_locks_are_cleared_when_no_majority_was_left() {
    let group = Group::start(3, |_| {}).await;
    let held = group.lock(1, LOCK).await;
    let second = group.lock(2, "second").await;
    for id in 1..=3 {
        group.hub.isolate(id);
    }
    timeout(PATIENCE, held.lost()).await.expect("it is in a minority");
    timeout(PATIENCE, second.lost()).await.expect("it is in a minority");
    group.hub.heal();
    assert!(group.lock(3, LOCK).await.token() > held.token());
    assert!(group.lock(1, "second").await.token() > second.token());
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_holder_does_not_hold() {
    let mut group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let id = group.others(leader)[0];
    let held = group.lock(id, LOCK).await;
    let before = group.members[&id].status().address;
    group.stop(id).await;
    group.join(id).await;
    group.ready(id).await;
    assert_ne!(group.members[&id].status().address, before);
    assert!(group.lock(id, LOCK).await.token() > held.token());
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_member_answers_at_once() {
    let mut group = Group::start(3, |_| {}).await;
    let held = group.lock(2, LOCK).await;
    let (first, second) = (group.members[&2].lock(LOCK), group.members[&2].lock("second"));
    let waiting = tokio::spawn(async move { first.lock().await });
    group.stop(2).await;
    assert_eq!(second.lock().await.expect_err("it has stopped"), LockError::Stopped);
    assert_eq!(held.unlock().await, Err(LockError::Stopped));
    let waited = timeout(PATIENCE, waiting).await.expect("it ends").expect("it does not panic");
    assert_eq!(waited.expect_err("it has stopped"), LockError::Stopped);
    // All handles of the former one are dropped only now that the next one runs.
    group.join(2).await;
    drop(second);
    group.ready(2).await;
    drop(group.lock(2, LOCK).await);
    group.end().await;
}

/// Its task waits for the disk: it neither sends heartbeats nor says that it has no majority.
#[tokio::test(flavor = "multi_thread")]
async fn a_leader_whose_disk_is_full_loses_its_locks() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let held = group.lock(leader, LOCK).await;
    group.disks[&leader].set_full(true);
    let other = group.members[&leader].lock("other");
    let stuck = tokio::spawn(async move { other.lock().await });
    timeout(PATIENCE, held.lost()).await.expect("it reaches no majority");
    let next = group.lock(group.others(leader)[0], LOCK).await;
    assert!(next.token() > held.token());
    group.disks[&leader].set_full(false);
    // It has failed, or is granted by the next leader; then nobody takes the guard.
    drop(timeout(PATIENCE, stuck).await.expect("its command ends").expect("it does not panic"));
    next.unlock().await.expect("it is connected");
    group.ready(leader).await;
    group.end().await;
}

/// It reports to the leader as before, and would wait for ever for a grant that it does not see.
#[tokio::test(flavor = "multi_thread")]
async fn a_follower_whose_disk_is_full_loses_the_lock_that_it_is_granted() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let others = group.others(leader);
    let (hung, other) = (others[0], others[1]);
    let held = group.lock(other, LOCK).await;
    let mut changes = group.members[&hung].changes();
    let mutex = group.members[&hung].lock(LOCK);
    let waiting = tokio::spawn(async move { mutex.lock().await });
    group.waits(hung, &mut changes).await;
    group.disks[&hung].set_full(true);
    let token = held.token();
    held.unlock().await.expect("there is a majority");
    let holder = group.members[&leader].status().locks[0].holder;
    assert_eq!(holder.and_then(|holder| holder.id), Some(hung));
    let next = group.lock(leader, LOCK).await;
    assert!(next.token() > token);
    let failed = timeout(PATIENCE, waiting).await.expect("it resigns").expect("it ends");
    assert!(failed.is_err(), "{failed:?}");
    group.disks[&hung].set_full(false);
    next.unlock().await.expect("there is a majority");
    group.ready(hung).await;
    drop(group.lock(hung, LOCK).await);
    group.end().await;
}
