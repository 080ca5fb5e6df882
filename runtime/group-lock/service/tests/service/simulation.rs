//! Members of a group and their users in one simulated time and network: parts that do not reach
//! each other, links of one direction, messages that are held, processes that end, some with their
//! machine's power, and start again.
//!
//! Whatever happens, a member knows the addresses of all members of its view, no token is given
//! twice, and no two users hold a lock by one coordinator's round, or in a view whose coordinator
//! has granted it anew. Once all is repaired, the members have one view, and each user gets each
//! lock, by a token greater than all before. The traces of all members are one run of the cores. A
//! member that joins gets a whole state of the application or none.
//!
//! A seed repeats its run in a process of its own. Beside others it may differ: the order in which
//! tokio drops the tasks of a process that ends goes by numbers that all runtimes share.

mod fairness;
mod member;
mod outcome;
mod run;
mod state;
mod traces;
mod trouble;
mod user;
mod witness;

use outcome::{Event, add};
use turnstile_random::seeds;

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 12;

#[test]
fn members_part_and_meet_and_each_user_gets_each_lock() {
    let repeat = "-p turnstile-group-lock --test service simulation::members_part";
    let Some((seeds, sum)) = seeds::run(SEEDS, repeat, run::simulate, add) else { return };
    // Each of these has happened, or the simulation has tested nothing.
    for event in Event::ALL {
        assert!(sum.contains_key(&event), "{event:?} has not happened: {sum:?}");
    }
    assert!(sum[&Event::Granted] > 50 * seeds, "locks are granted: {sum:?}");
}
