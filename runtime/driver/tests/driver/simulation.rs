//! Clients, server and disk in one simulated network and time, with everything that goes wrong.
//!
//! Partitions, crashes of the server (which lose what its disk had not synced), crashes and stalls
//! of clients. A seed decides everything; a failing one prints the command that repeats it.

mod fenced;
mod network;
mod run;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use run::{Outcome, simulate};

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 1_000;

#[test]
fn nothing_is_held_twice_and_nothing_answered_is_lost() {
    if let Some(seed) = std::env::var("TURNSTILE_SEED").ok().and_then(|seed| seed.parse().ok()) {
        println!("{:?}", simulate(seed));
        return;
    }
    let seeds = std::env::var("TURNSTILE_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    let seeds = seeds.unwrap_or(SEEDS);
    let (next, sum) = (AtomicU64::new(0), Mutex::new(Outcome::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        break;
                    }
                    let outcome = std::panic::catch_unwind(|| simulate(seed));
                    match outcome {
                        Ok(outcome) => sum.lock().expect("no thread panics here").add(&outcome),
                        Err(_) => {
                            next.store(seeds, Ordering::Relaxed);
                            panic!(
                                "seed {seed} fails; repeat it by TURNSTILE_SEED={seed} cargo test \
                                 -p turnstile-driver --test driver simulation -- --nocapture"
                            );
                        }
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().expect("no thread panics here");
    println!("{seeds} seeds: {sum:?}");
    // Each of these has happened, or the simulation has tested nothing.
    assert!(sum.acquired > seeds, "locks are acquired: {sum:?}");
    assert!(sum.lost > 0, "claims are lost: {sum:?}");
    assert!(sum.batches_lost > 0, "crashes lose unsynced writes: {sum:?}");
    assert!(sum.crashes > 0 && sum.partitions > 0, "things go wrong: {sum:?}");
    assert!(sum.refused > 0, "the fence refuses late writes: {sum:?}");
    assert_eq!(sum.overwritten_fenced, 0, "a fenced store loses no write: {sum:?}");
    assert!(sum.overwritten_unfenced > 0, "one without a fence does: {sum:?}");
}
