//! Tries: a lock that is not free now is not waited for.

use std::time::Duration;

use tokio::time::timeout;
use turnstile_group_lock::Guard;

use super::{PATIENCE, start, view_of};

/// A try needs one round to the coordinator: it never takes so long.
const TRIED: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn a_try_fails_at_once_while_a_caller_of_the_same_member_holds_the_lock() {
    let first = start(&[]).await;
    view_of(&first, 1).await;
    let held = first.lock("job").await;
    for _ in 0..10 {
        let tried = timeout(TRIED, first.try_lock("job")).await.expect("a try does not wait");
        assert!(tried.is_none(), "it is held");
    }
    drop(held);
    let tried = timeout(TRIED, first.try_lock("job")).await.expect("a try does not wait");
    assert!(tried.is_some(), "it is free");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_try_fails_at_once_while_a_caller_of_the_same_member_waits_for_the_lock() {
    let first = start(&[]).await;
    let second = start(&[&first]).await;
    for member in [&first, &second] {
        view_of(member, 2).await;
    }
    let held = first.lock("job").await;
    let (waiting, member) = (second.clone(), second.clone());
    let waiting = tokio::spawn(async move { drop(waiting.lock("job").await) });
    let is_queued = async {
        while !member.status().locks.iter().any(|lock| lock.waiters == 1) {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, is_queued).await.expect("the caller waits");
    let tried = timeout(TRIED, second.try_lock("job")).await.expect("a try does not wait");
    assert!(tried.is_none(), "it is held");
    drop(held);
    timeout(PATIENCE, waiting).await.expect("it is free").expect("it does not panic");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_ten_tries_at_once_one_is_granted_whatever_members_they_are_made_at() {
    let first = start(&[]).await;
    let second = start(&[&first]).await;
    let third = start(&[&first]).await;
    let all = [&first, &second, &third];
    for member in all {
        view_of(member, 3).await;
    }
    // A lock for each: what is dropped is free a moment later.
    for (lock, members) in [("a", &all[..1]), ("b", &all[1..2]), ("c", &all[..])] {
        let mut tries = tokio::task::JoinSet::new();
        for number in 0..10 {
            let member = members[number % members.len()].clone();
            tries.spawn(async move { timeout(TRIED, member.try_lock(lock)).await });
        }
        let mut granted: Vec<Guard> = Vec::new();
        while let Some(tried) = tries.join_next().await {
            let tried = tried.expect("it does not panic").expect("a try does not wait");
            granted.extend(tried);
        }
        assert_eq!(granted.len(), 1, "of {} members", members.len());
    }
}
