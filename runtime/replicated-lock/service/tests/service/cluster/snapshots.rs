//! A member that lags behind gets a snapshot.

use tokio::time::timeout;
use turnstile_replicated_lock::LockService;

use super::group::{Group, LOCK, PATIENCE};

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_lags_behind_gets_a_snapshot() {
    let group = Group::start(3, |options| {
        (options.raft.snapshot_every, options.raft.keep_entries) = (20, 0);
    })
    .await;
    let leader = group.leader().await;
    let others = group.others(leader);
    let (cut, other) = (others[0], others[1]);
    let lost = group.lock(cut, "lost").await;
    group.hub.isolate(cut);
    timeout(PATIENCE, lost.lost()).await.expect("it is in a minority");
    let before = lost.token();
    drop(lost);
    let held = group.lock(other, LOCK).await;
    for _ in 0..30 {
        group.lock(leader, "often").await.unlock().await.expect("it is connected");
    }
    let purged = |status: &turnstile_raft::Status| status.purged_index.is_some();
    let status = group.members[&leader].raft().wait_for(PATIENCE, purged).await;
    let status = status.expect("it makes snapshots");
    assert!(status.purged_index > group.members[&cut].raft().status().last_log_index);
    group.hub.heal();
    group.ready(cut).await;
    let member: &LockService = &group.members[&cut];
    assert!(member.raft().status().snapshot_index >= status.purged_index);
    assert!(member.lock(LOCK).try_lock().await.expect("it is connected").is_none());
    assert!(group.lock(cut, "lost").await.token() > before);
    let token = held.token();
    drop(held);
    assert!(group.lock(cut, LOCK).await.token() > token);
    group.end().await;
}
