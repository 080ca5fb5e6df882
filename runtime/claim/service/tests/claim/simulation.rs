//! Clients, an operator, a server and its disk in one simulated network and time, with everything
//! that goes wrong: [`outcome::Event`] has the list.
//!
//! The store is the real one, on a disk that forgets what was not synced. A seed decides
//! everything; a failing one prints the command that repeats it.

pub(crate) mod disk;
pub(crate) mod fenced;
pub(crate) mod network;
mod operator;
pub(crate) mod outcome;
pub(crate) mod run;
pub(crate) mod trouble;
pub(crate) mod turn;

use outcome::{Event, Outcome};
use run::simulate;
use turnstile_random::seeds;

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 24;

#[test]
fn nothing_is_held_twice_and_nothing_answered_is_lost() {
    let ran =
        seeds::run(SEEDS, "-p turnstile-claim --test claim simulation", simulate, Outcome::add);
    let Some((seeds, sum)) = ran else { return };
    sum.assert_each(&Event::EXPECTED);
    assert!(sum.of(Event::Acquired) > seeds, "locks are acquired: {sum:?}");
    assert_eq!(sum.of(Event::OverwrittenFenced), 0, "a fenced store loses no write: {sum:?}");
}
