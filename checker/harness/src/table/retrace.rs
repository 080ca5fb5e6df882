//! Recorded counterexamples of the table level, followed on the table as it is now.

use turnstile_search::bounds::NoProgress;
use turnstile_search::judgement::Verdict;
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_world::state::State;

use crate::options::Options;
use crate::retrace::{Divergence, RecordedStep, ends};

use super::environment::{Configuration, Environment};
use super::graph::Graph;
use super::{check, verdict, words};

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
    let options = Options::new(&NoProgress);
    let whole = check(vocabulary, table, &options);
    let Some(named) = whole.properties.iter().find(|one| one.name == property) else {
        return Ok(None);
    };
    let running = Environment::new(vocabulary, table).ok();
    let world = running.as_ref().and_then(|environment| Some((environment, environment.world()?)));
    // What no trace shows fails as a whole.
    let (Some((environment, world)), false) = (world, steps.is_empty()) else {
        return Ok(Some(named.verdict == Verdict::Fails));
    };
    let ends = ends(world, steps, |state| successors(environment, state))?;
    let claimed = world.named_properties().iter().find(|one| one.name == property);
    Ok(Some(ends.into_iter().any(|end| match claimed {
        Some(claimed) => !world.view(&end.0, |view| claimed.evaluate(view)).holds,
        None => verdict::is_stuck(environment, &Graph::from(environment, vec![end], &options)),
    })))
}

/// The steps that are possible in a state, each with the state after it.
fn successors(environment: &Environment<'_>, state: &State) -> Vec<(RecordedStep, State)> {
    let step = |(occurrence, next): (_, State)| {
        let (from, to) = (Configuration::of(state), Configuration::of(&next));
        let step = words::step(environment, &from, &occurrence, &to);
        (RecordedStep::from(&step), next)
    };
    environment.steps(state).into_iter().map(step).collect()
}
