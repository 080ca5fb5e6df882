//! Members of a cluster, their disks, and clients over HTTP in one simulated network and time, with
//! everything that goes wrong: [`Event`] has the list.
//!
//! A seed decides everything, and one that fails prints the command that repeats its run exactly.
//! The members have one rate of time, and none of them stands still while its time goes on: the
//! simulated network holds all of its messages instead.

mod keeper;
mod member;
mod run;
mod tenant;
mod trouble;

use std::collections::BTreeSet;

use turnstile_members_simulation::net::check_exact;
use turnstile_random::seeds;

use run::simulate;

use crate::simulation::outcome::{Event, Outcome};

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 24;
/// These are run twice: two with five members, one with members that are replaced, and others.
const EXACT: u64 = 3;

#[test]
fn nothing_is_held_twice_and_nothing_answered_is_lost() {
    let history = |seed| simulate(seed, false).outcome;
    let repeat = "-p turnstile-claim --test claim simulated_cluster";
    let Some((seeds, sum)) = seeds::run(SEEDS, repeat, history, Outcome::add) else { return };
    // Each of these has happened, or the simulation has tested nothing.
    for event in Event::EXPECTED_OF_CLUSTER {
        assert!(sum.of(event) > 0, "{event:?} has not happened: {sum:?}");
    }
    assert!(sum.of(Event::Acquired) > seeds, "locks are acquired: {sum:?}");
    assert!(sum.of(Event::Written) > seeds, "writes are answered: {sum:?}");
    assert!(2 * sum.of(Event::TermBegun) > seeds, "leaders change: {sum:?}");
    let older = sum.of(Event::DiskRolledBack) + sum.of(Event::LeaderRolledBack);
    assert!(2 * sum.of(Event::LossNoticed) > older, "most losses are noticed: {sum:?}");
    assert_eq!(sum.of(Event::OverwrittenFenced), 0, "a fenced store loses no write: {sum:?}");
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    let exact = |seed| check_exact(seed, || simulate(seed, true).trace);
    let hashes: BTreeSet<u64> = (0..EXACT).map(exact).collect();
    assert_eq!(hashes.len() as u64, EXACT, "each seed has a run of its own");
}
