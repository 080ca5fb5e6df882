//! The World as a [`stateright::Model`], over whole states: stateright's searches, simulation
//! and Explorer run on it as they are.

use stateright::{Model, Property as Stateright};

use crate::world::World;
use crate::world::property::Claim;
use crate::world::state::{Action, State};
use crate::world::system::System;

impl<S: System> World<S> {
    /// Whether the property of this number does not stand out in a state: an `always` is not
    /// broken, a `sometimes` is not met.
    fn is_plain(&self, number: usize, state: &State<S::Types>) -> bool {
        self.properties.get(number).is_none_or(|property| {
            let answer = self.view(&state.0, |view| property.ask(view));
            match property.claim {
                Claim::Always { .. } => answer.holds,
                Claim::Sometimes(_) => !answer.holds,
                Claim::CanReach { .. } | Claim::LeadsTo { .. } => true,
            }
        })
    }
}

type Condition<S> = fn(&World<S>, &State<<S as System>::Types>) -> bool;

/// Stateright takes conditions as plain functions: one for each number.
fn condition<S: System, const NUMBER: usize>(world: &World<S>, state: &State<S::Types>) -> bool {
    let plain = world.is_plain(NUMBER, state);
    match world.properties.get(NUMBER).map(|property| &property.claim) {
        Some(Claim::Sometimes(_)) => !plain,
        _ => plain,
    }
}

impl<S: System> Model for World<S> {
    type State = State<S::Types>;
    type Action = Action<S::Types>;

    fn init_states(&self) -> Vec<State<S::Types>> {
        vec![self.first()]
    }

    fn actions(&self, state: &State<S::Types>, actions: &mut Vec<Action<S::Types>>) {
        actions.extend(self.actions_of(state));
    }

    fn next_state(
        &self,
        state: &State<S::Types>,
        action: Action<S::Types>,
    ) -> Option<State<S::Types>> {
        self.after(state, &action)
    }

    /// The properties that look at single states, the first sixteen of them, and one that is
    /// never broken, so that a search goes to the end.
    fn properties(&self) -> Vec<Stateright<Self>> {
        let conditions: [Condition<S>; 16] = [
            condition::<S, 0>,
            condition::<S, 1>,
            condition::<S, 2>,
            condition::<S, 3>,
            condition::<S, 4>,
            condition::<S, 5>,
            condition::<S, 6>,
            condition::<S, 7>,
            condition::<S, 8>,
            condition::<S, 9>,
            condition::<S, 10>,
            condition::<S, 11>,
            condition::<S, 12>,
            condition::<S, 13>,
            condition::<S, 14>,
            condition::<S, 15>,
        ];
        let listed = self.properties.iter().zip(conditions).filter_map(|(property, ask)| {
            match property.claim {
                Claim::Always { .. } => Some(Stateright::always(property.name, ask)),
                Claim::Sometimes(_) => Some(Stateright::sometimes(property.name, ask)),
                Claim::CanReach { .. } | Claim::LeadsTo { .. } => None,
            }
        });
        listed.chain([Stateright::always("searched to the end", |_, _| true)]).collect()
    }

    fn format_action(&self, action: &Action<S::Types>) -> String {
        self.action_words(action)
    }
}
