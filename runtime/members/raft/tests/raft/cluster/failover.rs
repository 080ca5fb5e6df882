//! Proposals, and what becomes of them when the leader is cut off.

use std::time::Duration;

use turnstile_raft::{MemberError, Role, Status};

use super::group::{Group, PATIENCE};

#[tokio::test(flavor = "multi_thread")]
async fn operations_are_applied_by_all_in_one_order() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    assert_eq!(group.propose(leader, "a").await, "1");
    let many = (0..500).map(|number| group.members[&leader].propose(format!("b{number}")));
    let handles: Vec<_> = many.map(Box::pin).collect();
    let mut answers = Vec::new();
    for handle in join(handles).await {
        answers.push(handle.expect("there is a majority"));
    }
    assert_eq!(answers.len(), 500);
    let status = group.members[&leader].status();
    // 500 operations, the leader's blank entry, the membership, and the first operation.
    assert!(status.last_log_index < Some(100), "{status:?}");
    group.agree(leader).await;
    assert_eq!(group.registers[&leader].operations().len(), 501);
    group.end().await;
}

/// Polls all futures and waits for all.
async fn join<F: Future>(mut futures: Vec<std::pin::Pin<Box<F>>>) -> Vec<F::Output> {
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        let is_done = outputs.iter().all(Option::is_some);
        if is_done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_names_the_leader() {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    let follower = group.others(leader)[0];
    let knows = |status: &Status| status.leader == Some(leader);
    group.members[&follower].wait_for(PATIENCE, knows).await.expect("it hears the leader");
    let error = group.members[&follower].propose("a").await.expect_err("it does not lead");
    assert!(error.is_not_executed());
    let MemberError::NotLeader { leader: Some(peer) } = error else { panic!("{error}") };
    assert_eq!((peer.id, peer.address), (leader, format!("member-{leader}")));
    let error = group.members[&follower].read_index().await.expect_err("it does not lead");
    assert!(matches!(error, MemberError::NotLeader { .. }), "{error}");
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_cut_off_is_replaced_and_catches_up() {
    let group = Group::start(3, |options| options.timeout = Duration::from_secs(3)).await;
    let old = group.leader().await;
    group.propose(old, "before").await;
    let read = group.members[&old].read_index().await.expect("a majority confirms");
    assert!(read.is_some());
    group.hub.isolate(old);
    let lost = group.members[&old].propose("lost").await.expect_err("no majority is reached");
    assert_eq!(lost, MemberError::NoQuorum);
    assert!(!lost.is_not_executed(), "the outcome is unknown");
    let error = group.members[&old].read_index().await.expect_err("no majority confirms");
    assert!(matches!(error, MemberError::NoQuorum | MemberError::TimedOut), "{error}");
    let new = group.leader_among(&group.others(old)).await;
    assert_ne!(new, old);
    group.propose(new, "after").await;
    group.hub.heal();
    let follows = |status: &Status| status.role == Role::Follower && status.leader == Some(new);
    group.members[&old].wait_for(PATIENCE, follows).await.expect("it hears the new leader");
    group.propose(new, "together").await;
    group.agree(new).await;
    assert_eq!(group.registers[&old].operations(), ["before", "after", "together"]);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_whose_answers_are_lost_is_replaced() {
    let group = Group::start(3, |_| {}).await;
    let old = group.leader().await;
    for other in group.others(old) {
        group.hub.cut(old, other);
    }
    let new = group.leader_among(&group.others(old)).await;
    group.propose(new, "a").await;
    group.hub.heal();
    group.agree(new).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_members_restart_with_what_was_acknowledged() {
    let mut group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    for operation in ["a", "b", "c"] {
        group.propose(leader, operation).await;
    }
    let term = group.members[&leader].status().term;
    for id in 1..=3 {
        group.stop(id).await;
    }
    for id in 1..=3 {
        group.join(id).await;
    }
    let leader = group.leader().await;
    let led = group.members[&leader].status().term;
    assert!(led > term, "which entries were committed in term {term} is not known in term {led}");
    assert_eq!(group.propose(leader, "d").await, "4");
    group.agree(leader).await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_member_and_a_large_operation_are_refused() {
    let group = Group::start(1, |options| options.operation_bytes = 8).await;
    let leader = group.leader().await;
    let error = group.members[&leader].propose("123456789").await.expect_err("it is too large");
    assert_eq!(error, MemberError::TooLarge { len: 9, most: 8 });
    group.members[&leader].stop().await;
    let error = group.members[&leader].propose("a").await.expect_err("it has stopped");
    assert!(matches!(error, MemberError::Stopped { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bytes_that_wait_are_bounded() {
    let group = Group::start(3, |options| {
        (options.timeout, options.operation_bytes) = (Duration::from_secs(2), 400);
        (options.queue_bytes, options.entry_operations) = (1000, 1);
    })
    .await;
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    group.hub.isolate(leader);
    let many = (0..12).map(|_| group.members[&leader].propose(vec![b'x'; 300]));
    let outcomes = join(many.map(Box::pin).collect()).await;
    let full = outcomes.iter().filter(|outcome| **outcome == Err(MemberError::QueueFull)).count();
    // One is in flight, and three have room.
    assert_eq!(full, 12 - 1 - 3, "{outcomes:?}");
    let text = MemberError::QueueFull.to_string();
    assert!(text.contains("bytes"), "{text}");
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_forwards_to_the_leader_and_to_the_next_one() {
    let group = Group::start(3, |_| {}).await;
    let old = group.leader().await;
    let follower = group.others(old)[0];
    let answer = group.members[&follower].forward("a").await.expect("the leader executes it");
    assert_eq!(answer, "1");
    group.hub.isolate(old);
    let new = group.leader_among(&group.others(old)).await;
    let follower = group.others(old).into_iter().find(|id| *id != new).expect("there are three");
    let answer = group.members[&follower].forward("b").await.expect("the leader executes it");
    assert_eq!(answer, "2");
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_without_a_leader_waits_for_one() {
    let group = Group::start(3, |_| {}).await;
    let answer = group.members[&2].forward("a").await.expect("a leader is elected");
    assert_eq!(answer, "1");
    group.end().await;
}
