//! Clients, server and disk in one simulated network and time, with everything that goes wrong.
//!
//! Partitions, crashes of the server (which lose what its disk had not synced), crashes and stalls
//! of clients. A seed decides everything; a failing one prints the command that repeats it.

mod fenced;
mod network;
mod run;

use run::{Outcome, simulate};

use crate::seeds;

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 1_000;

#[test]
fn nothing_is_held_twice_and_nothing_answered_is_lost() {
    let ran = seeds::run(SEEDS, "simulation", simulate, Outcome::add);
    let Some((seeds, sum)) = ran else { return };
    // Each of these has happened, or the simulation has tested nothing.
    assert!(sum.acquired > seeds, "locks are acquired: {sum:?}");
    assert!(sum.lost > 0, "claims are lost: {sum:?}");
    assert!(sum.batches_lost > 0, "crashes lose unsynced writes: {sum:?}");
    assert!(sum.crashes > 0 && sum.partitions > 0, "things go wrong: {sum:?}");
    assert!(sum.refused > 0, "the fence refuses late writes: {sum:?}");
    assert_eq!(sum.overwritten_fenced, 0, "a fenced store loses no write: {sum:?}");
    assert!(sum.overwritten_unfenced > 0, "one without a fence does: {sum:?}");
}
