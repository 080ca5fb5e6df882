//! The check of a World: figures, verdicts and counterexamples.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use turnstile_search::bounds::{Limits, StopCondition};
use turnstile_search::breadth_first::Truncation;
use turnstile_search::engine::{CheckOutcome, CheckRequest};
use turnstile_search::fingerprint::collision_probability;
use turnstile_search::judgement::{Judgement, Verdict};
use turnstile_search::trail::Trail;
use turnstile_step::RowOutcome;
use turnstile_world::monitor::Violation;
use turnstile_world::parts::Tag;
use turnstile_world::property::TemporalFormula;
use turnstile_world::trace::counted;
use turnstile_world::{Property, World, WorldTrace, replay, search, simulate, trace_words};

use crate::options::Options;
use crate::results::observations::{end_words, exercised, overflow, taken, violation_words};
use crate::results::result::{PropertyKind, PropertyReport, ResultKind, ResultReport};

/// The result of a search, with the outcomes of rows.
#[derive(Debug)]
pub struct CheckOutput {
    /// The result, without coverage: the system, which knows its tables, adds it.
    pub result: ResultReport,
    /// The outcomes of rows in all steps.
    pub taken: BTreeSet<RowOutcome>,
}

/// A search of a world: [`check`], or another engine for comparison.
pub type SearchFn = fn(&Arc<World>, (&str, &str), &Options<'_>) -> CheckOutput;

/// Checks a World of a system.
#[must_use]
pub fn check(
    world: &Arc<World>,
    (name, world_name): (&str, &str),
    options: &Options<'_>,
) -> CheckOutput {
    check_for(world, (name, world_name), options, false).0
}

/// The same; `every`: with a trace to every state that violates a property, by property, and not to
/// the first one only.
pub(crate) fn check_for(
    world: &Arc<World>,
    (name, world_name): (&str, &str),
    options: &Options<'_>,
    every: bool,
) -> (CheckOutput, Vec<Vec<WorldTrace>>) {
    let began = Instant::now();
    let request = CheckRequest {
        every,
        threads: options.threads,
        limits: options.limits,
        reduce: options.reduce,
        until: &options.until,
        progress: options.progress,
    };
    let (engine, outcome) = match options.simulate {
        Some(walks) => ("simulation", simulate(world, walks, request)),
        None => ("interned", search(&**world, request)),
    };
    let mut report = ResultReport::new(ResultKind::System, name, Some(world_name));
    report.as_written = options.as_written;
    engine.clone_into(&mut report.engine);
    report.threads = if options.simulate.is_some() { 1 } else { options.threads };
    report.reductions = outcome.reductions.iter().map(|(name, _)| (*name).to_owned()).collect();
    report.states = outcome.states as u64;
    report.transitions = outcome.transitions as u64;
    report.depth = outcome.depth as u64;
    // The search's own figure, if no allocator counts.
    report.peak_memory_bytes = match options.progress.peak() {
        0 => outcome.peak_bytes as u64,
        counted => counted,
    };
    let exercised = exercised(&outcome.tags);
    let traces = traces(world, &outcome, options);
    report.properties = world
        .named_properties()
        .iter()
        .zip(outcome.judgements.iter().zip(&traces))
        .map(|(property, judgement)| {
            property_report(world, property, judgement, (&exercised, &outcome.tags))
        })
        .collect();
    end(&mut report, world, &outcome, options);
    report.seconds = began.elapsed().as_secs_f64();
    (CheckOutput { taken: taken(outcome.tags), result: report }, traces)
}

/// The traces of each property, replayed; none if they are not displayed.
fn traces(
    world: &World,
    outcome: &CheckOutcome<Tag>,
    options: &Options<'_>,
) -> Vec<Vec<WorldTrace>> {
    let is_shown = options.until != StopCondition::AnyFailure;
    let trails = |judgement: &'_ Judgement| -> Vec<_> {
        judgement.trail.iter().chain(&judgement.others).filter(|_| is_shown).cloned().collect()
    };
    let trails: Vec<Vec<Trail>> = outcome.judgements.iter().map(trails).collect();
    let mut traces = replay(world, trails.iter().flatten(), outcome.reduced).into_iter();
    trails.iter().map(|trails| traces.by_ref().take(trails.len()).collect()).collect()
}

