//! A path of fingerprints turned into a run of values, by the real system alone.
//!
//! What an engine found is not believed: each step is looked for among the successors that the
//! system itself gives, and a step that is not there is a defect of the engine.

use std::collections::BTreeMap;

use crate::log::Log;
use crate::parts::Fairness;
use crate::space::{Expander, Found, Space};

/// A way through the graph: the fingerprint of each state on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail {
    /// From an initial state on.
    pub fingerprints: Vec<u64>,
    /// The step, counted from 0, at which a loop begins: after the last step comes this one again.
    /// As many as there are steps: the run stays where it is for ever.
    pub loop_from: Option<usize>,
    /// What steps of the loop must relieve, by their number: only so is it a fair one.
    pub relieves: BTreeMap<usize, Vec<Fairness>>,
}

impl Trail {
    /// A trail that ends and relieves nothing in particular.
    #[must_use]
    pub fn of(fingerprints: Vec<u64>) -> Self {
        Self { fingerprints, loop_from: None, relieves: BTreeMap::new() }
    }
}

/// The trail to a state of the log.
#[must_use]
pub fn trail<S: Space>(space: &S, log: &Log, state: usize) -> Trail {
    let mut expander = space.expander();
    let mut found = Found::default();
    let mut row = vec![0; space.width()];
    let mut fingerprints = Vec::new();
    expander.initial(&mut found);
    for ordinal in log.path(state) {
        if !fingerprints.is_empty() {
            found.clear();
            expander.begin();
            expander.expand(&row, &mut found);
        }
        let next = found.rows()[ordinal as usize];
        expander.follow(next.course, &mut row);
        fingerprints.push(next.fingerprint);
    }
    Trail::of(fingerprints)
}

/// A run of the real system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<S, A> {
    /// Where it begins.
    pub first: S,
    /// Each step, and the state after it.
    pub steps: Vec<(A, S)>,
}

impl<S, A> Run<S, A> {
    /// Where it ends.
    pub fn last(&self) -> &S {
        self.steps.last().map_or(&self.first, |(_, state)| state)
    }
}

/// Replays a trail: among `initial` and then among the `successors` of each state, the first with
/// the fingerprint that comes next, by an action that relieves what that step must. An action may
/// lead to where it began.
///
/// # Panics
///
/// If there is none: the engine and the system disagree, and nothing the engine says counts.
pub fn replay<S, A>(
    trail: &Trail,
    initial: Vec<S>,
    successors: impl Fn(&S) -> Vec<(A, S)>,
    relieves: impl Fn(&A) -> &[Fairness],
    mut fingerprint: impl FnMut(&S) -> u64,
) -> Run<S, A> {
    let (&begin, rest) = trail.fingerprints.split_first().expect("a trail has a first state");
    let first = initial.into_iter().find(|state| fingerprint(state) == begin);
    let mut run = Run { first: first.expect("the first state is initial"), steps: Vec::new() };
    for (number, &next) in rest.iter().enumerate() {
        let must = trail.relieves.get(&number).map_or(&[][..], Vec::as_slice);
        let step = successors(run.last()).into_iter().find(|(action, state)| {
            fingerprint(state) == next && must.iter().all(|one| relieves(action).contains(one))
        });
        run.steps.push(step.expect("each step of a trail is one that the system takes"));
    }
    run
}
