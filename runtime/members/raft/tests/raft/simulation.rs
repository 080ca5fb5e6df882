//! Members in one simulated time and network, on disks that lose their power: a seed decides all of
//! it, and repeats its run exactly.

mod registers;

use turnstile_members_simulation::fault_injection::{Outcome, simulate};
use turnstile_members_simulation::faults::Fault;
use turnstile_members_simulation::net::check_exact;
use turnstile_random::seeds;

use registers::{Event, Registers};

const SEEDS: u64 = 20;
/// These are run twice.
const EXACT: u64 = 4;

#[test]
fn operations_are_executed_once() {
    let history = |seed| simulate::<Registers>(seed, false);
    let repeat = "-p turnstile-raft --test raft simulation::operations";
    let Some((seeds, sum)) = seeds::run(SEEDS, repeat, history, Outcome::add) else { return };
    let (faults, events) = (&sum.faults, &sum.events);
    faults.assert_each(Fault::ALL);
    events.assert_each(&[Event::Unknown, Event::LedTwice]);
    assert!(events.of(Event::Executed) > 10 * seeds, "{sum:?}");
    assert!(events.of(Event::Read) > 10 * seeds, "{sum:?}");
    assert!(events.of(Event::Snapshot) > seeds, "{sum:?}");
    assert!(faults.of(Fault::MemberKilled) > seeds, "{sum:?}");
    assert!(faults.of(Fault::MessageLost) > seeds, "{sum:?}");
    assert!(faults.of(Fault::TailLost) > seeds / 2, "{sum:?}");
    let rolled_back = faults.of(Fault::DiskRolledBack) + faults.of(Fault::LeaderRolledBack);
    assert!(faults.of(Fault::DiskWiped) > seeds / 5 && rolled_back > seeds / 4, "{sum:?}");
    assert!(faults.of(Fault::LossNoticed) > seeds / 10, "a lost operation is noticed: {sum:?}");
    assert!(faults.of(Fault::TermBegun) > seeds, "leaders change: {sum:?}");
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    check_exact(EXACT, |seed| simulate::<Registers>(seed, true).trace);
}
