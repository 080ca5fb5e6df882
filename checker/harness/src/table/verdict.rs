//! The five properties of a table, judged on its state graph.
//!
//! - `resources match state`: exactly the resources that the state holds are armed or outstanding.
//! - `no unhandled event`: every event that can arrive has a transition.
//! - `no deadlock`: a final state is reachable from everywhere; in a table without final states, no
//!   configuration is a deadlock. A state that may end is as good as a final one.
//! - `every row is taken`: each row is taken on some trace, or waived.
//! - `no impossible cell is reached`: no cell declared impossible is reachable.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_search::judgement::Verdict;
use turnstile_spec::table::{CellKind, ResourceId, RowId};
use turnstile_world::trace::StepReport;
use turnstile_world::words::starting_words;

use crate::plain::cell::CellOutcome;
use crate::plain::words;
use crate::results::result::{Coverage, PropertyKind, PropertyReport, ResultReport, Unchecked};

use super::environment::{Configuration, Environment, Occurrence};
use super::graph::Graph;
use super::properties::{IMPOSSIBLE, RESOURCES, UNHANDLED};
use super::words as steps;

/// Why a command's cell is reached, and what to write instead.
const COMMAND_ARRIVES: &str = ": a command may arrive in any state; add a row or an entry under \
                               `ignore`, or, if another machine sends the event, declare it \
                               `kind: message`";

/// Fills in coverage and the verdicts.
pub(super) fn judge(environment: &Environment<'_>, graph: &Graph, result: &mut ResultReport) {
    result.coverage = coverage(environment, graph);
    let unchecked = [impossible_messages(environment), invariants(environment)];
    result.notes.unchecked.extend(unchecked.into_iter().filter(|one| !one.names.is_empty()));
    if environment.table.comparisons.iter().any(Option::is_some) {
        let remark = "there are no variables at table level: guards that compare them have any \
                      values that they can have together; a system of tables evaluates them";
        result.notes.remarks.push(remark.to_owned());
    }
    let judge = Judge { environment, graph };
    result.properties = vec![
        judge.resources_match_state(),
        judge.no_unhandled_event(),
        judge.no_deadlock(),
        judge.every_row_is_taken(&result.coverage),
        judge.no_impossible_cell_is_reached(),
    ];
}

/// Whether `no deadlock` fails in the first configuration of a graph.
pub(super) fn is_stuck(environment: &Environment<'_>, graph: &Graph) -> bool {
    let first = graph.all().zip(goals(environment, graph)).next();
    first.is_some_and(|((_, at), is_goal)| !is_goal && !at.is_over())
}

/// The configurations that are no deadlock.
fn goals(environment: &Environment<'_>, graph: &Graph) -> Vec<bool> {
    // Where a step was left out, the end may lie behind it.
    let mut goals = graph.clipped.clone();
    for (place, at) in graph.all() {
        goals[place] |= environment.may_end(at.state) && !at.is_over();
    }
    if has_final_state(environment) {
        return graph.reaching(&goals);
    }
    goals.iter().zip(&graph.goes_on).map(|(goal, goes_on)| *goal || *goes_on).collect()
}

fn has_final_state(environment: &Environment<'_>) -> bool {
    environment.table.states.iter().flatten().any(|state| state.is_final)
}

struct Judge<'g> {
    environment: &'g Environment<'g>,
    graph: &'g Graph,
}

