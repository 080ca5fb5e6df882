//! The World as a [`stateright::Model`], over whole states: stateright's searches, simulation
//! and Explorer run on it as they are.

use stateright::{Model, Property as Stateright};

use crate::world::World;
use crate::world::error::WorldError;
use crate::world::property::Claim;
use crate::world::state::{Action, State};

impl World {
    /// Whether stateright, and with it the Explorer, can be asked about every property.
    ///
    /// # Errors
    ///
    /// There are more than 64.
    pub fn explorable(&self) -> Result<(), WorldError> {
        match self.properties.len() {
            0..=CONDITIONS_MAX => Ok(()),
            count => Err(WorldError::Conditions { count }),
        }
    }

    /// Whether the property of this number does not stand out in a state: an `always` is not
    /// broken, a `sometimes` is not met.
    fn is_plain(&self, number: usize, state: &State) -> bool {
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

type Condition = fn(&World, &State) -> bool;

/// Stateright takes conditions as plain functions: one for each number.
fn condition<const NUMBER: usize>(world: &World, state: &State) -> bool {
    let plain = world.is_plain(NUMBER, state);
    match world.properties.get(NUMBER).map(|property| &property.claim) {
        Some(Claim::Sometimes(_)) => !plain,
        _ => plain,
    }
}

macro_rules! conditions {
    ($($index:literal)*) => {
        /// As many properties as stateright is asked about at most.
        pub(super) const CONDITIONS_MAX: usize = [$($index),*].len();

        fn conditions() -> [Condition; CONDITIONS_MAX] {
            [$(condition::<$index>),*]
        }
    };
}

conditions!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);

impl Model for World {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![self.first()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(self.actions_of(state));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        self.after(state, &action)
    }

    /// The properties that look at single states, and one that is never broken, so that a search
    /// goes to the end. There are as many at most as `World::explorable` allows.
    fn properties(&self) -> Vec<Stateright<Self>> {
        assert!(self.explorable().is_ok(), "a caller asks `World::explorable` first");
        let conditions = conditions();
        let listed = self.properties.iter().zip(conditions).filter_map(|(property, ask)| {
            match property.claim {
                Claim::Always { .. } => Some(Stateright::always(property.name, ask)),
                Claim::Sometimes(_) => Some(Stateright::sometimes(property.name, ask)),
                Claim::CanReach { .. } | Claim::LeadsTo { .. } => None,
            }
        });
        listed.chain([Stateright::always("searched to the end", |_, _| true)]).collect()
    }

    fn format_action(&self, action: &Action) -> String {
        self.action_words(action)
    }
}
