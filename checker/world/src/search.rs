//! A World searched, and a trail through it taken once more: so that the searches are compiled
//! here, once, and not where they are asked for.

use turnstile_search::bounds::Reductions;
use turnstile_search::engine::{Outcome, Question, run};
use turnstile_search::interned::Interned;
use turnstile_search::parts::{Fairness, Reached};
use turnstile_search::replay::{Trail, replay};
use turnstile_search::space::Space as _;

use crate::World;
use crate::parts::Mark;
use crate::state::{Action, State};
use crate::trace::StepReport;

/// An action, and what it relieves.
type Relieving = (Action, Vec<Fairness>);

/// What an action relieves.
fn relieved((_, relieves): &Relieving) -> &[Fairness] {
    relieves
}

impl World {
    /// Searches it.
    #[must_use]
    pub fn search(&self, question: Question<'_>) -> Outcome<Mark> {
        run(self, question)
    }

    /// A trail of a search with these reductions, taken once more through the real cores: its steps
    /// in words, and the state in which it ends.
    #[must_use]
    pub fn replay(&self, trail: &Trail, reduced: Reductions) -> (Vec<StepReport>, State) {
        let space = Interned::new(self, Vec::new(), reduced);
        let mut expander = space.expander();
        let fingerprint = |state: &State| expander.fingerprint(state.0.clone());
        let successors = |state: &State| self.relieving(state);
        let run = replay(trail, vec![self.first()], successors, relieved, fingerprint);
        let mut state = &run.first;
        let mut words = Vec::new();
        for ((action, _), next) in &run.steps {
            words.push(self.step_words(state, action));
            state = next;
        }
        (words, state.clone())
    }

    /// A state's actions, each with what it relieves and the state it leads to.
    fn relieving(&self, state: &State) -> Vec<(Relieving, State)> {
        let actions = self.fair_actions_of(state).into_iter();
        let after = |(action, fairness)| {
            let Reached { state, mut relieves, .. } = self.reached(state, &action)?;
            relieves.push(fairness);
            Some(((action, relieves), State(state)))
        };
        actions.filter_map(after).collect()
    }
}
