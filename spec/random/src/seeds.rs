//! Histories that a seed decides: one for each of many seeds, on every processor, or the one that
//! the environment asks for. A seed that fails prints the command that repeats it.

use std::fmt::Debug;
use std::panic::RefUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that the environment gives.
pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

/// How many seeds were run (TURNSTILE_SEEDS, or so many), and the sum of what came of them. None:
/// TURNSTILE_SEED asked for one, which was told of.
pub fn run<O: Default + Debug + Send>(
    seeds: u64,
    repeat: &str,
    history: impl Fn(u64) -> O + Sync + RefUnwindSafe,
    add: impl Fn(&mut O, &O) + Sync,
) -> Option<(u64, O)> {
    if let Some(seed) = number("TURNSTILE_SEED") {
        println!("{:?}", history(seed));
        return None;
    }
    let seeds = number("TURNSTILE_SEEDS").unwrap_or(seeds);
    let (next, sum) = (AtomicU64::new(0), Mutex::new(O::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        break;
                    }
                    match std::panic::catch_unwind(|| history(seed)) {
                        Ok(outcome) => {
                            add(&mut *sum.lock().expect("no thread panics here"), &outcome);
                        }
                        Err(_) => {
                            next.store(seeds, Ordering::Relaxed);
                            panic!(
                                "seed {seed} fails; repeat it by TURNSTILE_SEED={seed} cargo test \
                                 {repeat} -- --nocapture"
                            );
                        }
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().expect("no thread panics here");
    println!("{seeds} seeds: {sum:?}");
    Some((seeds, sum))
}
