//! A world or a table in stateright's Explorer.

use std::net::SocketAddr;
use std::sync::Arc;

use stateright::{Model as _, Property};
use turnstile_harness::table::environment::{Configuration, Environment, Occurrence, StepError};
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_world::World;
use turnstile_world::parts::Op;
use turnstile_world::state::Action;

use crate::model::{Model, TooManyProperties};

/// Serves a world until the process ends, if `ready` returns true.
///
/// # Errors
///
/// It has more properties than the Explorer shows.
pub fn explore(
    world: World,
    listen: SocketAddr,
    ready: impl FnOnce() -> bool,
) -> Result<(), TooManyProperties> {
    let action_text =
        |world: &World, at, op: &Op| world.action_words(&Action { at, op: op.clone() });
    let model = Model::new(Arc::new(world))?.with_action_text(action_text);
    if ready() {
        model.checker().serve(listen);
    }
    Ok(())
}

/// Shows a table, until the process ends.
pub fn explore_table(vocabulary: &Vocabulary, table: &Table, listen: SocketAddr) {
    // Explorer keeps the model for as long as the process lives.
    let vocabulary = Box::leak(Box::new(vocabulary.clone()));
    let table = Box::leak(Box::new(table.clone()));
    TableModel(Environment::new(vocabulary, table)).checker().serve(listen);
}

/// A table in the environment of its resources.
struct TableModel(Environment<'static>);

impl stateright::Model for TableModel {
    type State = Configuration;
    type Action = Occurrence;

    fn init_states(&self) -> Vec<Configuration> {
        self.0.initial()
    }

    fn actions(&self, last: &Configuration, actions: &mut Vec<Occurrence>) {
        self.0.enabled_events(last, actions);
    }

    fn next_state(&self, last: &Configuration, action: Occurrence) -> Option<Configuration> {
        Some(self.0.after(last, action))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("resources match state", |alone: &Self, at: &Configuration| {
                at.is_over() || (at.wrong.is_none() && alone.0.is_as_held(at))
            }),
            Property::always("no unhandled event", |_, at: &Configuration| {
                at.wrong != Some(StepError::NoRow)
            }),
            Property::always("no impossible cell is reached", |_, at: &Configuration| {
                !matches!(at.wrong, Some(StepError::Impossible(_)))
            }),
        ]
    }

    fn format_action(&self, action: &Occurrence) -> String {
        self.0.words(action)
    }

    fn within_boundary(&self, configuration: &Configuration) -> bool {
        !self.0.is_beyond(configuration)
    }
}
