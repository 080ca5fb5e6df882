//! Recorded counterexamples, followed in a world: on its tables and cores as they are now.

use serde::{Deserialize, Serialize};
use turnstile_world::property::TemporalFormula;
use turnstile_world::state::{Action, State};
use turnstile_world::trace::StepReport;
use turnstile_world::words::{starting_words, step_words};
use turnstile_world::{Property, World};

/// A step as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedStep {
    /// The node, or `network`.
    pub node: String,
    /// The event.
    pub event: String,
    /// The rows taken.
    pub row: String,
    /// The sender of the message, if one was delivered.
    pub from: Option<String>,
    /// The effects.
    pub effects: Vec<String>,
}

impl From<&StepReport> for RecordedStep {
    fn from(step: &StepReport) -> Self {
        Self {
            node: step.node.clone(),
            event: step.event.clone(),
            row: step.row.clone(),
            from: step.from.clone(),
            effects: step.effects.iter().map(ToString::to_string).collect(),
        }
    }
}

impl RecordedStep {
    fn is_same_event(&self, other: &Self) -> bool {
        (&self.node, &self.event, &self.from) == (&other.node, &other.event, &other.from)
    }
}

/// The first step that the world does not take as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The step, counted from 0.
    pub step: usize,
    /// What happens instead: the same event with other rows or effects, or else every event that
    /// is possible.
    pub instead: Vec<RecordedStep>,
    /// Whether the event itself is possible.
    pub is_possible: bool,
}

/// A state at the end of a trace, and the one at which its loop begins.
struct Candidate {
    last: State,
    at_loop: Option<State>,
}

/// Follows a trace from an initial state; whether the property is violated as it was: by its last
/// state, or by its loop, which begins at the step `loop_from`.
///
/// # Errors
///
/// The first step that the world does not take as it was recorded.
pub fn follow(
    world: &World,
    property: &Property,
    steps: &[RecordedStep],
    loop_from: Option<usize>,
) -> Result<bool, Divergence> {
    let words = |state: &State, action: &Action, _: &State| step_words(world, state, action);
    let ends = walk(world, steps, loop_from, words)?;
    Ok(ends.iter().any(|end| is_violated(world, property, end, loop_from, steps.len())))
}

/// The states in which a trace may end.
///
/// # Errors
///
/// The first step that is not possible as it was recorded.
pub(crate) fn ends(
    world: &World,
    steps: &[RecordedStep],
    words: impl Fn(&State, &Action, &State) -> StepReport,
) -> Result<Vec<State>, Divergence> {
    let ends = walk(world, steps, None, words)?;
    Ok(ends.into_iter().map(|end| end.last).collect())
}

fn walk(
    world: &World,
    steps: &[RecordedStep],
    loop_from: Option<usize>,
    words: impl Fn(&State, &Action, &State) -> StepReport,
) -> Result<Vec<Candidate>, Divergence> {
    let (begin, mut open) = begun(world, steps)?;
    for (number, step) in steps.iter().enumerate().skip(begin) {
        let mut next: Vec<Candidate> = Vec::new();
        let mut instead: Vec<RecordedStep> = Vec::new();
        for candidate in open {
            let at_loop = candidate.at_loop.clone();
            let at_loop =
                at_loop.or_else(|| (loop_from == Some(number)).then(|| candidate.last.clone()));
            for (action, last) in successors(world, &candidate.last) {
                let taken = RecordedStep::from(&words(&candidate.last, &action, &last));
                if taken != *step {
                    instead.push(taken);
                } else if next
                    .iter()
                    .all(|other| (&other.last, &other.at_loop) != (&last, &at_loop))
                {
                    next.push(Candidate { last, at_loop: at_loop.clone() });
                }
            }
        }
        if next.is_empty() {
            let is_possible = instead.iter().any(|other| other.is_same_event(step));
            instead.retain(|other| !is_possible || other.is_same_event(step));
            return Err(Divergence { step: number, instead, is_possible });
        }
        open = next;
    }
    Ok(open)
}

/// The initial states in which a trace may begin, after the steps that say where nodes begin, and
/// the number of these.
fn begun(world: &World, steps: &[RecordedStep]) -> Result<(usize, Vec<Candidate>), Divergence> {
    let begins = |state: &State| -> Vec<RecordedStep> {
        starting_words(world, state).iter().map(RecordedStep::from).collect()
    };
    let states = world.initial_states();
    let is_begun = |state: &&State| steps.starts_with(&begins(state));
    let open = states.iter().filter(is_begun);
    let open: Vec<Candidate> =
        open.map(|state| Candidate { last: state.clone(), at_loop: None }).collect();
    if let Some(first) = open.first() {
        return Ok((begins(&first.last).len(), open));
    }
    let instead = states.iter().flat_map(|state| begins(state).into_iter().next()).collect();
    Err(Divergence { step: 0, instead, is_possible: false })
}

/// The actions that are possible in a state, each with the state after it.
pub(crate) fn successors(world: &World, state: &State) -> impl Iterator<Item = (Action, State)> {
    world.actions_of(state).into_iter().filter_map(|action| {
        let next = State(world.reached(state, &action)?.state);
        Some((action, next))
    })
}

fn is_violated(
    world: &World,
    property: &Property,
    end: &Candidate,
    loop_from: Option<usize>,
    steps: usize,
) -> bool {
    let evaluation = world.view(&end.last.0, |view| property.evaluate(view));
    match (&property.formula, loop_from) {
        (TemporalFormula::Always { .. }, _) => !evaluation.holds,
        (_, Some(first)) if first < steps => end.at_loop.as_ref() == Some(&end.last),
        // A trace of this kind has a loop.
        (TemporalFormula::LeadsTo { .. }, None) => false,
        // The last state is repeated, or no path leads from it to the goal.
        _ => !evaluation.holds,
    }
}