impl Judge<'_> {
    fn resources_match_state(&self) -> PropertyReport {
        let mut property = self.property(RESOURCES, PropertyKind::Always);
        "in every reachable state exactly the resources that the state holds are active"
            .clone_into(&mut property.sentence);
        let mut seen = BTreeSet::new();
        for (place, at) in self.graph.all() {
            if at.is_over() || (at.violation.is_none() && self.environment.is_as_held(&at)) {
                continue;
            }
            let new = self.newly_wrong(place);
            let row = self.graph.path(place).last().map(|(_, occurrence)| occurrence.outcome);
            if !new.is_empty() && seen.insert((row, new.clone())) {
                let name = words::state(self.environment.vocabulary, at.state);
                self.fails(&mut property, place, format!("in `{name}`: {}", new.join("; ")));
            }
        }
        property
    }

    /// What the step that first led to a configuration made wrong, without what was wrong before.
    fn newly_wrong(&self, place: usize) -> Vec<String> {
        let (vocabulary, at) = (self.environment.vocabulary, self.graph.at(place));
        let mut wrong = steps::differences(self.environment, &at);
        if let Some((before, _)) = self.graph.path(place).last() {
            let old = steps::differences(self.environment, &self.graph.at(*before));
            wrong.retain(|difference| !old.contains(difference));
        }
        if let Some(name) = at.absent() {
            let mut resources = (0..).map(ResourceId).take(vocabulary.resources.len());
            let resource = resources.find(|one| words::resource(vocabulary, *one) == name);
            let there = resource.map_or("active", |one| words::is_there(vocabulary, one));
            wrong.insert(0, format!("the row ends {name}, which was not {there}"));
        }
        wrong
    }

    fn no_unhandled_event(&self) -> PropertyReport {
        let mut property = self.property(UNHANDLED, PropertyKind::Always);
        "every event has a transition in every state in which it can arrive"
            .clone_into(&mut property.sentence);
        let missing = |step: &&(usize, Occurrence)| step.1.outcome == CellOutcome::Missing;
        for (from, occurrence) in self.graph.firsts.iter().filter(missing) {
            let state = self.graph.at(*from).state;
            let classes = self.environment.classes(state, occurrence.event);
            let Some(class) = classes.iter().find(|class| class.number() == occurrence.number)
            else {
                continue;
            };
            let vocabulary = self.environment.vocabulary;
            let event = &vocabulary.events[occurrence.event.index()];
            let event = words::event_class(event, &class.pattern);
            let name = words::state(vocabulary, state);
            let guarded = if class.outcomes.len() > 1 { " when no guard holds" } else { "" };
            let finding =
                format!("unhandled event: `{event}` has no transition in `{name}`{guarded}");
            self.fails_after(&mut property, *from, occurrence, finding);
        }
        property
    }

    fn no_deadlock(&self) -> PropertyReport {
        let mut property = self.property("no deadlock", PropertyKind::CanReach);
        let ends = has_final_state(self.environment);
        let sentence = if ends {
            "from every reachable state a final state is reachable"
        } else {
            "no deadlock: in every reachable state some event is enabled (no state is final)"
        };
        sentence.clone_into(&mut property.sentence);
        let goals = goals(self.environment, self.graph);
        let mut seen = BTreeSet::new();
        for (place, at) in self.graph.all() {
            // A trace that ended in an unhandled event is judged by `no unhandled event`.
            if !goals[place] && !at.is_over() && seen.insert(at.state) {
                let name = words::state(self.environment.vocabulary, at.state);
                let finding = if ends {
                    format!("no final state is reachable from `{name}`")
                } else {
                    format!("deadlock: no event is enabled in `{name}`")
                };
                self.fails(&mut property, place, finding);
            }
        }
        property
    }

    fn every_row_is_taken(&self, coverage: &Coverage) -> PropertyReport {
        let mut property = self.property("every row is taken", PropertyKind::Sometimes);
        "every row is taken on some trace".clone_into(&mut property.sentence);
        if property.verdict == Verdict::Holds && coverage.rows == 0 {
            property.verdict = Verdict::Vacuous;
            property.finding = Some("the table has no row".to_owned());
        }
        if property.verdict == Verdict::Incomplete && coverage.not_taken.is_empty() {
            property.verdict = Verdict::Holds;
        }
        if property.verdict == Verdict::Holds && !coverage.not_taken.is_empty() {
            property.verdict = Verdict::Fails;
            let rows = &self.environment.vocabulary.rows;
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

    fn no_impossible_cell_is_reached(&self) -> PropertyReport {
        let mut property = self.property(IMPOSSIBLE, PropertyKind::Always);
        "no cell declared impossible is reachable".clone_into(&mut property.sentence);
        let mut seen = BTreeSet::new();
        for (from, occurrence) in &self.graph.firsts {
            let CellOutcome::Impossible(place) = occurrence.outcome else { continue };
            if seen.insert(place) {
                let cell = impossible(self.environment, place);
                let command = self.environment.is_command(place);
                let why = if command { COMMAND_ARRIVES } else { "" };
                let finding = format!("{cell} is declared impossible and reachable{why}");
                self.fails_after(&mut property, *from, occurrence, finding);
            }
        }
        property
    }

    /// A property without a violation so far.
    fn property(&self, name: &str, kind: PropertyKind) -> PropertyReport {
        let is_whole = self.graph.cut.is_none();
        let verdict = if is_whole { Verdict::Holds } else { Verdict::Incomplete };
        if !self.graph.configurations.is_empty() {
            return PropertyReport::new(name, kind, verdict);
        }
        let mut property = PropertyReport::new(name, kind, Verdict::Vacuous);
        property.finding = Some("no initial state: nothing was searched".to_owned());
        property
    }

    /// A failure at a configuration. The first one found has the shortest trace.
    fn fails(&self, property: &mut PropertyReport, place: usize, finding: String) {
        let steps = self.graph.path(place);
        let first = steps.first().map_or(place, |(first, _)| *first);
        self.fail(property, (first, &steps), &self.graph.at(place), finding);
    }

    /// A failure of one more step, which leaves the state as it is.
    fn fails_after(
        &self,
        property: &mut PropertyReport,
        from: usize,
        occurrence: &Occurrence,
        finding: String,
    ) {
        let mut steps = self.graph.path(from);
        let first = steps.first().map_or(from, |(first, _)| *first);
        steps.push((from, occurrence.clone()));
        let after = self.environment.steps(&self.graph.configurations[from]).into_iter();
        let after = after.filter(|(other, _)| other == occurrence).map(|(_, after)| after);
        let after = after.last().expect("it was enabled in this state");
        self.fail(property, (first, &steps), &Configuration::of(&after), finding);
    }

    fn fail(
        &self,
        property: &mut PropertyReport,
        (first, steps): (usize, &[(usize, Occurrence)]),
        end: &Configuration<'_>,
        finding: String,
    ) {
        let run = self.run((first, steps), end);
        if property.verdict == Verdict::Fails {
            let events: Vec<&str> = run.iter().map(|step| step.event.as_str()).collect();
            property.others.push(format!("{finding} (after {})", events.join("; ")));
            return;
        }
        property.verdict = Verdict::Fails;
        property.finding = Some(finding);
        property.counterexample = run;
    }

    fn run(
        &self,
        (first, steps): (usize, &[(usize, Occurrence)]),
        end: &Configuration<'_>,
    ) -> Vec<StepReport> {
        let begins = self
            .environment
            .world()
            .map(|world| starting_words(world, &self.graph.configurations[first]));
        let at = |place: usize| self.graph.at(place);
        let ends = steps.iter().skip(1).map(|(from, _)| at(*from)).chain([*end]);
        let steps = steps.iter().zip(ends).map(|((from, occurrence), to)| {
            steps::step(self.environment, &at(*from), occurrence, &to)
        });
        begins.into_iter().flatten().chain(steps).collect()
    }
}

/// Rows taken and impossible cells reached.
fn coverage(environment: &Environment<'_>, graph: &Graph) -> Coverage {
    let (table, vocabulary) = (environment.table, environment.vocabulary);
    let rows: BTreeSet<RowId> = table.rows.iter().map(|row| row.id).collect();
    let settled = graph.firsts.iter().flat_map(|(_, occurrence)| &occurrence.settled);
    let outcomes: BTreeSet<CellOutcome> =
        graph.firsts.iter().map(|(_, occurrence)| occurrence.outcome).collect();
    let taken: BTreeSet<RowId> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            CellOutcome::Row(place) => Some(table.rows[*place].id),
            CellOutcome::Ignored(_) | CellOutcome::Impossible(_) | CellOutcome::Missing => None,
        })
        .chain(settled.map(|place| table.rows[*place].id))
        .collect();
    let (excused, not_taken): (Vec<RowId>, Vec<RowId>) =
        rows.difference(&taken).partition(|row| vocabulary.rows[row.index()].waived.is_some());
    let names = |rows: Vec<RowId>| -> Vec<String> {
        rows.into_iter().map(|row| words::row(vocabulary, row).to_owned()).collect()
    };
    let declared = claimed(environment).filter(|place| !environment.is_message(*place));
    let reached = outcomes.iter().filter_map(|outcome| match outcome {
        CellOutcome::Impossible(place) => Some(impossible(environment, *place)),
        CellOutcome::Row(_) | CellOutcome::Ignored(_) | CellOutcome::Missing => None,
    });
    Coverage {
        rows: rows.len(),
        rows_taken: taken.len(),
        not_taken: names(not_taken),
        excused: names(excused),
        impossible: declared.count(),
        impossible_reached: reached.collect(),
        by_row: BTreeMap::new(),
    }
}

