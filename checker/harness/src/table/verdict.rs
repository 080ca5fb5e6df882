//! The five properties of a table, judged on its graph.
//!
//! - `held-resources`: what is armed or outstanding is what the state says it holds.
//! - `no-event-without-row`: no event comes for which nothing is said.
//! - `can-end`: from everywhere a final state can be reached; where a table declares none, no
//!   configuration is without a way on.
//! - `every-row-taken`: each row is taken by some run, or excused.
//! - `impossible-is`: no cell that is said to be impossible is reached.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_search::judged::Verdict;
use turnstile_spec::table::{CellKind, RowId};
use turnstile_world::trace::StepReport;

use crate::result::{Coverage, PropertyKind, PropertyReport, ResultReport};

use super::cell::Outcome;
use super::environment::{Configuration, Environment, Happening, Wrong};
use super::graph::Graph;
use super::words;

/// Fills in coverage and the verdicts.
pub fn judge(environment: &Environment<'_>, graph: &Graph, result: &mut ResultReport) {
    result.coverage = coverage(environment, graph);
    result.notes.remarks.extend(for_a_system(environment));
    result.notes.remarks.extend(unasked(environment));
    let judge = Judge { environment, graph };
    result.properties = vec![
        judge.held_resources(),
        judge.no_event_without_row(),
        judge.can_end(),
        judge.every_row_taken(&result.coverage),
        judge.impossible_is(),
    ];
}

struct Judge<'g> {
    environment: &'g Environment<'g>,
    graph: &'g Graph,
}

impl Judge<'_> {
    fn held_resources(&self) -> PropertyReport {
        let mut property = self.property("held-resources", PropertyKind::Always);
        "what is armed or outstanding is what the state says it holds"
            .clone_into(&mut property.sentence);
        let mut seen = BTreeSet::new();
        for (place, at) in self.graph.configurations.iter().enumerate() {
            if at.is_over() || (at.wrong.is_none() && self.environment.is_as_held(at)) {
                continue;
            }
            let new = self.newly_wrong(place);
            let row = self.graph.path(place).last().map(|(_, happening)| happening.outcome);
            if !new.is_empty() && seen.insert((row, new.clone())) {
                let name = words::state(self.environment.vocabulary, at.state);
                self.fails(&mut property, place, format!("in {name}: {}", new.join("; ")));
            }
        }
        property
    }

    /// What the step that first led to a configuration made wrong: what was wrong before it is
    /// not told again.
    fn newly_wrong(&self, place: usize) -> Vec<String> {
        let (vocabulary, at) = (self.environment.vocabulary, &self.graph.configurations[place]);
        let mut wrong = words::differences(self.environment, at);
        if let Some((before, _)) = self.graph.path(place).last() {
            let before = &self.graph.configurations[*before];
            let old = words::differences(self.environment, before);
            wrong.retain(|difference| !old.contains(difference));
        }
        if let Some(Wrong::Absent(resource)) = at.wrong {
            let name = words::resource(vocabulary, resource);
            let there = words::is_there(vocabulary, resource);
            wrong.insert(0, format!("the step gives up {name}, which was not {there}"));
        }
        wrong
    }

    fn no_event_without_row(&self) -> PropertyReport {
        let mut property = self.property("no-event-without-row", PropertyKind::Always);
        "no event comes for which the table says nothing".clone_into(&mut property.sentence);
        let missing = |step: &&(usize, Happening)| step.1.outcome == Outcome::Missing;
        for (from, happening) in self.graph.firsts.iter().filter(missing) {
            let state = self.graph.configurations[*from].state;
            let classes = self.environment.classes(state, happening.event);
            let Some(class) = classes.iter().find(|class| class.number() == happening.number)
            else {
                continue;
            };
            let vocabulary = self.environment.vocabulary;
            let cell = words::cell(vocabulary, state, happening.event, &class.pattern);
            let guarded = if class.outcomes.len() > 1 { " where no row's guard holds" } else { "" };
            let finding = format!("nothing is said of {cell}{guarded}");
            self.fails_after(&mut property, *from, *happening, finding);
        }
        property
    }

    fn can_end(&self) -> PropertyReport {
        let mut property = self.property("can-end", PropertyKind::CanReach);
        let ends = self.environment.table.states.iter().flatten().any(|state| state.is_final);
        let sentence = if ends {
            "from everywhere a final state can be reached"
        } else {
            "the table has no final state; everywhere something can happen"
        };
        sentence.clone_into(&mut property.sentence);
        // Where a step was left out, the end may lie behind it.
        let mut goals = self.graph.clipped.clone();
        for (place, at) in self.graph.configurations.iter().enumerate() {
            goals[place] |= self.environment.is_final(at.state) && !at.is_over();
        }
        if ends {
            goals = self.graph.reaching(&goals);
        } else {
            for (goal, goes_on) in goals.iter_mut().zip(&self.graph.goes_on) {
                *goal |= goes_on;
            }
        }
        let mut seen = BTreeSet::new();
        for (place, at) in self.graph.configurations.iter().enumerate() {
            // A run that ended without a row is judged by no-event-without-row.
            if !goals[place] && !at.is_over() && seen.insert(at.state) {
                let name = words::state(self.environment.vocabulary, at.state);
                let what = if ends { "no final state can be reached" } else { "nothing happens" };
                self.fails(&mut property, place, format!("from {name} {what}"));
            }
        }
        property
    }

    fn every_row_taken(&self, coverage: &Coverage) -> PropertyReport {
        let mut property = self.property("every-row-taken", PropertyKind::Sometimes);
        "each row is taken by some run".clone_into(&mut property.sentence);
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

    fn impossible_is(&self) -> PropertyReport {
        let mut property = self.property("impossible-is", PropertyKind::Always);
        "no cell that is said to be impossible is reached".clone_into(&mut property.sentence);
        let mut seen = BTreeSet::new();
        for (from, happening) in &self.graph.firsts {
            let Outcome::Impossible(place) = happening.outcome else { continue };
            if seen.insert(place) {
                let finding = format!("{} is reached", impossible(self.environment, place));
                self.fails_after(&mut property, *from, *happening, finding);
            }
        }
        property
    }

    /// A property that nothing speaks against yet.
    fn property(&self, name: &str, kind: PropertyKind) -> PropertyReport {
        let is_whole = self.graph.cut.is_none();
        let verdict = if is_whole { Verdict::Holds } else { Verdict::Incomplete };
        if !self.graph.configurations.is_empty() {
            return PropertyReport::new(name, kind, verdict);
        }
        let mut property = PropertyReport::new(name, kind, Verdict::Vacuous);
        property.finding = Some("no state to begin in, so nothing was searched".to_owned());
        property
    }

    /// A failure at a configuration. The first one found has the shortest run.
    fn fails(&self, property: &mut PropertyReport, place: usize, finding: String) {
        let steps = self.graph.path(place);
        self.fail(property, &steps, &self.graph.configurations[place], finding);
    }

    /// A failure of one more step, which leaves the state as it is.
    fn fails_after(
        &self,
        property: &mut PropertyReport,
        from: usize,
        happening: Happening,
        finding: String,
    ) {
        let mut steps = self.graph.path(from);
        steps.push((from, happening));
        let before = &self.graph.configurations[from];
        let after = self.environment.after(before, happening);
        self.fail(property, &steps, &after, finding);
    }

    fn fail(
        &self,
        property: &mut PropertyReport,
        steps: &[(usize, Happening)],
        end: &Configuration,
        finding: String,
    ) {
        let run = self.run(steps, end);
        if property.verdict == Verdict::Fails {
            let events: Vec<&str> = run.iter().map(|step| step.event.as_str()).collect();
            property.others.push(format!("{finding} (after {})", events.join("; ")));
            return;
        }
        property.verdict = Verdict::Fails;
        property.finding = Some(finding);
        property.counterexample = run;
    }

    fn run(&self, steps: &[(usize, Happening)], end: &Configuration) -> Vec<StepReport> {
        let at = |place: usize| &self.graph.configurations[place];
        let ends = steps.iter().skip(1).map(|(from, _)| at(*from)).chain([end]);
        let steps = steps.iter().zip(ends);
        steps
            .map(|((from, happening), to)| words::step(self.environment, at(*from), *happening, to))
            .collect()
    }
}

