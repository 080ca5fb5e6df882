//! Members in one simulated time and network, on disks that lose their power: a seed decides all of
//! it, and repeats its run exactly.

mod run;

use std::collections::BTreeSet;

use turnstile_members_simulation::net::check_exact;
use turnstile_random::seeds;

use run::{Outcome, simulate};

const SEEDS: u64 = 20;
/// These are run twice.
const EXACT: u64 = 4;

#[test]
fn operations_are_executed_once() {
    let history = |seed| simulate(seed, false).outcome;
    let repeat = "-p turnstile-raft --test raft simulation::operations";
    let Some((seeds, sum)) = seeds::run(SEEDS, repeat, history, Outcome::add) else { return };
    // Each of these has happened, or the simulation has tested nothing.
    assert!(sum.executed > 10 * seeds && sum.unknown > 0, "{sum:?}");
    assert!(sum.read > 10 * seeds, "{sum:?}");
    assert!(sum.killed > seeds && sum.powerless > 0 && sum.lost > seeds, "{sum:?}");
    assert!(sum.cut > 0 && sum.held > 0 && sum.slowed > 0 && sum.snapshots > seeds, "{sum:?}");
    assert!(sum.tails > seeds / 2, "{sum:?}");
    assert!(sum.wiped > seeds / 5 && sum.rolled_back > seeds / 4, "{sum:?}");
    assert!(sum.noticed > seeds / 10, "a lost operation is noticed: {sum:?}");
    assert!(sum.led_twice > 0, "a member leads twice in a term: {sum:?}");
    assert!(sum.terms > seeds, "leaders change: {sum:?}");
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    let exact = |seed| check_exact(seed, || simulate(seed, true).trace);
    let hashes: BTreeSet<u64> = (0..EXACT).map(exact).collect();
    assert_eq!(hashes.len() as u64, EXACT, "each seed has a run of its own");
}
