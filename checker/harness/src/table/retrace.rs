//! Recorded counterexamples of the table level, followed on the table as it is now.

use std::collections::HashSet;

use turnstile_search::bounds::NoProgress;
use turnstile_search::judgement::Verdict;
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_world::property::TemporalFormula;
use turnstile_world::state::State;
use turnstile_world::{Property, World};

use crate::options::Options;
use crate::retrace::{Divergence, RecordedStep, ends, successors};

use super::environment::Environment;
use super::{check, words};

/// Follows a trace from an initial state; whether the property is violated as it was. `None`: the
/// table level has no such property.
///
/// # Errors
///
/// The first step that the table does not take as it was recorded.
pub fn follow(
    (vocabulary, table): (&Vocabulary, &Table),
    property: &str,
    steps: &[RecordedStep],
) -> Result<Option<bool>, Divergence> {
    let whole = check(vocabulary, table, &Options::new(&NoProgress));
    let Some(named) = whole.properties.iter().find(|one| one.name == property) else {
        return Ok(None);
    };
    let environment = Environment::new(vocabulary, table).ok().flatten();
    // What no trace shows fails as a whole.
    let Some(environment) = environment.filter(|_| !steps.is_empty()) else {
        return Ok(Some(named.verdict == Verdict::Fails));
    };
    let world = &environment.world;
    let words = |from: &_, action: &_, to: &_| words::step(&environment, (from, action, to));
    let ends = ends(world, steps, words)?;
    let claimed = world.named_properties().iter().find(|one| one.name == property);
    let is_violated = |end| claimed.is_some_and(|claimed| is_violated(world, claimed, end));
    Ok(Some(ends.into_iter().any(is_violated)))
}

/// Whether a property is violated in a state, by all that may follow if it is one of paths.
fn is_violated(world: &World, property: &Property, state: State) -> bool {
    let evaluation = |state: &State| world.view(&state.0, |view| property.evaluate(view));
    if !matches!(property.formula, TemporalFormula::CanReach { .. }) {
        return !evaluation(&state).holds;
    }
    let antecedent = evaluation(&state).antecedent;
    let mut known = HashSet::from([state.clone()]);
    let mut open = vec![state];
    while let Some(state) = open.pop().filter(|_| antecedent) {
        if evaluation(&state).holds {
            return false;
        }
        let new = successors(world, &state).map(|(_, next)| next);
        open.extend(new.filter(|next| known.insert(next.clone())));
    }
    antecedent
}
