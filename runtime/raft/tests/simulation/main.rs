//! Members in one simulated time and network, on disks that lose their power: a seed decides all of
//! it, and repeats its run exactly.

#[path = "../net/mod.rs"]
mod net;
#[path = "../cluster/register.rs"]
mod register;
mod run;
#[path = "../seeds/mod.rs"]
mod seeds;

use run::{Outcome, simulate};

const SEEDS: u64 = 20;
/// These are run twice.
const EXACT: u64 = 4;

#[test]
fn operations_are_executed_once() {
    let history = |seed| simulate(seed).outcome;
    let repeat = "-p turnstile-raft --test simulation operations";
    let Some((seeds, sum)) = seeds::run(SEEDS, repeat, history, Outcome::add) else { return };
    // Each of these has happened, or the simulation has tested nothing.
    assert!(sum.executed > 10 * seeds && sum.unknown > 0, "{sum:?}");
    assert!(sum.killed > seeds && sum.powerless > 0 && sum.lost > seeds, "{sum:?}");
    assert!(sum.cut > 0 && sum.held > 0 && sum.snapshots > seeds, "{sum:?}");
    assert!(sum.terms > seeds, "leaders change: {sum:?}");
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    let mut before = Vec::new();
    for seed in 0..EXACT {
        let (first, second) = (simulate(seed).trace, simulate(seed).trace);
        let other = first.iter().zip(&second).position(|(first, second)| first != second);
        if let Some(at) = other {
            let from = at.saturating_sub(5);
            let most = first.len().min(second.len()).min(at + 3);
            panic!(
                "seed {seed}: line {at} of {} differs: {:#?}, {:#?}",
                first.len(),
                &first[from..most],
                &second[from..most]
            );
        }
        assert_eq!(first.len(), second.len(), "seed {seed}");
        assert!(first.len() > 1_000, "seed {seed}: {} lines", first.len());
        assert_ne!(first, before, "seed {seed} and the one before");
        before = first;
    }
}
