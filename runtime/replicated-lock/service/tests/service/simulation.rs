//! Members of a lock service and their users in one simulated time and network, on disks that lose
//! their power, with everything that goes wrong: [`Fault`] has the list.
//!
//! A seed decides everything and repeats its run exactly, also after the end of a process, but for
//! one `select!` of openraft's, which picks at random: some 1 in 500 runs has differed by it or by
//! something as seldom. The members have one rate of time, and none of them stands still while its
//! time goes on: the network holds all of its messages instead.

mod event;
mod line;
mod locks;
mod user;
mod witness;

use turnstile_members_simulation::fault_injection::{Outcome, simulate};
use turnstile_members_simulation::faults::Fault;
use turnstile_members_simulation::net::check_exact;
use turnstile_random::seeds;

use event::Event;
use locks::Locks;

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 20;
/// These are run twice: one with five members, one with members that are replaced, and another.
const EXACT: u64 = 3;

#[test]
fn a_lock_has_one_holder_and_everybody_gets_it() {
    let history = |seed| simulate::<Locks>(seed, false);
    let repeat = "-p turnstile-replicated-lock --test service simulation::a_lock";
    let Some((seeds, sum)) = seeds::run(SEEDS, repeat, history, Outcome::add) else { return };
    sum.faults.assert_each(Fault::ALL);
    sum.events.assert_each(Event::ALL);
    assert!(sum.events.of(Event::Granted) > 10 * seeds, "locks are granted: {sum:?}");
    assert!(sum.faults.of(Fault::TermBegun) > seeds, "leaders change: {sum:?}");
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    check_exact(EXACT, |seed| simulate::<Locks>(seed, true).trace);
}
