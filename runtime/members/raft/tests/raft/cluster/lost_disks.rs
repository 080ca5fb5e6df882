//! Disks that are lost: whoever has a new one elects nobody, and counts for no majority.

use std::time::Duration;

use turnstile_host::store::Disk;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Backup, Member, Members, Role, Status};

use super::group::{Group, PATIENCE, options};
use crate::register::Register;

/// Starts a member on an empty disk under the id that it had, as a unit does with `--join`.
async fn wipe(group: &mut Group, id: u64) {
    group.lose_disk(id);
    group.join(id).await;
}

/// Members that began by waiting for each other elect nobody while one of them has lost its log.
async fn is_refused_and_not_elected_with(group: &Group, at: u64, lost: u64) {
    let leads = |status: &Status| status.role == Role::Leader;
    let is_decided = |status: &Status| status.refused.contains_key(&lost) || leads(status);
    // One that votes for another each time stands only if it is told to.
    group.members[&at].elect().await.expect("it runs");
    let status = group.members[&at].wait_for(PATIENCE, is_decided).await.expect("it stands");
    assert!(!leads(&status), "member {at} leads by the vote of {lost}");
    let why = &status.refused[&lost];
    assert!(why.contains(&format!("member {lost} has lost its log")), "{why}");
    // It stands for election again: as often as it likes.
    let is_decided = |now: &Status| now.term > status.term + 1 || leads(now);
    let again = group.members[&at].wait_for(PATIENCE, is_decided).await.expect("it stands again");
    assert!(!leads(&again), "member {at} leads by the vote of {lost}");
}