/// Whether the search was exhaustive, and the basis of the figures.
fn end(
    report: &mut ResultReport,
    world: &World,
    outcome: &CheckOutcome<Tag>,
    options: &Options<'_>,
) {
    let notes = &mut report.notes;
    notes.cut = match outcome.truncation {
        Some(cut) => Some(cut_words(cut, options)),
        None => overflow(world, &outcome.tags),
    };
    if let Some(operation) = &outcome.impure {
        notes.cut = Some(format!("a core is not pure: {operation}"));
    }
    report.complete = notes.cut.is_none();
    if !report.complete {
        leave_open(&mut report.properties, outcome.impure.is_some());
    }
    let runs = counted(outcome.runs as u64, "operation");
    notes.remarks.push(format!("{runs} executed once and memoised; a sample executed twice"));
    for (name, why) in &outcome.reductions {
        notes.remarks.push(format!("reduced by {name}: {why}"));
    }
    let is_open = |property: &PropertyReport| property.verdict == Verdict::Incomplete;
    let is_undecided = report.complete && report.properties.iter().any(is_open);
    let refused = if is_undecided { &mut notes.undecided } else { &mut notes.remarks };
    refused.extend(outcome.refused.iter().cloned());
    let chance = collision_probability(outcome.states as u64);
    notes.remarks.push(format!(
        "64-bit fingerprints: the probability that two states collided is below {chance:.0e}"
    ));
    let unspent = world.budgets.iter().filter(|budget| {
        budget.limit != Some(0) && !outcome.tags.contains(&Tag::Spent(budget.name.clone()))
    });
    notes.faults_never_injected.extend(unspent.map(|budget| budget.name.clone()));
}

/// Makes the verdicts incomplete that a truncated search does not give; all of an impure core.
pub(crate) fn leave_open(properties: &mut [PropertyReport], is_impure: bool) {
    for property in properties {
        let is_sure = property.verdict == Verdict::Fails
            && property.kind != PropertyKind::Sometimes
            || property.verdict == Verdict::Holds && property.kind == PropertyKind::Sometimes;
        if !is_sure || is_impure {
            property.verdict = Verdict::Incomplete;
        }
    }
}

/// The reason why a search was truncated.
fn cut_words(cut: Truncation, options: &Options<'_>) -> String {
    let Limits { max_states, max_memory, .. } = options.limits;
    match cut {
        Truncation::States => format!("--max-states {} reached", max_states.unwrap_or_default()),
        Truncation::Memory => format!("--max-memory {} reached", max_memory.unwrap_or_default()),
        Truncation::Timeout => "--timeout reached".to_owned(),
        Truncation::Stopped => "interrupted".to_owned(),
        Truncation::Found => "at the first failure".to_owned(),
        Truncation::Walks => options.simulate.map_or_else(String::new, |walks| {
            let count = counted(walks.count, "random walk");
            let steps = counted(walks.steps, "step");
            format!("{count} of at most {steps}; `--seed {}` repeats them", walks.seed)
        }),
    }
}

fn property_report(
    world: &World,
    property: &Property,
    (judgement, traces): (&Judgement, &Vec<WorldTrace>),
    (exercised, marks): (&[String], &BTreeSet<Tag>),
) -> PropertyReport {
    let kind = match property.formula {
        TemporalFormula::Always { .. } => PropertyKind::Always,
        TemporalFormula::Sometimes(_) => PropertyKind::Sometimes,
        TemporalFormula::CanReach { .. } => PropertyKind::CanReach,
        TemporalFormula::LeadsTo { .. } => PropertyKind::LeadsTo,
    };
    let mut report = PropertyReport::new(&property.name, kind, judgement.verdict);
    report.sentence.clone_from(&property.sentence);
    report.assumptions.clone_from(&judgement.assumptions);
    report.not_needed.clone_from(&judgement.not_needed);
    report.faults_exercised = exercised.to_vec();
    if let (Some(trail), Some(trace)) = (&judgement.trail, traces.first()) {
        let (steps, end) = (trace_words(world, trace), trace.last());
        let starting = steps.len() + 1 - trail.fingerprints.len();
        report.loop_from = trail.loop_from.map(|at| at + starting);
        report.counterexample = steps;
        if judgement.verdict == Verdict::Fails {
            end_words(world, property, end, &mut report);
        }
        let violation = &end.monitor().violation.as_ref();
        if let Some(violation) = violation.filter(|_| report.finding.is_some()) {
            report.others = others(world, violation, marks);
        }
    }
    report
}

/// Other violations in the search, of the same kind as that at the end of the trace shown.
fn others(world: &World, shown: &Violation, marks: &BTreeSet<Tag>) -> Vec<String> {
    let violations = marks.iter().filter_map(|mark| match mark {
        Tag::Row(taken) => Violation::of(shown.node, taken),
        Tag::Spent(_) | Tag::Overflowed { .. } | Tag::CutsExceeded { .. } => None,
    });
    let is_other = |other: &Violation| {
        other.what != shown.what && other.is_unexpected() == shown.is_unexpected()
    };
    violations.filter(is_other).map(|other| violation_words(world, &other)).collect()
}
