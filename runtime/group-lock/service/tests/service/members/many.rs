//! Thousands of callers of one member, and the coordinator is killed.

use tokio::task::JoinSet;
use tokio::time::timeout;
use turnstile_group_lock::{Guard, Member};

use super::{PATIENCE, start, view_of};

const CALLERS: usize = 8000;

/// The coordinator of a group of three, and another member.
async fn group() -> (Member, Vec<Member>) {
    let first = start(&[]).await;
    let second = start(&[&first]).await;
    let third = start(&[&first]).await;
    let mut all = vec![first, second, third];
    for member in &all {
        view_of(member, 3).await;
    }
    let coordinator = view_of(&all[0], 3).await.members[0];
    let place = all.iter().position(|one| one.address() == coordinator);
    (all.remove(place.expect("it is one of them")), all)
}

/// So many callers of a member, each for the lock that its number has; and until all wait.
async fn callers(member: &Member, lock: fn(usize) -> String) -> JoinSet<()> {
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let member = member.clone();
        callers.spawn(async move { drop(member.lock(&lock(caller)).await) });
    }
    let waiters = || member.status().locks.iter().map(|lock| lock.waiters).sum::<usize>();
    let all_wait = async {
        while waiters() < CALLERS {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, all_wait).await.expect("all wait");
    callers
}

async fn await_all(mut callers: JoinSet<()>) {
    let mut left = CALLERS;
    let all = async {
        while let Some(one) = callers.join_next().await {
            one.expect("it does not panic");
            left -= 1;
        }
    };
    let answered = timeout(PATIENCE, all).await;
    assert!(answered.is_ok(), "{left} callers still wait");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_8000_callers_of_one_lock_is_granted_after_the_coordinator_is_killed() {
    let (coordinator, others) = group().await;
    let held = coordinator.lock("job").await;
    let waiting = callers(&others[0], |_| "job".into()).await;
    drop((held, coordinator));
    await_all(waiting).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_8000_callers_of_locks_of_their_own_is_granted_after_the_coordinator_is_killed() {
    let (coordinator, others) = group().await;
    let mut held: Vec<Guard> = Vec::new();
    for caller in 0..CALLERS {
        held.push(coordinator.lock(&format!("job {caller}")).await);
    }
    let waiting = callers(&others[0], |caller| format!("job {caller}")).await;
    drop((held, coordinator));
    await_all(waiting).await;
}
