//! The replay of a path of fingerprints on the system itself: it gives a trace of states.
//!
//! An engine is not trusted: each step is looked up among the successors that the system computes,
//! and a step that is missing there is a defect of the engine.

use crate::interned::{Expander, StateSpace};
use crate::storage::discovery_log::DiscoveryLog;
use crate::successors::Successors;
use crate::trail::Trail;
use crate::transition_system::Fairness;

/// The shortest path to a state of the log.
#[must_use]
pub fn trail(space: &StateSpace<'_>, log: &DiscoveryLog, state: usize) -> Trail {
    let mut expander = Expander::new(space);
    let mut found = Successors::default();
    let mut vector = vec![0; space.width()];
    let mut fingerprints = Vec::new();
    expander.initial(&mut found);
    for ordinal in log.path(state) {
        if !fingerprints.is_empty() {
            found.clear();
            expander.begin();
            expander.expand(&vector, &mut found);
        }
        let next = found.kept()[ordinal as usize];
        expander.apply(next.delta, &mut vector);
        fingerprints.push(next.fingerprint);
    }
    Trail::of(fingerprints)
}

/// A trace of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<S, A> {
    /// The initial state.
    pub first: S,
    /// Each action, and the state after it.
    pub steps: Vec<(A, S)>,
}

impl<S, A> Trace<S, A> {
    /// The last state.
    pub fn last(&self) -> &S {
        self.steps.last().map_or(&self.first, |(_, state)| state)
    }
}

/// Replays a trail. Each step is the first among `initial`, then among the `successors` of the last
/// state, that has the next fingerprint and whose action discharges what the step must. Self-loops
/// are steps, too.
///
/// # Panics
///
/// If there is none: the engine and the system disagree, and no verdict is valid.
pub fn replay<S: Clone, A: Clone, L: AsRef<[(A, S)]>>(
    trail: &Trail,
    initial: Vec<S>,
    mut successors: impl FnMut(&S) -> L,
    discharges: impl Fn(&A) -> &[Fairness],
    mut fingerprint: impl FnMut(&S) -> u64,
) -> Trace<S, A> {
    let (&begin, rest) = trail.fingerprints.split_first().expect("a trail has a first state");
    let first = initial.into_iter().find(|state| fingerprint(state) == begin);
    let mut trace = Trace { first: first.expect("the first state is initial"), steps: Vec::new() };
    for (number, &next) in rest.iter().enumerate() {
        let must = trail.discharges.get(&number).map_or(&[][..], Vec::as_slice);
        let possible = successors(trace.last());
        let step = possible.as_ref().iter().find(|(action, state)| {
            fingerprint(state) == next && must.iter().all(|one| discharges(action).contains(one))
        });
        trace.steps.push(step.expect("each step of a trail is one of the system").clone());
    }
    trace
}
