//! Members of a lock service and their users in one simulated time and network, on disks that lose
//! their power, with everything that goes wrong: [`Event`] has the list.
//!
//! A seed decides everything and repeats its run exactly, also after the end of a process, but for
//! one `select!` of openraft's, which picks at random: some 1 in 500 runs has differed by it or by
//! something as seldom. The members have one rate of time, and none of them stands still while its
//! time goes on: the network holds all of its messages instead.

mod line;
mod member;
mod outcome;
mod run;
mod trouble;
mod user;
mod witness;

use std::collections::BTreeSet;

use turnstile_members_simulation::net::check_exact;
use turnstile_random::seeds;

use outcome::{Event, add};
use run::simulate;

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 20;
/// These are run twice: one with five members, one with members that are replaced, and another.
const EXACT: u64 = 3;

#[test]
fn a_lock_has_one_holder_and_everybody_gets_it() {
    let history = |seed| simulate(seed, false).outcome;
    let repeat = "-p turnstile-replicated-lock --test service simulation::a_lock";
    let Some((seeds, sum)) = seeds::run(SEEDS, repeat, history, add) else { return };
    // Each of these has happened, or the simulation has tested nothing.
    for event in Event::ALL {
        assert!(sum.contains_key(&event), "{event:?} has not happened: {sum:?}");
    }
    assert!(sum[&Event::Granted] > 10 * seeds, "locks are granted: {sum:?}");
    assert!(sum[&Event::TermBegun] > seeds, "leaders change: {sum:?}");
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    let exact = |seed| check_exact(seed, || simulate(seed, true).trace);
    let hashes: BTreeSet<u64> = (0..EXACT).map(exact).collect();
    assert_eq!(hashes.len() as u64, EXACT, "each seed has a run of its own");
}
