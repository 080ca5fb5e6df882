//! Random walks over cuts, restarts, locks and unlocks, and an observer of every grant.
//!
//! A seed decides about the actions. Their times are real ones, so a repetition may differ.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio::time::timeout;
use turnstile_host::Rng;
use turnstile_random::seeds;
use turnstile_replicated_lock::{Guard, LockError};

use super::group::{Group, PATIENCE};

const MEMBERS: u64 = 3;
const LOCKS: [&str; 2] = ["first", "second"];
const STEPS: usize = 80;
/// The maximum number of tasks that want a lock.
const WANTING: usize = 6;

/// What has happened in a walk.
#[derive(Debug, Default)]
struct Outcome {
    granted: usize,
    refused: usize,
    failed: usize,
    lost: usize,
    cuts: usize,
    restarts: usize,
}

/// What came of a request, whose lock had this greatest token when it began.
struct Wanted {
    lock: usize,
    floor: u64,
    outcome: Result<Option<Guard>, LockError>,
}

/// Knows every grant, independently of the members.
#[derive(Default)]
struct Observer {
    tokens: [BTreeSet<u64>; LOCKS.len()],
    held: Vec<Guard>,
    outcome: Outcome,
}

impl Observer {
    fn greatest(&self, lock: usize) -> u64 {
        self.tokens[lock].last().copied().unwrap_or_default()
    }

    fn on_outcome(&mut self, wanted: Wanted) {
        let Wanted { lock, floor, outcome } = wanted;
        match outcome {
            Ok(Some(guard)) if guard.token() > 0 => {
                self.outcome.granted += 1;
                let token = guard.token();
                assert!(token > floor, "{token} is granted after {floor}");
                assert!(self.tokens[lock].insert(token), "{token} is granted twice");
                self.held.push(guard);
            }
            // It is lost already.
            Ok(Some(_)) => self.outcome.lost += 1,
            Ok(None) => self.outcome.refused += 1,
            Err(_) => self.outcome.failed += 1,
        }
    }
}

struct Walk {
    rng: Rng,
    group: Group,
    observer: Observer,
    wanting: JoinSet<Wanted>,
    cut: Option<u64>,
}

impl Walk {
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("it is small");
        usize::try_from(self.rng.number() % bound).expect("it is small")
    }

    fn member(&mut self) -> u64 {
        1 + self.rng.number() % MEMBERS
    }

    fn want(&mut self) {
        let (lock, is_try, member) = (self.below(LOCKS.len()), self.rng.chance(0.3), self.member());
        let floor = self.observer.greatest(lock);
        let mutex = self.group.members[&member].lock(LOCKS[lock]);
        self.wanting.spawn(async move {
            let outcome =
                if is_try { mutex.try_lock().await } else { mutex.lock().await.map(Some) };
            Wanted { lock, floor, outcome }
        });
    }

    fn release(&mut self) {
        if self.observer.held.is_empty() {
            return;
        }
        let place = self.below(self.observer.held.len());
        let guard = self.observer.held.swap_remove(place);
        self.observer.outcome.lost += usize::from(guard.is_lost());
        drop(guard);
    }

    async fn restart(&mut self) {
        let member = self.member();
        self.observer.outcome.restarts += 1;
        self.group.stop(member).await;
        self.group.join(member).await;
    }

    fn cut(&mut self) {
        match self.cut.take() {
            Some(_) => self.group.hub.heal(),
            None => {
                let member = self.member();
                self.observer.outcome.cuts += 1;
                self.group.hub.isolate(member);
                self.cut = Some(member);
            }
        }
    }

    async fn step(&mut self) {
        match self.below(20) {
            0..9 if self.wanting.len() < WANTING => self.want(),
            0..16 => self.release(),
            16..19 => self.cut(),
            _ => self.restart().await,
        }
        // Time passes: a lease is some twenty of these.
        let pause = Duration::from_millis(self.rng.number() % 150);
        if let Ok(Some(wanted)) = timeout(pause, self.wanting.join_next()).await {
            self.observer.on_outcome(wanted.expect("it does not panic"));
        }
    }

    /// All is repaired: every request ends, and every member can lock every lock.
    async fn settle(&mut self) {
        self.group.hub.heal();
        self.observer.held.clear();
        let all = timeout(PATIENCE, async {
            while let Some(wanted) = self.wanting.join_next().await {
                self.observer.on_outcome(wanted.expect("it does not panic"));
                self.observer.held.clear();
            }
        });
        all.await.unwrap_or_else(|_| panic!("requests wait: {:#?}", self.group.all()));
        for member in 1..=MEMBERS {
            self.group.ready(member).await;
        }
        for member in 1..=MEMBERS {
            for (place, lock) in LOCKS.iter().enumerate() {
                let floor = self.observer.greatest(place);
                let outcome = Ok(Some(self.group.lock_in_the_end(member, lock).await));
                self.observer.on_outcome(Wanted { lock: place, floor, outcome });
                self.observer.held.clear();
            }
        }
    }
}

async fn walk(seed: u64) -> Outcome {
    let group = Group::start(MEMBERS, |options| {
        (options.raft.snapshot_every, options.raft.keep_entries) = (25, 5);
    })
    .await;
    let (rng, wanting) = (Rng::seeded(seed), JoinSet::new());
    let mut walk = Walk { rng, group, observer: Observer::default(), wanting, cut: None };
    for _ in 0..STEPS {
        walk.step().await;
    }
    walk.settle().await;
    let Walk { group, observer, .. } = walk;
    group.end().await;
    observer.outcome
}

#[test]
fn random_walks() {
    let repeat = "-p turnstile-replicated-lock --test service cluster::walk::random_walks";
    let history = |seed| Runtime::new().expect("there are threads").block_on(walk(seed));
    let run = seeds::run(2, repeat, history, |sum: &mut Outcome, one| {
        sum.granted += one.granted;
        sum.refused += one.refused;
        sum.failed += one.failed;
        sum.lost += one.lost;
        sum.cuts += one.cuts;
        sum.restarts += one.restarts;
    });
    if let Some((_, sum)) = run {
        assert!(sum.granted > 0 && sum.lost > 0 && sum.cuts > 0, "it proves nothing: {sum:?}");
    }
}
