//! One simulation: three members or five, users at each, and a seed that disturbs them.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use turmoil::Builder;
use turnstile_host::simulation;
use turnstile_host::store::Medium;

use super::member::{Cluster, run_member};
use super::outcome::{Event, Outcome, Tally};
use super::trouble::Trouble;
use super::witness::{Process, Witness};
use turnstile_members_simulation::cluster::name;
use turnstile_members_simulation::net::{Net, Trace};

/// Disturbances end after this much simulated time.
pub(crate) const DISTURBED: Duration = Duration::from_secs(10);
/// By then everything is as it should be.
pub(crate) const END: Duration = Duration::from_secs(60);
pub(crate) const TICK: Duration = Duration::from_millis(4);

/// A run, and all that happened in it.
pub(crate) struct Run {
    pub(crate) outcome: Outcome,
    pub(crate) trace: Vec<String>,
}

/// Runs a whole simulation.
pub(crate) fn simulate(seed: u64, is_traced: bool) -> Run {
    let _simulated = simulation::simulate(seed);
    let mut sim = Builder::new()
        .rng_seed(seed)
        .enable_random_order()
        .tick_duration(TICK)
        .simulation_duration(END)
        .build();
    let (trace, tally) = (Trace::new(is_traced), Tally::default());
    let first = if seed.is_multiple_of(4) { 5 } else { 3 };
    let cluster = Cluster {
        net: Net::new(seed.rotate_left(7), &trace),
        witness: Witness::new(&tally, &trace),
        first,
        media: (1..=first + 2).map(|id| (id, Medium::new(seed ^ id << 40))).collect(),
        started: Rc::new((1..=first).collect::<BTreeSet<u64>>().into()),
        running: Rc::default(),
        changes: Rc::default(),
        is_over: Rc::default(),
        states: Rc::default(),
    };
    for id in 1..=first + 2 {
        let (cluster, lives) = (cluster.clone(), Cell::new(0));
        sim.host(name(id), move || {
            lives.set(lives.get() + 1);
            run_member(Process { member: id, life: lives.get() }, cluster.clone())
        });
    }
    Trouble::new(&mut sim, seed, &cluster).run();
    drop(sim);
    tally.add(Event::MessageLost, cluster.net.lost());
    Run { outcome: tally.outcome(), trace: trace.lines() }
}