/// The cells declared impossible, by their place.
fn claimed<'e>(environment: &'e Environment<'_>) -> impl Iterator<Item = usize> + 'e {
    let cells = environment.table.cells.iter().enumerate();
    cells.filter(|(_, cell)| cell.kind == CellKind::Impossible).map(|(place, _)| place)
}

/// The cells of messages that are declared impossible: here any message may arrive at any time.
fn impossible_messages(environment: &Environment<'_>) -> Unchecked {
    let places = claimed(environment).filter(|place| environment.is_message(*place));
    Unchecked {
        because: "any message may arrive at any time at table level; a system model checks them",
        what: "impossible cell",
        names: places.map(|place| impossible(environment, place)).collect(),
    }
}

/// The invariants: their predicates are a core's to answer.
fn invariants(environment: &Environment<'_>) -> Unchecked {
    let words = &environment.vocabulary.formulas.invariants;
    let stated = words.iter().zip(&environment.table.formulas.invariants);
    let stated = stated.filter(|(_, stated)| stated.is_some());
    Unchecked {
        because: "no core answers their predicates at table level; a system model checks them",
        what: "invariant",
        names: stated.map(|(word, _)| word.name.name.clone()).collect(),
    }
}

/// A cell declared impossible: `ringing × pull`.
fn impossible(environment: &Environment<'_>, place: usize) -> String {
    let cell = &environment.table.cells[place];
    words::cell(environment.vocabulary, cell.state, cell.event, &cell.pattern)
}
