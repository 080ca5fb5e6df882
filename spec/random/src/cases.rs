//! Random cases of a strategy. Each run draws a seed and prints it on failure; `TURNSTILE_SEED=N`
//! repeats a run and `TURNSTILE_CASES=N` makes it longer.

use std::time::{SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};

use crate::seeds::number;

/// Runs so many cases, unless the environment says otherwise; one that fails prints the arguments
/// of `cargo test` that repeat it.
#[track_caller]
pub fn cases<S: Strategy>(
    cases: u32,
    repeat: &str,
    strategy: &S,
    run: impl Fn(S::Value) -> TestCaseResult,
) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
    let seed =
        number("TURNSTILE_SEED").unwrap_or(u64::try_from(now % 1_000_000_007).expect("small"));
    let cases =
        number("TURNSTILE_CASES").map_or(cases, |asked| asked.try_into().expect("few cases"));
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    if let Err(error) = TestRunner::new_with_rng(config, rng).run(strategy, run) {
        panic!("TURNSTILE_SEED={seed} cargo test {repeat}\n{error}");
    }
}
