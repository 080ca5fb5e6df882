//! Model checking of a world by stateright's breadth-first search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stateright::{Checker, Model};
use turnstile_harness::check::CheckOutput;
use turnstile_harness::options::Options;
use turnstile_harness::results::observations::{
    end_words, exercised, overflow, taken, violation_words,
};
use turnstile_harness::results::result::{PropertyKind, PropertyReport, ResultKind, ResultReport};
use turnstile_search::bounds::ProgressSnapshot;
use turnstile_search::judgement::Verdict;
use turnstile_world::World;
use turnstile_world::property::{Property, TemporalFormula};
use turnstile_world::state::State;
use turnstile_world::trace::StepReport;
use turnstile_world::words::{starting_words, step_words};

use crate::graph::{Graph, RecordedSearch, RecordingModel, StateIndex, fingerprint};

/// How often the limits are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Checks a world exhaustively, or up to the limits of the options.
#[must_use]
pub fn check(
    world: &Arc<World>,
    (system, name): (&str, &str),
    options: &Options<'_>,
) -> CheckOutput {
    let begin = Instant::now();
    let (graph, cut) = search(world, options);
    let mut result = ResultReport::new(ResultKind::System, system, Some(name));
    result.as_written = options.as_written;
    result.engine = "stateright".to_owned();
    result.threads = options.threads;
    result.complete = cut.is_none();
    result.states = graph.order.len() as u64;
    result.transitions = graph.edges();
    result.depth = graph.depth;
    result.notes.cut = cut;
    let exercised = exercised(&graph.recorded.tags);
    for (number, property) in world.named_properties().iter().enumerate() {
        let mut report = verdict(world, &graph, result.complete, number, property);
        report.faults_exercised.clone_from(&exercised);
        result.properties.push(report);
    }
    let leads_to = |report: &PropertyReport| report.kind == PropertyKind::LeadsTo;
    if result.complete && result.properties.iter().any(leads_to) {
        let why = "`leads to`: stateright follows no cycles; leave out `--engine`";
        result.notes.undecided.push(why.to_owned());
    }
    for budget in world.budgets.iter().filter(|budget| !exercised.contains(&budget.name)) {
        result.notes.faults_never_injected.push(budget.name.clone());
    }
    result.seconds = begin.elapsed().as_secs_f64();
    result.peak_memory_bytes = options.progress.peak();
    CheckOutput { result, taken: taken(graph.recorded.tags) }
}

/// The graph, and why the search was truncated, if it was.
fn search(world: &Arc<World>, options: &Options<'_>) -> (Graph, Option<String>) {
    let recorded = Arc::new(Mutex::new(RecordedSearch::default()));
    let stop = Arc::new(AtomicBool::new(false));
    let states_max = options.limits.max_states;
    let states_max =
        states_max.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let model = RecordingModel {
        world: Arc::clone(world),
        recorded: Arc::clone(&recorded),
        stop: Arc::clone(&stop),
        states_max,
    };
    let checker = model.checker().threads(options.threads.max(1)).spawn_bfs();
    let mut cut = None;
    while !checker.is_done() {
        std::thread::sleep(POLL_INTERVAL);
        let states = checker.unique_state_count() as u64;
        options.progress.update(ProgressSnapshot {
            states,
            level: checker.max_depth() as u64,
            memory: options.progress.allocated(),
            ..ProgressSnapshot::default()
        });
        // The model itself checks the limit of states.
        cut = cut.or_else(|| options.bound(0));
        if cut.is_some() {
            stop.store(true, Ordering::Relaxed);
        }
    }
    let unique = checker.join().unique_state_count();
    let recorded = std::mem::take(&mut *recorded.lock().unwrap_or_else(PoisonError::into_inner));
    if recorded.is_full {
        cut = options.bound(u64::MAX);
    }
    cut = cut.or_else(|| overflow(world, &recorded.tags));
    let initial: Vec<u64> = world.initial_states().iter().map(fingerprint).collect();
    let graph = Graph::of(recorded, &initial);
    if cut.is_none() {
        assert_eq!(graph.order.len(), unique, "stateright and the record count the same states");
    }
    (graph, cut)
}

fn verdict(
    world: &World,
    graph: &Graph,
    is_complete: bool,
    number: usize,
    property: &Property,
) -> PropertyReport {
    let is_reached = graph.order.iter().any(|state| graph.evaluation(number, *state).antecedent);
    let holds = |state: StateIndex| graph.evaluation(number, state).holds;
    let (kind, witness) = match property.formula {
        TemporalFormula::Always { .. } => {
            (PropertyKind::Always, graph.order.iter().find(|s| !holds(**s)))
        }
        TemporalFormula::Sometimes(_) => {
            (PropertyKind::Sometimes, graph.order.iter().find(|s| holds(**s)))
        }
        TemporalFormula::CanReach { .. } => {
            let reaches = graph.reaching(holds);
            let stuck = |state: &&StateIndex| {
                graph.evaluation(number, **state).antecedent && !reaches[**state as usize]
            };
            let stuck = graph.order.iter().find(stuck).filter(|_| is_complete);
            (PropertyKind::CanReach, stuck)
        }
        TemporalFormula::LeadsTo { .. } => (PropertyKind::LeadsTo, None),
    };
    let verdict = match (kind, witness) {
        (PropertyKind::Sometimes, Some(_)) => Verdict::Holds,
        (PropertyKind::Sometimes, None) if is_complete => Verdict::Fails,
        (PropertyKind::Always | PropertyKind::CanReach, Some(_)) => Verdict::Fails,
        (PropertyKind::LeadsTo | PropertyKind::Eventually, _) => Verdict::Incomplete,
        (_, None) if !is_complete => Verdict::Incomplete,
        (_, _) if !is_reached => Verdict::Vacuous,
        (_, _) => Verdict::Holds,
    };
    let mut report = PropertyReport::new(&property.name, kind, verdict);
    report.sentence.clone_from(&property.sentence);
    if let Some(state) = witness {
        let end;
        (report.counterexample, end) = replay(world, graph, *state);
        if verdict == Verdict::Fails {
            end_words(world, property, &end, &mut report);
        }
        if report.finding.is_some() {
            let others = graph.recorded.violations.keys().map(|one| violation_words(world, one));
            report.others = others.filter(|one| Some(one) != report.finding.as_ref()).collect();
            report.others.dedup();
        }
    }
    report
}

/// The steps of a shortest path to a state, replayed on the shipped cores, and its last state.
fn replay(world: &World, graph: &Graph, to: StateIndex) -> (Vec<StepReport>, State) {
    let (first, path) = graph.path(to);
    let initial = world.initial_states().into_iter().find(|state| graph.is(first, state));
    let mut state = initial.expect("a path begins in an initial state");
    let mut steps = starting_words(world, &state);
    for number in path {
        let action = world.actions_of(&state).swap_remove(usize::from(number));
        steps.push(step_words(world, &state, &action));
        state = world.after(&state, &action).expect("the search took this step");
    }
    (steps, state)
}
