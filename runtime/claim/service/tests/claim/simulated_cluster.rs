//! Members of a cluster, their disks, and clients over HTTP in one simulated network and time, with
//! everything that goes wrong: [`Fault`] and [`Event`] have the list.
//!
//! A seed decides everything, and one that fails prints the command that repeats its run exactly.
//! The members have one rate of time, and none of them stands still while its time goes on: the
//! simulated network holds all of its messages instead.

mod claims;
mod keeper;
mod member;
mod tenant;

use turnstile_members_simulation::fault_injection::{Outcome, simulate};
use turnstile_members_simulation::faults::Fault;
use turnstile_members_simulation::net::check_exact;
use turnstile_random::seeds;

use claims::Claims;

use crate::simulation::outcome::Event;

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 24;
/// These are run twice: two with five members, one with members that are replaced, and others.
const EXACT: u64 = 3;

#[test]
fn nothing_is_held_twice_and_nothing_answered_is_lost() {
    let history = |seed| simulate::<Claims>(seed, false);
    let repeat = "-p turnstile-claim --test claim simulated_cluster";
    let Some((seeds, sum)) = seeds::run(SEEDS, repeat, history, Outcome::add) else { return };
    let (faults, events) = (&sum.faults, &sum.events);
    faults.assert_each(Fault::ALL);
    events.assert_each(&Event::EXPECTED_OF_CLUSTER);
    assert!(events.of(Event::Acquired) > seeds, "locks are acquired: {sum:?}");
    assert!(events.of(Event::Written) > seeds, "writes are answered: {sum:?}");
    assert!(2 * faults.of(Fault::TermBegun) > seeds, "leaders change: {sum:?}");
    let older = faults.of(Fault::DiskRolledBack) + faults.of(Fault::LeaderRolledBack);
    assert!(2 * faults.of(Fault::LossNoticed) > older, "most losses are noticed: {sum:?}");
    assert_eq!(events.of(Event::OverwrittenFenced), 0, "a fenced store loses no write: {sum:?}");
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    check_exact(EXACT, |seed| simulate::<Claims>(seed, true).trace);
}
