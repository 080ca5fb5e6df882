//! The model checking of a World, and the replay of its trails. What depends on the types of its
//! parts is compiled here once, for a World and for what notes or changes what a World does.

use std::collections::HashMap;
use std::rc::Rc;

use turnstile_search::bounds::Reductions;
use turnstile_search::engine::{self, CheckOutcome, CheckRequest, Walks};
use turnstile_search::interned::{Expander, Interned};
use turnstile_search::replay::{self, Trace};
use turnstile_search::trail::Trail;
use turnstile_search::transition_system::{Fairness, ReachedState, TransitionSystem};

use crate::parts::{Op, Part, Tag};
use crate::state::{Action, State};
use crate::trace::StepReport;
use crate::words::{starting_words, step_words};
use crate::world::World;

/// A World, or what has its parts and notes or changes what it does.
pub type AnyWorld = dyn TransitionSystem<Part = Part, Op = Op, Tag = Tag>;

/// Checks the properties of a World, or of what does as a World does.
#[must_use]
pub fn search(world: &AnyWorld, request: CheckRequest<'_>) -> CheckOutcome<Tag> {
    engine::run(world, request)
}

/// An action, and the fairness conditions it discharges.
type FairAction = (Action, Vec<Fairness>);

/// A trace of a World: the first state, and each action with the state after it.
pub type WorldTrace = Trace<State, FairAction>;

/// The fairness conditions that an action discharges.
fn discharged((_, discharges): &FairAction) -> &[Fairness] {
    discharges
}

/// Walks through a World at random, in place of a search.
#[must_use]
pub fn simulate(world: &World, walks: Walks, request: CheckRequest<'_>) -> CheckOutcome<Tag> {
    engine::simulate::<AnyWorld>(world, walks, request)
}

/// Replays trails of a search with these reductions on the shipped cores, each state once.
pub fn replay<'t>(
    world: &World,
    trails: impl IntoIterator<Item = &'t Trail>,
    reduced: Reductions,
) -> Vec<WorldTrace> {
    let interned = Interned::<AnyWorld>::new(world);
    let space = interned.space(Vec::new(), reduced);
    let mut expander = Expander::new(&space);
    let mut known = HashMap::new();
    let mut fingerprint = |state: &State| match known.get(state) {
        Some(fingerprint) => *fingerprint,
        None => {
            let fingerprint = expander.fingerprint(&interned.vector(state.0.clone()));
            *known.entry(state.clone()).or_insert(fingerprint)
        }
    };
    let mut after: HashMap<State, Rc<[(FairAction, State)]>> = HashMap::new();
    let mut successors = |state: &State| {
        let possible = after.entry(state.clone());
        Rc::clone(possible.or_insert_with(|| fair_successors(world, state).into()))
    };
    let initial = world.initial_states();
    let trails = trails.into_iter();
    let replayed = trails.map(|trail| {
        replay::replay(trail, initial.clone(), &mut successors, discharged, &mut fingerprint)
    });
    replayed.collect()
}

/// A trace as text.
#[must_use]
pub fn trace_words(world: &World, trace: &WorldTrace) -> Vec<StepReport> {
    let mut state = &trace.first;
    let mut words = starting_words(world, state);
    for ((action, _), next) in &trace.steps {
        words.push(step_words(world, state, action));
        state = next;
    }
    words
}

/// The successors of a state, each with its action and the fairness conditions it discharges.
fn fair_successors(world: &World, state: &State) -> Vec<(FairAction, State)> {
    let actions = world.fair_actions_of(state).into_iter();
    let after = |(action, fairness)| {
        let ReachedState { state, mut discharges, .. } = world.reached(state, &action)?;
        discharges.push(fairness);
        Some(((action, discharges), State(state)))
    };
    actions.filter_map(after).collect()
}
