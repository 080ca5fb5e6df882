//! The model checking of a World, and the replay of its trails. What depends on the types of its
//! parts is compiled here once, for a World and for what notes or changes what a World does.

use turnstile_search::bounds::Reductions;
use turnstile_search::engine::{self, CheckOutcome, CheckRequest, Walks};
use turnstile_search::interned::{Expander, Interned};
use turnstile_search::replay;
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

/// The fairness conditions that an action discharges.
fn discharged((_, discharges): &FairAction) -> &[Fairness] {
    discharges
}

/// Walks through a World at random, in place of a search.
#[must_use]
pub fn simulate(world: &World, walks: Walks, request: CheckRequest<'_>) -> CheckOutcome<Tag> {
    engine::simulate::<AnyWorld>(world, walks, request)
}

/// Replays a trail of a search with these reductions on the shipped cores: returns its steps as
/// text, and its last state.
#[must_use]
pub fn replay(world: &World, trail: &Trail, reduced: Reductions) -> (Vec<StepReport>, State) {
    let interned = Interned::<AnyWorld>::new(world);
    let space = interned.space(Vec::new(), reduced);
    let mut expander = Expander::new(&space);
    let fingerprint = |state: &State| expander.fingerprint(&interned.vector(state.0.clone()));
    let successors = |state: &State| fair_successors(world, state);
    let trace = replay::replay(trail, world.initial_states(), successors, discharged, fingerprint);
    let mut state = &trace.first;
    let mut words = starting_words(world, state);
    for ((action, _), next) in &trace.steps {
        words.push(step_words(world, state, action));
        state = next;
    }
    (words, state.clone())
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
