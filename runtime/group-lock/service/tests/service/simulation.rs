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

mod event;
mod fairness;
mod group;
mod member;
mod state;
mod traces;
mod user;
mod witness;

use turnstile_members_simulation::counts::Counts;
use turnstile_random::seeds;

use event::Event;

/// How many seeds a run of the tests simulates, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 12;

#[test]
fn members_part_and_meet_and_each_user_gets_each_lock() {
    let repeat = "-p turnstile-group-lock --test service simulation::members_part";
    let ran = seeds::run(SEEDS, repeat, group::simulate, Counts::add);
    let Some((seeds, sum)) = ran else { return };
    sum.assert_each(Event::ALL);
    assert!(sum.of(Event::Granted) > 50 * seeds, "locks are granted: {sum:?}");
}
