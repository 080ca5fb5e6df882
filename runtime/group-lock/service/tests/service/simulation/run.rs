//! One simulation: three members or five, users at each, and a seed that disturbs them.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use turmoil::Builder;
use turnstile_host::simulation;
use turnstile_host::store::Medium;

use super::member::{Group, name, run_member};
use super::outcome::{Event, Outcome};
use super::state::Transfers;
use super::traces::Traces;
use super::trouble::Trouble;
use super::witness::Witness;

/// Disturbances end after this much simulated time.
pub(crate) const DISTURBED: Duration = Duration::from_secs(20);
/// By then everything is as it should be.
pub(crate) const END: Duration = Duration::from_secs(120);
const TICK: Duration = Duration::from_millis(5);

/// Runs a whole simulation.
pub(crate) fn simulate(seed: u64) -> Outcome {
    let _simulated = simulation::simulate(seed);
    let mut sim = Builder::new()
        .rng_seed(seed)
        .enable_random_order()
        .tick_duration(TICK)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(10))
        .simulation_duration(END + TICK)
        .build();
    let count = if seed.is_multiple_of(4) { 5 } else { 3 };
    let media: BTreeMap<u64, Medium> =
        (1..=count).map(|id| (id, Medium::new(seed ^ id << 40))).collect();
    let (witness, traces) = (Witness::default(), Traces::new(media.keys().copied()));
    let transfers = Transfers::default();
    let group = Group {
        witness: witness.clone(),
        media,
        traces: traces.clone(),
        transfers: transfers.clone(),
        running: Rc::default(),
        lives: Rc::default(),
        is_over: Rc::default(),
    };
    for id in 1..=count {
        let group = group.clone();
        sim.host(name(id), move || run_member(id, group.clone()));
    }
    Trouble::new(&mut sim, seed, group).run();
    drop(sim);
    let (received, lost) = traces.replay(seed);
    let mut outcome = witness.outcome();
    outcome.extend([(Event::Received, received), (Event::MessageLost, lost)]);
    let Transfers { whole, failed, wrong } = transfers;
    let [whole, failed, wrong] = [whole, failed, wrong].map(|count| count.load(Ordering::Relaxed));
    assert_eq!(wrong, 0, "seed {seed}: a state arrives whole or not at all");
    outcome.extend([(Event::StateArrived, whole), (Event::StateFailed, failed)]);
    outcome
}
