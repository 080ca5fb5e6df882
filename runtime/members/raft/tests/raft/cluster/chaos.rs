//! Random failures under load: what was answered is executed once, what was refused never.
//!
//! The seed decides the failures; the schedule of the members is that of the machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::timeout;
use turnstile_host::Rng;
use turnstile_raft::{Member, MemberError};

use super::group::{Group, PATIENCE};

const ROUNDS: u64 = 15;
const CLIENTS: u64 = 4;
const OPERATIONS: u64 = 8;

/// What a client was told about its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Executed,
    NotExecuted,
    Unknown,
}

type Answers = Arc<Mutex<BTreeMap<String, Told>>>;

async fn client(member: Member, prefix: String, answers: Answers) {
    for number in 0..OPERATIONS {
        let operation = format!("{prefix}-{number}");
        let told = match member.forward(operation.clone()).await {
            Ok(_) => Told::Executed,
            Err(MemberError::Stopped { .. }) => Told::Unknown,
            Err(error) if error.is_not_executed() => Told::NotExecuted,
            Err(_) => Told::Unknown,
        };
        answers.lock().expect("no holder panics").insert(operation, told);
        if told == Told::Unknown {
            // Such a client would have to ask what came of it.
            return;
        }
    }
}

/// One failure, or the repair of all links.
async fn disturb(group: &mut Group, rng: &mut Rng) {
    let count = group.members.len() as u64;
    let (member, other) = (1 + rng.number() % count, 1 + rng.number() % count);
    match rng.number() % 8 {
        0 => group.hub.isolate(member),
        1 | 2 => group.hub.cut(member, other),
        3 => {
            group.stop(member).await;
            group.join(member).await;
        }
        4 => {
            // It may fail for want of a majority or a vote: that is the point.
            let _made = group.members[&member].snapshot().await;
        }
        5.. => group.hub.heal(),
    }
}

fn count_of(operations: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for operation in operations {
        *counts.entry(operation.as_str()).or_default() += 1;
    }
    counts
}

async fn history(seed: u64, count: u64) {
    let mut rng = Rng::seeded(seed);
    let mut group = Group::start(count, |options| {
        options.timeout = Duration::from_secs(1);
        (options.snapshot_every, options.keep_entries) = (30, 3);
        options.snapshot_chunk_bytes = 200;
    })
    .await;
    let answers = Answers::default();
    group.leader().await;
    for round in 0..ROUNDS {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|id| {
                let member = group.members[&(1 + rng.number() % count)].clone();
                let prefix = format!("{round}-{id}");
                tokio::spawn(client(member, prefix, Arc::clone(&answers)))
            })
            .collect();
        disturb(&mut group, &mut rng).await;
        for client in clients {
            client.await.expect("it does not panic");
        }
    }
    group.hub.heal();
    for id in 1..=count {
        group.stop(id).await;
        group.join(id).await;
    }
    let leader = group.leader().await;
    let last = group.members[&leader].wait_for(PATIENCE, |_| true).await.expect("it runs");
    println!("seed {seed}: {count} members, {:?} entries", last.last_log_index);
    // A member that stood for election in vain may have a later term, which deposes the leader.
    let last = async { while group.members[&leader].forward("last").await.is_err() {} };
    timeout(PATIENCE, last).await.expect("all members run");
    group.agree(leader).await;
    let operations = group.registers[&leader].operations();
    let counts = count_of(&operations);
    let mut sums = [0; 3];
    for (operation, told) in &*answers.lock().expect("no holder panics") {
        let times = counts.get(operation.as_str()).copied().unwrap_or(0);
        let (sum, is_right) = match told {
            Told::Executed => (0, times == 1),
            Told::NotExecuted => (1, times == 0),
            Told::Unknown => (2, times <= 1),
        };
        assert!(is_right, "seed {seed}: {operation}: {told:?}, executed {times} times");
        sums[sum] += 1;
    }
    println!("seed {seed}: executed, not executed, unknown: {sums:?}");
    assert!(sums[0] > 0, "seed {seed}: {sums:?}");
    group.end().await;
}

/// TURNSTILE_SEED repeats one seed.
#[tokio::test(flavor = "multi_thread")]
async fn operations_are_executed_once_in_spite_of_failures() {
    let seed = std::env::var("TURNSTILE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| Rng::from_entropy().number() >> 32);
    println!("seed {seed}; TURNSTILE_SEED={seed} repeats its failures");
    history(seed, 3).await;
    history(seed, 5).await;
}
