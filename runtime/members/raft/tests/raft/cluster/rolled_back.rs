//! Disks that are as they were before: whoever has what the others have lost says so and stops.

use turnstile_host::store::Disk;
use turnstile_raft::Status;

use super::group::{Group, PATIENCE};

/// A majority runs with older data: three members of which two are as they were before the
/// acknowledged operation. The third one has applied it, and perhaps purged it.
async fn rolled_back(is_purged: bool) -> (Group, u64, [u64; 2]) {
    let mut group = Group::start(3, |options| options.keep_entries = 0).await;
    let leader = group.leader().await;
    group.propose(leader, "kept").await;
    group.agree(leader).await;
    let others = group.others(leader);
    let others = [others[0], others[1]];
    for id in others {
        group.stop(id).await;
    }
    let older = others.map(|id| group.back_up(id));
    group.join(others[0]).await;
    group.propose(leader, "acknowledged").await;
    if is_purged {
        // As many as the next leader begins with, and more.
        for number in 0..4 {
            group.propose(leader, &format!("more {number}")).await;
        }
        purge(&group, leader).await;
    }
    group.stop(leader).await;
    group.stop(others[0]).await;
    for (id, disk) in others.into_iter().zip(older) {
        group.restore(id, disk);
        group.join(id).await;
    }
    group.leader_among(&others).await;
    (group, leader, others)
}

/// Makes a snapshot, and waits until no entry is left before it.
async fn purge(group: &Group, id: u64) {
    let made = group.members[&id].snapshot().await.expect("it has applied something");
    let has_purged = |status: &Status| status.purged_index == made.snapshot_index;
    group.members[&id].wait_for(PATIENCE, has_purged).await.expect("its entries are purged");
}

/// Waits until a member stops since acknowledged changes are lost.
async fn notices_the_loss(group: &Group, id: u64) {
    let has_failed = |status: &Status| status.failure.is_some();
    let failed = group.members[&id].wait_for(PATIENCE, has_failed).await;
    let why = failed.expect("it stops").failure.expect("it was waited for");
    assert!(why.contains("acknowledged changes are lost: the leader lacks entry"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_whose_applied_entry_is_to_be_dropped_says_that_changes_are_lost() {
    let (mut group, leader, others) = rolled_back(false).await;
    group.join(leader).await;
    notices_the_loss(&group, leader).await;
    let now = group.leader_among(&others).await;
    let why = group.refusal(now, leader).await;
    assert!(why.contains("it has stopped, since acknowledged changes are lost"), "{why}");
    // And again at each start.
    group.stop(leader).await;
    group.join(leader).await;
    notices_the_loss(&group, leader).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_has_purged_the_entry_to_be_dropped_says_that_changes_are_lost() {
    let (mut group, leader, _others) = rolled_back(true).await;
    group.join(leader).await;
    notices_the_loss(&group, leader).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_whose_applied_entry_a_snapshot_lacks_says_that_changes_are_lost() {
    let (mut group, leader, others) = rolled_back(false).await;
    let next = group.leader_among(&others).await;
    for number in 0..20 {
        group.propose(next, &format!("later {number}")).await;
    }
    purge(&group, next).await;
    group.join(leader).await;
    notices_the_loss(&group, leader).await;
    group.end().await;
}

/// The one that noticed has what is lost: alone it applies all that it had answered for.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_others_have_lost_is_in_a_snapshot_of_the_one_that_noticed() {
    let (mut group, leader, others) = rolled_back(false).await;
    for id in others {
        group.stop(id).await;
    }
    group.join(leader).await;
    let has_applied = |status: &Status| status.applied_index.is_some();
    group.members[&leader].wait_for(PATIENCE, has_applied).await.expect("it has what it had");
    let backup = group.members[&leader].backup().await.expect("it has applied something");
    assert_eq!(backup.state(), b"kept\nacknowledged");
    group.end().await;
}

/// Elects a member of these, on these disks, in this term if one is given. Returns the term.
async fn elect(group: &mut Group, disks: &[(u64, Disk)], leader: u64, term: Option<u64>) -> u64 {
    let ids: Vec<u64> = disks.iter().map(|(id, _)| *id).collect();
    // An election may end otherwise.
    loop {
        for (id, disk) in disks {
            group.restore(*id, disk.copy());
            group.join(*id).await;
        }
        group.members[&leader].elect().await.expect("it runs");
        let elected = group.leader_among(&ids).await;
        let now = group.members[&elected].status().term;
        if elected == leader && term.is_none_or(|term| term == now) {
            return now;
        }
        for id in &ids {
            group.stop(*id).await;
        }
    }
}

/// Three members of which two run with older data, and the same one leads them in the same term as
/// before: its entries have the ids of the acknowledged ones, which the third has applied. Returns
/// the one that leads, and the third.
async fn led_twice(is_purged: bool) -> (Group, u64, u64) {
    let mut group = Group::start(3, |options| options.keep_entries = 0).await;
    let leader = group.leader().await;
    group.propose(leader, "kept").await;
    group.agree(leader).await;
    let [other, third] = group.others(leader)[..] else { panic!("three members") };
    let ids = [leader, other, third];
    for id in ids {
        group.stop(id).await;
    }
    let older = ids.map(|id| (id, group.back_up(id)));
    let term = elect(&mut group, &older, leader, None).await;
    group.propose(leader, "acknowledged").await;
    group.agree(leader).await;
    for id in ids {
        group.stop(id).await;
    }
    elect(&mut group, &older[..2], leader, Some(term)).await;
    for number in 0..3 {
        group.propose(leader, &format!("other {number}")).await;
    }
    if is_purged {
        purge(&group, leader).await;
    }
    (group, leader, third)
}

/// Waits until one of two members stops: the one that has applied an entry, or the one that has
/// applied the other one with its id.
async fn one_notices_two_entries(group: &Group, one: u64, other: u64) {
    let fails = |id| group.members[id].wait_for(PATIENCE, |status| status.failure.is_some());
    let failed = tokio::select! {
        failed = fails(&one) => failed,
        failed = fails(&other) => failed,
    };
    let why = failed.expect("it stops").failure.expect("it was waited for");
    let found =
        why.find("acknowledged changes are lost: ").zip(why.find("has written two entries"));
    found.unwrap_or_else(|| panic!("{why}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_of_the_same_leader_and_term_that_is_another_is_noticed() {
    let (mut group, leader, third) = led_twice(false).await;
    group.join(third).await;
    one_notices_two_entries(&group, leader, third).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_with_another_entry_of_the_same_leader_and_term_is_noticed() {
    let (mut group, leader, third) = led_twice(true).await;
    group.join(third).await;
    one_notices_two_entries(&group, leader, third).await;
    group.end().await;
}

/// Another leader follows, in a later term: the entries before it are those of both.
#[tokio::test(flavor = "multi_thread")]
async fn two_entries_of_a_former_leader_are_noticed() {
    let (mut group, leader, third) = led_twice(false).await;
    let others = group.others(leader);
    group.stop(leader).await;
    group.join(third).await;
    one_notices_two_entries(&group, others[0], third).await;
    group.end().await;
}
