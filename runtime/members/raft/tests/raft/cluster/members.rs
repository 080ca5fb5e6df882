//! Changes of the members.

use std::collections::BTreeSet;
use std::time::Duration;

use turnstile_raft::{MemberChange, MemberError, Status, VoteChange};

use super::group::{Group, PATIENCE};

#[tokio::test(flavor = "multi_thread")]
async fn members_are_added_and_removed() {
    let mut group = Group::start(1, |_| {}).await;
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    for id in 2..=4 {
        group.join(id).await;
        let added = group.members[&leader].add_member(id, &format!("member-{id}")).await;
        added.expect("the member receives the log");
        group.propose(leader, &format!("with {id}")).await;
    }
    group.agree(leader).await;
    let status = group.members[&leader].status();
    assert_eq!(status.voters, [BTreeSet::from([1, 2, 3, 4])]);
    group.members[&leader].remove_member(2).await.expect("a majority remains");
    let status = group.members[&leader].status();
    assert_eq!(status.voters, [BTreeSet::from([1, 3, 4])]);
    assert!(!status.members.contains_key(&2));
    group.stop(2).await;
    group.propose(leader, "without 2").await;
    group.agree(leader).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_has_the_leader_change_the_members() {
    let mut group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let follower = group.others(leader)[0];
    group.join(4).await;
    let add = MemberChange::Add { id: 4, address: "member-4".into() };
    let knows = |status: &Status| status.leader == Some(leader);
    group.members[&follower].wait_for(PATIENCE, knows).await.expect("it hears the leader");
    group.members[&follower].change_members(&add).await.expect("it receives the log");
    let voters = &group.members[&leader].status().voters;
    assert_eq!(*voters, [BTreeSet::from([1, 2, 3, 4])]);
    let remove = MemberChange::Remove { id: follower };
    group.members[&follower].change_members(&remove).await.expect("a majority remains");
    assert!(!group.members[&leader].status().members.contains_key(&follower));
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_removes_itself_is_replaced() {
    let group = Group::start(3, |_| {}).await;
    let old = group.leader().await;
    group.members[&old].remove_member(old).await.expect("a majority remains");
    let new = group.leader_among(&group.others(old)).await;
    assert_ne!(new, old);
    let knows = |status: &Status| status.is_removed() && status.leader != Some(old);
    group.members[&old].wait_for(PATIENCE, knows).await.expect("it knows that it is removed");
    group.propose(new, "a").await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_was_removed_while_it_was_cut_off_hears_of_it() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let removed = group.others(leader)[0];
    group.propose(leader, "a").await;
    group.agree(leader).await;
    group.hub.isolate(removed);
    group.members[&leader].remove_member(removed).await.expect("a majority remains");
    group.propose(leader, "b").await;
    assert!(!group.members[&removed].status().is_removed(), "it hears nothing");
    group.hub.heal();
    let heard = group.members[&removed].wait_for(PATIENCE, Status::is_removed).await;
    let heard = heard.expect("it hears of it");
    assert_eq!(heard.vote_change(removed), Some(VoteChange::Gone));
    group.propose(leader, "c").await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_at_the_same_time_are_made_one_after_the_other() {
    let mut group = Group::start(1, |_| {}).await;
    let leader = group.leader().await;
    group.join(2).await;
    group.join(3).await;
    let member = &group.members[&leader];
    let (second, third) =
        tokio::join!(member.add_member(2, "member-2"), member.add_member(3, "member-3"));
    second.expect("it is added");
    third.expect("it is added");
    assert_eq!(member.status().voters, [BTreeSet::from([1, 2, 3])]);
    let error = group.members[&2].add_member(4, "member-4").await.expect_err("it does not lead");
    assert!(matches!(error, MemberError::NotLeader { .. }), "{error}");
    let is_member = |status: &Status| status.voters == [BTreeSet::from([1, 2, 3])];
    group.members[&3].wait_for(PATIENCE, is_member).await.expect("it hears of the change");
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_member_cannot_be_removed() {
    let group = Group::start(1, |_| {}).await;
    let leader = group.leader().await;
    let error = group.members[&leader].remove_member(1).await.expect_err("none would remain");
    assert!(matches!(error, MemberError::Membership { .. }), "{error}");
    group.propose(leader, "a").await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_after_which_no_majority_would_answer_is_refused() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let [lost, other] = group.others(leader)[..] else { panic!("there are two others") };
    group.hub.isolate(lost);
    let error = group.members[&leader].remove_member(other).await.expect_err("one remains");
    let why = "only 1 of the 2 members that would have a vote answers, which is no majority, so \
               nothing is changed";
    assert!(error.to_string().contains(why), "{error}");
    assert_eq!(group.members[&leader].status().voters, [BTreeSet::from([1, 2, 3])]);
    group.propose(leader, "a").await;
    group.members[&leader].remove_member(lost).await.expect("the others are a majority");
    group.propose(leader, "b").await;
    group.end().await;
}

/// How far the change is when the leader is cut off is left to chance.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_its_leader_has_left_half_done_is_finished_by_the_next() {
    let group = Group::start(5, |options| options.timeout = Duration::from_secs(3)).await;
    let old = group.leader().await;
    let removed = group.others(old)[0];
    let leader = group.members[&old].clone();
    let changing = tokio::spawn(async move { leader.remove_member(removed).await });
    let all = [BTreeSet::from([1, 2, 3, 4, 5])];
    let is_told = |status: &Status| status.voters != all;
    let others = group.others(old);
    group.members[&others[1]].wait_for(PATIENCE, is_told).await.expect("it is told");
    group.hub.isolate(old);
    let remaining: Vec<u64> = others.into_iter().filter(|id| *id != removed).collect();
    let is_uniform = |status: &Status| {
        status.leader.is_some_and(|leader| leader != old) && status.voters.len() == 1
    };
    group.members[&remaining[0]].wait_for(PATIENCE, is_uniform).await.expect("it is finished");
    // What its caller is told depends on how far it is.
    let _told = changing.await.expect("it does not panic");
    group.end().await;
}