/// Three members, of which the third is replaced by 4: the leader, the other one that is left.
async fn replaced() -> (Group, u64, u64) {
    let mut group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    group.agree(leader).await;
    let [other, replaced] = group.others(leader)[..] else { panic!("three members") };
    group.stop(replaced).await;
    group.members[&leader].remove_member(replaced).await.expect("a majority remains");
    group.join(4).await;
    group.members[&leader].add_member(4, "member-4").await.expect("it receives the log");
    group.agree(leader).await;
    (group, leader, other)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replacement_that_loses_its_disk_elects_nobody_that_lacks_what_it_acknowledged() {
    let (mut group, leader, other) = replaced().await;
    group.stop(other).await;
    group.propose(leader, "acknowledged").await;
    group.stop(leader).await;
    group.stop(4).await;
    wipe(&mut group, 4).await;
    group.join(other).await;
    is_refused_and_not_elected_with(&group, other, 4).await;
    group.join(leader).await;
    let again = group.leader_among(&[leader, other]).await;
    group.propose(again, "after").await;
    assert_eq!(group.registers[&again].operations(), ["acknowledged", "after"]);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_cut_off_is_not_replaced_by_the_vote_of_a_lost_disk() {
    let (mut group, leader, other) = replaced().await;
    group.stop(other).await;
    group.propose(leader, "acknowledged").await;
    for id in [other, 4] {
        group.hub.cut(leader, id);
        group.hub.cut(id, leader);
    }
    group.stop(4).await;
    wipe(&mut group, 4).await;
    group.join(other).await;
    is_refused_and_not_elected_with(&group, other, 4).await;
    // The terms in which the other one stood end that of the leader.
    let term = group.members[&leader].status().term;
    group.hub.heal();
    let leads = |status: &Status| status.role == Role::Leader && status.term > term;
    group.members[&leader].wait_for(PATIENCE, leads).await.expect("it alone has the entry");
    group.propose(leader, "after").await;
    assert_eq!(group.registers[&leader].operations(), ["acknowledged", "after"]);
    group.end().await;
}

/// The entry that adds a member reaches it again, and not those that elect with it: it is no
/// sign that it has all else.
#[tokio::test(flavor = "multi_thread")]
async fn of_five_a_member_that_has_the_entry_that_adds_it_votes_for_nobody_with_a_new_disk() {
    let mut group = Group::start(4, |_| {}).await;
    let leader = group.leader().await;
    group.agree(leader).await;
    group.join(5).await;
    group.members[&leader].add_member(5, "member-5").await.expect("it receives the log");
    group.agree(leader).await;
    let [b, c, d, _] = group.others(leader)[..] else { panic!("five members") };
    group.stop(b).await;
    group.stop(c).await;
    group.propose(leader, "acknowledged by three").await;
    for id in [leader, d, 5] {
        group.stop(id).await;
    }
    wipe(&mut group, 5).await;
    for id in [b, c, d] {
        group.join(id).await;
    }
    let next = group.leader_among(&[d]).await;
    assert_eq!(next, d, "it alone has the entry");
    let why = group.refusal(d, 5).await;
    assert!(why.contains("member 5 has lost its log"), "{why}");
    // Another one of them may lead by now.
    let last = group.leader_among(&[d, b, c]).await;
    group.propose(last, "by the other three").await;
    let rest: Vec<u64> = [b, c, d].into_iter().filter(|id| *id != last).collect();
    group.agree_among(&[last, rest[0], rest[1]]).await;
    group.stop(last).await;
    // Two and the lost one are no majority of five.
    for id in rest {
        is_refused_and_not_elected_with(&group, id, 5).await;
    }
    assert_eq!(group.registers[&5].operations(), [""; 0]);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_begins_once_all_of_its_first_members_have_run() {
    let mut group = Group::empty(|_| {});
    let list: Members = (1..=3).map(|id| (id, format!("member-{id}"))).collect();
    let mut begun = Vec::new();
    for id in 1..=2 {
        group.join(id).await;
        let (member, list) = (group.members[&id].clone(), list.clone());
        begun.push(tokio::spawn(async move { member.initialize(&list).await }));
    }
    // The two have a majority, and wait for the third.
    let most = Duration::from_secs(2);
    let early = group.members[&1].wait_for(most, |status| !status.members.is_empty()).await;
    early.expect_err("one of the first members is missing");
    // It comes late and loses its disk, before and after it has begun.
    group.join(3).await;
    group.stop(3).await;
    wipe(&mut group, 3).await;
    for begins in begun {
        begins.await.expect("it does not panic").expect("all have run");
    }
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    group.agree(leader).await;
    group.stop(3).await;
    wipe(&mut group, 3).await;
    let why = group.refusal(group.leader_among(&[1, 2]).await, 3).await;
    assert!(why.contains("member 3 has lost its log"), "{why}");
    group.end().await;
}

/// Member 3 has told its number, and is wiped before it accepts the group.
#[tokio::test(flavor = "multi_thread")]
async fn a_group_of_which_one_was_wiped_before_it_began_says_how_it_begins() {
    let mut group = Group::empty(|_| {});
    let list: Members = (1..=3).map(|id| (id, format!("member-{id}"))).collect();
    group.join(1).await;
    group.join(3).await;
    let (member, first) = (group.members[&1].clone(), list.clone());
    tokio::spawn(async move { member.initialize(&first).await });
    group.networks[&1].reach(3, 1).await;
    group.stop(3).await;
    group.join(2).await;
    let is_accepted = |status: &Status| status.group.is_some();
    group.members[&1].wait_for(PATIENCE, is_accepted).await.expect("all have run");
    wipe(&mut group, 3).await;
    let why = group.refusal(1, 3).await;
    assert!(why.contains("if none does, the group has not begun: end all"), "{why}");
    for id in 1..=3 {
        group.stop(id).await;
        wipe(&mut group, id).await;
    }
    group.members[&1].initialize(&list).await.expect("it is one of them");
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    group.agree(leader).await;
    group.end().await;
}

/// The process of a first member ends before the log has its first entry.
#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_is_accepted_begins_after_restarts() {
    let mut group = Group::empty(|_| {});
    let list: Members = (1..=3).map(|id| (id, format!("member-{id}"))).collect();
    for id in 1..=3 {
        group.join(id).await;
    }
    // Nothing comes back to member 1: the others accept its group, and it does not hear it.
    let (member, first) = (group.members[&1].clone(), list.clone());
    tokio::spawn(async move { member.initialize(&first).await });
    let is_accepted = |status: &Status| status.group.is_some();
    group.members[&2].wait_for(PATIENCE, is_accepted).await.expect("it is one of them");
    for id in 1..=3 {
        group.stop(id).await;
    }
    for id in 1..=3 {
        group.join(id).await;
    }
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    group.agree(leader).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_is_restored_twice_has_lost_its_log() {
    let first = Group::start(1, |_| {}).await;
    first.propose(first.leader().await, "before").await;
    let backup = first.members[&1].backup().await.expect("it has applied something");
    first.end().await;
    let list: Members = (1..=3).map(|id| (id, format!("member-{id}"))).collect();
    let mut group = Group::empty(|_| {});
    for id in 1..=3 {
        group.restore_from(id, &backup, &list).await;
        group.join(id).await;
    }
    let leader = group.leader().await;
    group.agree(leader).await;
    let [other, lost] = group.others(leader)[..] else { panic!("three members") };
    group.stop(other).await;
    group.propose(leader, "acknowledged").await;
    group.stop(leader).await;
    group.stop(lost).await;
    group.lose_disk(lost);
    group.restore_from(lost, &backup, &list).await;
    group.join(lost).await;
    group.join(other).await;
    is_refused_and_not_elected_with(&group, other, lost).await;
    group.join(leader).await;
    let again = group.leader_among(&[leader, other]).await;
    group.propose(again, "after").await;
    assert_eq!(group.registers[&again].operations(), ["before", "acknowledged", "after"]);
    group.end().await;
}

/// Members of one list that are restored from different states are of different groups.
#[tokio::test(flavor = "multi_thread")]
async fn members_that_are_restored_from_different_states_refuse_each_other() {
    let list: Members = (1..=2).map(|id| (id, format!("member-{id}"))).collect();
    let (hub, mut members) = (Hub::new(), Vec::new());
    for id in 1..=2 {
        let disk = Disk::default();
        let backup = Backup::of_state(format!("of {id}"));
        let restored = Member::restore(&options(id), Box::new(disk.open()), &backup, &list).await;
        restored.expect("the disk is empty");
        let store = Box::new(disk.open());
        let member = Member::start(options(id), store, Register::default(), hub.join(id)).await;
        members.push(member.expect("the log is whole"));
    }
    let is_refused = |status: &Status| status.refused.contains_key(&2);
    let status = members[0].wait_for(PATIENCE, is_refused).await.expect("it is refused");
    assert!(status.refused[&2].contains("from a snapshot"), "{:?}", status.refused);
    assert!(status.members.is_empty(), "it has not begun");
    for member in members {
        member.stop().await;
    }
}
