//! A world searched by stateright's breadth-first search, and a verdict for each property.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stateright::{Checker, Model};
use turnstile_harness::check::Checked;
use turnstile_harness::noted::{end_words, exercised, overflow, taken, violation_words};
use turnstile_harness::options::Options;
use turnstile_harness::result::{Kind, PropertyKind, PropertyReport, ResultReport};
use turnstile_search::bounds::Standing;
use turnstile_search::judged::Verdict;
use turnstile_world::World;
use turnstile_world::property::{Claim, Property};
use turnstile_world::state::State;
use turnstile_world::trace::StepReport;

use crate::graph::{Graph, Index, Noted, Notes, fingerprint};

/// How often the search is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Searches a world to its end, or to the bounds of the options.
#[must_use]
pub fn check(world: &Arc<World>, (system, name): (&str, &str), options: &Options<'_>) -> Checked {
    let begin = Instant::now();
    let (graph, cut) = search(world, options);
    let mut result = ResultReport::new(Kind::System, system, Some(name));
    result.as_written = options.as_written;
    result.engine = "stateright".to_owned();
    result.threads = options.threads;
    result.complete = cut.is_none();
    result.states = graph.order.len() as u64;
    result.transitions = graph.edges();
    result.depth = graph.depth;
    result.notes.cut = cut;
    let exercised = exercised(&graph.notes.marks);
    for (number, property) in world.claims().iter().enumerate() {
        let mut report = verdict(world, &graph, result.complete, number, property);
        report.faults_exercised.clone_from(&exercised);
        result.properties.push(report);
    }
    for budget in world.budgets.iter().filter(|budget| !exercised.contains(&budget.name)) {
        result.notes.never_reached.push(format!("{} has a budget and never happens", budget.name));
    }
    result.seconds = begin.elapsed().as_secs_f64();
    result.peak_memory_bytes = options.progress.peak();
    Checked { result, taken: taken(graph.notes.marks) }
}

/// The graph, and why it is cut if it is.
fn search(world: &Arc<World>, options: &Options<'_>) -> (Graph, Option<String>) {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let stop = Arc::new(AtomicBool::new(false));
    let states_max = options.limits.max_states;
    let states_max =
        states_max.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let noted = Noted {
        world: Arc::clone(world),
        notes: Arc::clone(&notes),
        stop: Arc::clone(&stop),
        states_max,
    };
    let checker = noted.checker().threads(options.threads.max(1)).spawn_bfs();
    let mut cut = None;
    while !checker.is_done() {
        std::thread::sleep(LOOK);
        let states = checker.unique_state_count() as u64;
        options.progress.stand(Standing {
            states,
            level: checker.max_depth() as u64,
            memory: options.progress.allocated(),
            ..Standing::default()
        });
        // How many states are expanded is for those to say who expand them.
        cut = cut.or_else(|| options.bound(0));
        if cut.is_some() {
            stop.store(true, Ordering::Relaxed);
        }
    }
    let unique = checker.join().unique_state_count();
    let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
    if notes.is_full {
        cut = options.bound(u64::MAX);
    }
    cut = cut.or_else(|| overflow(world, &notes.marks));
    let graph = Graph::of(notes, fingerprint(&world.first()));
    if cut.is_none() {
        assert_eq!(graph.order.len(), unique, "stateright and the notes count the same states");
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
    let is_met = graph.order.iter().any(|state| graph.answer(number, *state).premise);
    let so = |state: Index| graph.answer(number, state).holds;
    let (kind, shown) = match property.claim {
        Claim::Always { .. } => (PropertyKind::Always, graph.order.iter().find(|s| !so(**s))),
        Claim::Sometimes(_) => (PropertyKind::Sometimes, graph.order.iter().find(|s| so(**s))),
        Claim::CanReach { .. } => {
            let reaches = graph.reaching(so);
            let stuck = |state: &&Index| {
                graph.answer(number, **state).premise && !reaches[**state as usize]
            };
            let stuck = graph.order.iter().find(stuck).filter(|_| is_complete);
            (PropertyKind::CanReach, stuck)
        }
        Claim::LeadsTo { .. } => (PropertyKind::LeadsTo, None),
    };
    let verdict = match (kind, shown) {
        (PropertyKind::Sometimes, Some(_)) => Verdict::Holds,
        (PropertyKind::Sometimes, None) if is_complete => Verdict::Fails,
        (PropertyKind::Always | PropertyKind::CanReach, Some(_)) => Verdict::Fails,
        (PropertyKind::LeadsTo | PropertyKind::Eventually, _) => Verdict::Incomplete,
        (_, None) if !is_complete => Verdict::Incomplete,
        (_, _) if !is_met => Verdict::Vacuous,
        (_, _) => Verdict::Holds,
    };
    let mut report = PropertyReport::new(property.name, kind, verdict);
    report.sentence.clone_from(&property.sentence);
    if let Some(state) = shown {
        let end;
        (report.counterexample, end) = run(world, &graph.path(*state));
        if verdict == Verdict::Fails {
            end_words(world, property, &end, &mut report);
        }
        if report.finding.is_some() {
            let others = graph.notes.violations.keys().map(violation_words);
            report.others = others.filter(|one| Some(one) != report.finding.as_ref()).collect();
            report.others.dedup();
        }
    }
    report
}

/// The steps of a run, each taken once more through the real core, and its last state.
fn run(world: &World, path: &[u16]) -> (Vec<StepReport>, State) {
    let mut state = world.first();
    let mut steps = Vec::new();
    for number in path {
        let action = world.actions_of(&state).swap_remove(usize::from(*number));
        steps.push(world.step_words(&state, &action));
        state = world.after(&state, &action).expect("the search took this step");
    }
    (steps, state)
}
