//! The model checking of a World, and the replay of its trails. What depends on the types of its
//! parts is compiled here once, for a World and for what notes or changes what a World does.

use turnstile_search::bounds::Reductions;
use turnstile_search::engine::{CheckOutcome, CheckRequest, Walks, run, simulate};
use turnstile_search::interned::{Expander, Interned};
use turnstile_search::replay::replay;
use turnstile_search::trail::Trail;
use turnstile_search::transition_system::{Fairness, ReachedState, TransitionSystem};

use crate::parts::{Op, Part, Tag};
use crate::state::{Action, State};
use crate::trace::StepReport;
use crate::world::World;

/// A World, or what has its parts and notes or changes what it does.
pub type AnyWorld = dyn TransitionSystem<Part = Part, Op = Op, Tag = Tag>;

/// Checks the properties of a World, or of what does as a World does.
#[must_use]
pub fn search(world: &AnyWorld, request: CheckRequest<'_>) -> CheckOutcome<Tag> {
    run(world, request)
}

/// An action, and the fairness conditions it discharges.
type FairAction = (Action, Vec<Fairness>);

/// The fairness conditions that an action discharges.
fn discharged((_, discharges): &FairAction) -> &[Fairness] {
    discharges
}

impl World {
    /// Checks its properties.
    #[must_use]
    pub fn search(&self, request: CheckRequest<'_>) -> CheckOutcome<Tag> {
        search(self, request)
    }

    /// Walks through it at random, in place of a search.
    #[must_use]
    pub fn simulate(&self, walks: Walks, request: CheckRequest<'_>) -> CheckOutcome<Tag> {
        simulate::<AnyWorld>(self, walks, request)
    }

    /// Replays a trail of a search with these reductions on the shipped cores: returns its steps as
    /// text, and its last state.
    #[must_use]
    pub fn replay(&self, trail: &Trail, reduced: Reductions) -> (Vec<StepReport>, State) {
        let interned = Interned::<AnyWorld>::new(self);
        let space = interned.space(Vec::new(), reduced);
        let mut expander = Expander::new(&space);
        let fingerprint = |state: &State| expander.fingerprint(&interned.vector(state.0.clone()));
        let successors = |state: &State| self.fair_successors(state);
        let trace = replay(trail, self.initial_states(), successors, discharged, fingerprint);
        let mut state = &trace.first;
        let mut words = self.starting_words(state);
        for ((action, _), next) in &trace.steps {
            words.push(self.step_words(state, action));
            state = next;
        }
        (words, state.clone())
    }

    /// The successors of a state, each with its action and the fairness conditions it discharges.
    fn fair_successors(&self, state: &State) -> Vec<(FairAction, State)> {
        let actions = self.fair_actions_of(state).into_iter();
        let after = |(action, fairness)| {
            let ReachedState { state, mut discharges, .. } = self.reached(state, &action)?;
            discharges.push(fairness);
            Some(((action, discharges), State(state)))
        };
        actions.filter_map(after).collect()
    }
}
