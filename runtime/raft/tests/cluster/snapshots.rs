//! Snapshots: of a member that restarts, and for one that lags behind.

use turnstile_raft::Status;

use crate::group::{Group, PATIENCE};

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_lags_behind_is_given_a_snapshot() {
    let mut group = Group::start(3, |options| {
        options.keep_entries = 0;
        // Many parts.
        options.snapshot_chunk_bytes = 64;
    })
    .await;
    let leader = group.leader().await;
    let late = group.others(leader)[0];
    group.stop(late).await;
    for number in 0..50 {
        group.propose(leader, &format!("operation {number}")).await;
    }
    let snapshot = group.members[&leader].snapshot().await.expect("it is made");
    let index = snapshot.snapshot_index;
    assert!(index.is_some());
    let purged = |status: &Status| status.purged_index == index;
    group.members[&leader].wait_for(PATIENCE, purged).await.expect("its entries are purged");
    group.join(late).await;
    group.agree(leader).await;
    let status = group.members[&late].status();
    assert_eq!(status.snapshot_index, index, "it received the snapshot");
    // It restarts from the snapshot that it has received.
    group.stop(late).await;
    group.join(late).await;
    assert_eq!(group.registers[&late].operations().len(), 50);
    group.propose(leader, "the last").await;
    group.agree(leader).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_restarts_from_its_snapshot_and_the_entries_after_it() {
    let mut group = Group::start(1, |options| options.keep_entries = 0).await;
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    let index = group.members[&leader].snapshot().await.expect("it is made").snapshot_index;
    group.propose(leader, "b").await;
    group.stop(leader).await;
    group.join(leader).await;
    let leader = group.leader().await;
    assert_eq!(group.members[&leader].status().snapshot_index, index);
    assert_eq!(group.propose(leader, "c").await, "3");
    assert_eq!(group.registers[&leader].operations(), ["a", "b", "c"]);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshots_are_made_after_so_many_entries() {
    let group = Group::start(3, |options| {
        (options.snapshot_every, options.keep_entries) = (20, 5);
    })
    .await;
    let leader = group.leader().await;
    for number in 0..60 {
        group.propose(leader, &number.to_string()).await;
    }
    for member in group.members.values() {
        let has_purged = |status: &Status| status.purged_index > Some(20);
        member.wait_for(PATIENCE, has_purged).await.expect("it makes snapshots");
    }
    group.agree(leader).await;
    group.end().await;
}
