//! The check of a table: every distinct violation of its properties, in words, and the rows that
//! are taken.

use std::collections::BTreeSet;

use turnstile_machine::Name as _;
use turnstile_plain::PlainRules as _;
use turnstile_search::bounds::{Reductions, StopCondition};
use turnstile_search::judgement::Verdict;
use turnstile_spec::table::{Cell, CellKind, EventKind, Table, Vocabulary};
use turnstile_step::RowOutcome;
use turnstile_world::WorldTrace;
use turnstile_world::monitor::ViolationKind;
use turnstile_world::state::State;

use crate::check::{CheckOutput, check_for, leave_open};
use crate::options::Options;
use crate::plain::cell::CellOutcome;
use crate::plain::node::{MAX_LEAKED, MAX_OF_A_KIND};
use crate::plain::words;
use crate::results::coverage;
use crate::results::result::{PropertyKind, PropertyReport, ResultKind, ResultReport, Unchecked};

use super::environment::{Environment, Occurrence, is_over, machine};
use super::properties::{
    DEADLOCK, EVERY_ROW, IMPOSSIBLE, RESOURCES, UNHANDLED, has_final_state, sentence,
};
use super::words as steps;

/// Why a command's cell is reached, and what to write instead.
const COMMAND_ARRIVES: &str = ": a command may arrive in any state; add a row or an entry under \
                               `ignore`, or, if another machine sends the event, declare it \
                               `kind: message`";

/// The step that led to a state: the state before it, and its event.
type LastStep<'s> = (&'s State, Occurrence<'s>);

impl Environment<'_> {
    /// Searches the world of the table.
    pub(super) fn check(&self, options: &Options<'_>) -> ResultReport {
        let options = Options {
            threads: 1,
            reduce: Reductions::NONE,
            simulate: None,
            until: StopCondition::Exhausted,
            ..options.clone()
        };
        let (CheckOutput { mut result, taken }, traces) =
            check_for(&self.world, (&self.vocabulary.machine, ""), &options, true);
        (result.kind, result.world) = (ResultKind::Table, None);
        // Neither a trace that ended nor a state that is not followed is a state of the machine.
        let ends = traces.iter().flatten().map(WorldTrace::last);
        let (over, others): (Vec<&State>, Vec<&State>) = ends.partition(|state| is_over(state));
        let beyond = others.iter().filter(|state| self.is_beyond(state)).count();
        result.states -= (over.len() + beyond) as u64;
        if beyond > 0 && result.complete {
            result.complete = false;
            result.notes.cut = Some(format!(
                "at more than {MAX_OF_A_KIND} of a resource or more than {MAX_LEAKED} leaked ones"
            ));
            leave_open(&mut result.properties, false);
        }
        for (property, traces) in result.properties.iter_mut().zip(&traces) {
            self.report(property, traces);
        }
        cover(&mut result, (self.vocabulary, self.table), &taken);
        let every_row = self.every_row_is_taken(&result);
        result.properties.insert(3, every_row);
        result
    }

    /// Whether more resources are active than this level follows.
    fn is_beyond(&self, state: &State) -> bool {
        self.node.is_beyond(machine(state))
    }

    /// Each distinct violation of a property. The first one found has the shortest trace.
    fn report(&self, property: &mut PropertyReport, traces: &[WorldTrace]) {
        property.finding = None;
        property.besides.clear();
        property.others.clear();
        let mut seen = BTreeSet::new();
        for trace in traces {
            if property.finding.is_some() && self.is_beyond(trace.last()) {
                continue;
            }
            let last = trace.steps.last().map(|((action, _), _)| {
                let before = trace.steps.iter().rev().nth(1);
                let before = before.map_or(&trace.first, |(_, state)| state);
                (before, Occurrence::of(before, action))
            });
            let finding = self.finding(&property.name, last.as_ref(), trace.last());
            let row = last.filter(|_| property.name == RESOURCES);
            let row = row.map(|(_, occurrence)| occurrence.outcome(self.node.rules()));
            let Some(finding) = finding.filter(|finding| seen.insert((row, finding.clone())))
            else {
                continue;
            };
            let steps = steps::trace(self, trace);
            if property.finding.is_none() {
                (property.finding, property.counterexample) = (Some(finding), steps);
            } else {
                let events: Vec<&str> = steps.iter().map(|step| step.event.as_str()).collect();
                property.others.push(format!("{finding} (after {})", events.join("; ")));
            }
        }
    }

    /// What is wrong in a state, given the step that led there; `None`: nothing that was not wrong
    /// before.
    fn finding(&self, property: &str, last: Option<&LastStep<'_>>, end: &State) -> Option<String> {
        let Self { vocabulary, table, node, .. } = self;
        let (rules, at) = (node.rules(), machine(end).at);
        match (property, last) {
            (RESOURCES, _) => {
                let new = self.newly_wrong(last.map(|(before, _)| *before), end);
                (!new.is_empty()).then(|| format!("in `{at}`: {}", new.join("; ")))
            }
            (DEADLOCK, _) if has_final_state(table) => {
                Some(format!("no final state is reachable from `{at}`"))
            }
            (DEADLOCK, _) => Some(format!("deadlock: no event is enabled in `{at}`")),
            (UNHANDLED, Some((_, occurrence))) => {
                let event = occurrence.command.event;
                let mut classes = rules.classes(at, event.kind).iter();
                let class = classes.find(|class| class.number() == event.number)?;
                let event = &vocabulary.events[event.kind.index()];
                let event = words::event_class(event, &class.pattern);
                let guarded = if class.outcomes.len() > 1 { " when no guard holds" } else { "" };
                Some(format!("unhandled event: `{event}` has no transition in `{at}`{guarded}"))
            }
            (_, Some((_, occurrence))) => {
                let CellOutcome::Impossible(cell) = occurrence.outcome(rules) else { return None };
                let cell = &table.cells[cell];
                let is_command = kind_of(vocabulary, cell) == EventKind::Command;
                let why = if is_command { COMMAND_ARRIVES } else { "" };
                let cell = words::cell(vocabulary, cell.state, cell.event, &cell.pattern);
                Some(format!("{cell} is declared impossible and reachable{why}"))
            }
            (_, None) => None,
        }
    }

    /// What the step that led to a state made wrong, without what was wrong before.
    fn newly_wrong(&self, before: Option<&State>, at: &State) -> Vec<String> {
        let rules = self.node.rules();
        let differences = |state: &State| steps::differences(rules, machine(state));
        let old = before.map(differences).unwrap_or_default();
        let mut wrong = differences(at);
        wrong.retain(|difference| !old.contains(difference));
        let violation = at.monitor().violation.as_ref();
        if let Some(ViolationKind::Table(RowOutcome::ActionFailed { action: name, .. })) =
            violation.map(|violation| &violation.what)
        {
            let resource = rules.wiring().resources.iter().find(|one| one.name() == *name);
            let there = resource.map_or("active", |one| words::is_there(rules.wiring().kind(*one)));
            wrong.insert(0, format!("the row ends {name}, which was not {there}"));
        }
        wrong
    }

    fn every_row_is_taken(&self, result: &ResultReport) -> PropertyReport {
        let coverage = &result.coverage;
        let verdict = match (coverage.not_taken.is_empty(), result.complete) {
            (true, true) if coverage.rows == 0 => Verdict::Vacuous,
            (true, _) => Verdict::Holds,
            (false, true) => Verdict::Fails,
            (false, false) => Verdict::Incomplete,
        };
        let mut property = PropertyReport::new(EVERY_ROW, PropertyKind::Sometimes, verdict);
        property.sentence = sentence(EVERY_ROW, self.table);
        if verdict == Verdict::Vacuous {
            property.finding = Some("the table has no row".to_owned());
        }
        if verdict == Verdict::Fails {
            let rows = &self.vocabulary.rows;
            let mut not_taken = coverage.not_taken.iter().filter_map(|id| {
                let row = rows.iter().find(|row| row.id == *id)?;
                let guard = if row.guard.is_empty() { "" } else { " if " };
                let event = format!("{}{guard}{}", row.event, row.guard);
                Some(format!("row {id} is never taken: {} → {} on {event}", row.from, row.to))
            });
            property.finding = not_taken.next();
            property.others = not_taken.collect();
        }
        property
    }
}

