//! A World checked, as a result: figures, verdicts, and counterexamples in words.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use turnstile_search::bounds::{Limits, Reductions, Until};
use turnstile_search::breadth::Cut;
use turnstile_search::engine::{Outcome, Question};
use turnstile_search::fingerprint::collision_chance;
use turnstile_search::judged::{Judged, Verdict};
use turnstile_step::RowOutcome;
use turnstile_world::monitor::Violation;
use turnstile_world::parts::Mark;
use turnstile_world::property::Claim;
use turnstile_world::trace::counted;
use turnstile_world::{Property, World};

use crate::noted::{end_words, exercised, overflow, taken, violation_words};
use crate::options::Options;
use crate::result::{Kind, PropertyKind, PropertyReport, ResultReport};

/// What a search found, with what its tables said.
#[derive(Debug)]
pub struct Checked {
    /// The result; coverage is left to the system, which knows its tables.
    pub result: ResultReport,
    /// What tables said in any step.
    pub taken: BTreeSet<RowOutcome>,
}

/// How a world is searched: by [`check`], or by another engine that is held beside it.
pub type Search = fn(&Arc<World>, (&str, &str), &Options<'_>) -> Checked;

/// Checks a World of a system.
#[must_use]
pub fn check(
    world: &Arc<World>,
    (name, world_name): (&str, &str),
    options: &Options<'_>,
) -> Checked {
    let began = Instant::now();
    let outcome = world.search(Question {
        threads: options.threads,
        limits: options.limits,
        reduce: options.reduce,
        until: &options.until,
        progress: options.progress,
    });
    let mut report = ResultReport::new(Kind::System, name, Some(world_name));
    report.as_written = options.as_written;
    "interned".clone_into(&mut report.engine);
    report.threads = options.threads;
    report.reductions = outcome.reductions.iter().map(|(name, _)| (*name).to_owned()).collect();
    report.states = outcome.states as u64;
    report.transitions = outcome.transitions as u64;
    report.depth = outcome.depth as u64;
    // By the search's own account where nobody counts.
    report.peak_memory_bytes = match options.progress.peak() {
        0 => outcome.peak_bytes as u64,
        counted => counted,
    };
    let exercised = exercised(&outcome.marks);
    // A run is counted off and taken once more: not for one who will not look at it.
    let shown = (outcome.reduced, options.until != Until::Failure);
    report.properties = world
        .claims()
        .iter()
        .zip(&outcome.judged)
        .map(|(property, judged)| {
            property_report(world, property, judged, (&exercised, &outcome.marks), shown)
        })
        .collect();
    end(&mut report, world, &outcome, options);
    report.seconds = began.elapsed().as_secs_f64();
    Checked { taken: taken(outcome.marks), result: report }
}

/// Whether the search came to its end, and what the figures rest on.
fn end(report: &mut ResultReport, world: &World, outcome: &Outcome<Mark>, options: &Options<'_>) {
    let notes = &mut report.notes;
    notes.cut = match outcome.cut {
        Some(cut) => Some(cut_words(cut, options)),
        None => overflow(world, &outcome.marks),
    };
    if let Some(operation) = &outcome.impure {
        notes.cut = Some(format!("a core is not pure: {operation}"));
    }
    report.complete = notes.cut.is_none();
    if !report.complete {
        for property in &mut report.properties {
            let is_sure = property.verdict == Verdict::Fails
                && property.kind != PropertyKind::Sometimes
                || property.verdict == Verdict::Holds && property.kind == PropertyKind::Sometimes;
            if !is_sure || outcome.impure.is_some() {
                property.verdict = Verdict::Incomplete;
            }
        }
    }
    let runs = counted(outcome.runs as u64, "operation");
    notes.remarks.push(format!("{runs} run, each once; a sample of them twice"));
    for (name, why) in &outcome.reductions {
        notes.remarks.push(format!("reduced by {name}: {why}"));
    }
    notes.remarks.extend(outcome.refused.iter().cloned());
    let chance = collision_chance(outcome.states as u64);
    notes.remarks.push(format!(
        "states are told apart by 64 bits: two were taken for one with a chance below {chance:.0e}"
    ));
    let unspent = world.budgets.iter().filter(|budget| {
        budget.limit != Some(0) && !outcome.marks.contains(&Mark::Spent(budget.name.clone()))
    });
    notes
        .never_reached
        .extend(unspent.map(|budget| format!("fault that never happened: {}", budget.name)));
}

/// Why a search ended before the end.
fn cut_words(cut: Cut, options: &Options<'_>) -> String {
    let Limits { max_states, max_memory, .. } = options.limits;
    match cut {
        Cut::States => format!("--max-states {} reached", max_states.unwrap_or_default()),
        Cut::Memory => format!("--max-memory {} reached", max_memory.unwrap_or_default()),
        Cut::Timeout => "--timeout reached".to_owned(),
        Cut::Stopped => "interrupted".to_owned(),
        Cut::Found => "a failure was enough".to_owned(),
    }
}

fn property_report(
    world: &World,
    property: &Property,
    judged: &Judged,
    (exercised, marks): (&[String], &BTreeSet<Mark>),
    (reduced, is_shown): (Reductions, bool),
) -> PropertyReport {
    let kind = match property.claim {
        Claim::Always { .. } => PropertyKind::Always,
        Claim::Sometimes(_) => PropertyKind::Sometimes,
        Claim::CanReach { .. } => PropertyKind::CanReach,
        Claim::LeadsTo { .. } => PropertyKind::LeadsTo,
    };
    let mut report = PropertyReport::new(property.name, kind, judged.verdict);
    report.sentence.clone_from(&property.sentence);
    report.assumptions.clone_from(&judged.assumptions);
    report.not_needed.clone_from(&judged.not_needed);
    report.faults_exercised = exercised.to_vec();
    if let Some(trail) = judged.trail.as_ref().filter(|_| is_shown) {
        report.loop_from = trail.loop_from;
        let (steps, end) = world.replay(trail, reduced);
        report.counterexample = steps;
        if judged.verdict == Verdict::Fails {
            end_words(world, property, &end, &mut report);
        }
        let violation = &end.monitor().violation.as_ref();
        if let Some(violation) = violation.filter(|_| report.finding.is_some()) {
            report.others = others(violation, marks);
        }
    }
    report
}

/// What else does not fit in some run, of the same sort as what the run shown ends in.
fn others(shown: &Violation, marks: &BTreeSet<Mark>) -> Vec<String> {
    let violations = marks.iter().filter_map(|mark| match mark {
        Mark::Taken(taken) => Violation::of(shown.node, taken),
        Mark::Spent(_) | Mark::Overflowed { .. } | Mark::Long { .. } => None,
    });
    let is_other = |other: &Violation| {
        other.what != shown.what && other.is_unexpected() == shown.is_unexpected()
    };
    violations.filter(is_other).map(|other| violation_words(&other)).collect()
}