/// Rows taken and impossible cells reached.
fn coverage(environment: &Environment<'_>, graph: &Graph) -> Coverage {
    let (table, vocabulary) = (environment.table, environment.vocabulary);
    let rows: BTreeSet<RowId> = table.rows.iter().map(|row| row.id).collect();
    let outcomes: BTreeSet<Outcome> =
        graph.firsts.iter().map(|(_, happening)| happening.outcome).collect();
    let taken: BTreeSet<RowId> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Row(place) => Some(table.rows[*place].id),
            Outcome::Ignored(_) | Outcome::Impossible(_) | Outcome::Missing => None,
        })
        .collect();
    let (excused, not_taken): (Vec<RowId>, Vec<RowId>) =
        rows.difference(&taken).partition(|row| vocabulary.rows[row.index()].excused.is_some());
    let names = |rows: Vec<RowId>| -> Vec<String> {
        rows.into_iter().map(|row| words::row(vocabulary, row).to_owned()).collect()
    };
    let declared = claimed(environment).filter(|place| !environment.is_message(*place));
    let reached = outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Impossible(place) => Some(impossible(environment, *place)),
        Outcome::Row(_) | Outcome::Ignored(_) | Outcome::Missing => None,
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

/// The cells that are said to be impossible, by their place.
fn claimed<'e>(environment: &'e Environment<'_>) -> impl Iterator<Item = usize> + 'e {
    let cells = environment.table.cells.iter().enumerate();
    cells.filter(|(_, cell)| cell.kind == CellKind::Impossible).map(|(place, _)| place)
}

/// What a table says of the messages of others, in words.
fn for_a_system(environment: &Environment<'_>) -> Option<String> {
    let cells: Vec<String> = claimed(environment)
        .filter(|place| environment.is_message(*place))
        .map(|place| impossible(environment, place))
        .collect();
    let words = cells.join(", ");
    (!cells.is_empty())
        .then(|| format!("that these messages do not come is for a system to prove: {words}"))
}

/// What a table says must always be so, and no table alone can tell.
fn unasked(environment: &Environment<'_>) -> Option<String> {
    let words = &environment.vocabulary.formulas.invariants;
    let stated = words.iter().zip(&environment.table.formulas.invariants);
    let stated = stated.filter(|(_, stated)| stated.is_some());
    let names: Vec<&str> = stated.map(|(word, _)| word.name.name.as_str()).collect();
    let words = names.join(", ");
    (!names.is_empty())
        .then(|| format!("that these invariants hold is for a system to prove: {words}"))
}

/// A cell that is said to be impossible, in words.
fn impossible(environment: &Environment<'_>, place: usize) -> String {
    let cell = &environment.table.cells[place];
    words::cell(environment.vocabulary, cell.state, cell.event, &cell.pattern)
}