/// The result of a table without an initial state.
pub(super) fn vacuous(vocabulary: &Vocabulary, table: &Table) -> ResultReport {
    let mut result = ResultReport::new(ResultKind::Table, &vocabulary.machine, None);
    result.complete = true;
    cover(&mut result, (vocabulary, table), &BTreeSet::new());
    let properties = [
        (RESOURCES, PropertyKind::Always),
        (UNHANDLED, PropertyKind::Always),
        (DEADLOCK, PropertyKind::CanReach),
        (EVERY_ROW, PropertyKind::Sometimes),
        (IMPOSSIBLE, PropertyKind::Always),
    ];
    result.properties.extend(properties.map(|(name, kind)| PropertyReport {
        sentence: sentence(name, table),
        finding: Some("no initial state: nothing was searched".to_owned()),
        ..PropertyReport::new(name, kind, Verdict::Vacuous)
    }));
    result
}

/// Adds the rows taken, the cells declared impossible that were reached, and what this level leaves
/// to a system model.
fn cover(result: &mut ResultReport, of: (&Vocabulary, &Table), taken: &BTreeSet<RowOutcome>) {
    let is_checked = |cell: &Cell| kind_of(of.0, cell) != EventKind::Message;
    coverage::add(&mut result.coverage, of, taken, is_checked);
    result.coverage.by_row.clear();
    note_unchecked(result, of);
}

fn kind_of(vocabulary: &Vocabulary, cell: &Cell) -> EventKind {
    vocabulary.events[cell.event.index()].kind
}

/// Notes what this level leaves to a system model: the cells of messages that are declared
/// impossible, the invariants, whose predicates are a core's to answer, and variables.
fn note_unchecked(result: &mut ResultReport, (vocabulary, table): (&Vocabulary, &Table)) {
    let cells = table.cells.iter().filter(|cell| {
        cell.kind == CellKind::Impossible && kind_of(vocabulary, cell) == EventKind::Message
    });
    let cell = |cell: &Cell| words::cell(vocabulary, cell.state, cell.event, &cell.pattern);
    let formulas = vocabulary.formulas.invariants.iter().zip(&table.formulas.invariants);
    let stated = formulas.filter(|(_, stated)| stated.is_some());
    let unchecked = [
        Unchecked {
            because: "any message may arrive at any time at table level; a system model checks \
                      them",
            what: "impossible cell",
            names: cells.map(cell).collect(),
        },
        Unchecked {
            because: "no core answers their predicates at table level; a system model checks them",
            what: "invariant",
            names: stated.map(|(word, _)| word.name.name.clone()).collect(),
        },
    ];
    result.notes.unchecked.extend(unchecked.into_iter().filter(|one| !one.names.is_empty()));
    if table.comparisons.iter().any(Option::is_some) {
        let remark = "there are no variables at table level: guards that compare them have any \
                      values that they can have together; a system of tables evaluates them";
        result.notes.remarks.push(remark.to_owned());
    }
}
