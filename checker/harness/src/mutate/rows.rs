//! Mutants of rows: a row removed, or one part of it changed: its destination, its actions, its
//! event or its guard.

use std::collections::BTreeSet;

use turnstile_spec::table::{
    ActionCall, Event, Pattern, PayloadDomain, Row, RowId, StateId, Table, Vocabulary,
};

use super::change::{Edit, Mutant};
use super::guards;
use super::label::{condition, labels};
use crate::plain::words;

/// The number of other destinations that are tried, in the order of the table.
const OTHERS: usize = 2;

/// Every mutant of every row.
pub(super) fn mutants(vocabulary: &Vocabulary, table: &Table) -> Vec<Mutant> {
    let labels = labels(vocabulary, table);
    let mut of = RowMutants { vocabulary, table, labels, list: Vec::new() };
    for place in 0..table.rows.len() {
        of.dropped(place);
        of.elsewhere(place);
        of.done(place);
        of.taken(place);
        of.conditions(place);
        of.patterns(place);
    }
    of.list
}

struct RowMutants<'t> {
    vocabulary: &'t Vocabulary,
    table: &'t Table,
    labels: Vec<String>,
    list: Vec<Mutant>,
}

impl RowMutants<'_> {
    fn push(&mut self, place: usize, change: String, is_of_takers: bool, edit: Edit) {
        let row = self.labels[place].clone();
        let id = self.table.rows[place].id;
        let takers = if is_of_takers { vec![id] } else { self.beside(place) };
        self.list.push(Mutant { row, change, id: Some(id), takers, edit });
    }

    /// The rows, one of which every trace takes that reaches a row's state with its event; nothing
    /// if a cell may take the event, too.
    fn beside(&self, place: usize) -> Vec<RowId> {
        let row = &self.table.rows[place];
        let here = (row.from, row.event);
        if self.table.cells.iter().any(|cell| (cell.state, cell.event) == here) {
            return Vec::new();
        }
        let beside = self.table.rows.iter().filter(|other| (other.from, other.event) == here);
        beside.map(|other| other.id).collect()
    }

    /// A row with one change that has an effect only where the row is taken.
    fn change(&mut self, place: usize, change: String, edit: impl FnOnce(&mut Row)) {
        let mut row = self.table.rows[place].clone();
        edit(&mut row);
        self.push(place, change, true, Edit::Row(place, Box::new(row)));
    }

    /// A row removed. If it has no effect, removal is equivalent to an ignored event.
    fn dropped(&mut self, place: usize) {
        let row = &self.table.rows[place];
        if row.to != row.from || !row.actions.is_empty() || !row.consumes.is_empty() {
            let change = "left out, its event ignored".to_owned();
            self.push(place, change, true, Edit::Ignored(place));
        }
        let is_said = self.table.cells.iter().any(|cell| {
            let is_here = (cell.state, cell.event) == (row.from, row.event);
            is_here && cell.pattern.meets(&row.pattern)
        });
        // If a cell covers the event, the cell applies, and the event is not unhandled.
        if !is_said {
            let change = "left out, its event refused".to_owned();
            self.push(place, change, true, Edit::Refused(place));
        }
    }

    fn elsewhere(&mut self, place: usize) {
        let row = &self.table.rows[place];
        let states = self.table.states.iter().enumerate().filter(|(_, state)| state.is_some());
        let states: Vec<StateId> =
            states.map(|(at, _)| StateId(u16::try_from(at).expect("the reader's limit"))).collect();
        let at = states.iter().position(|state| *state == row.to).unwrap_or(0);
        let mut others: BTreeSet<StateId> =
            (1..=OTHERS).map(|nth| states[(at + nth) % states.len()]).collect();
        others.insert(row.from);
        others.remove(&row.to);
        for to in others {
            let change = format!("to {}", words::state(self.vocabulary, to));
            self.change(place, change, |row| row.to = to);
        }
    }

    /// Actions removed, and moved one place earlier.
    fn done(&mut self, place: usize) {
        let table = self.table;
        let actions = &table.rows[place].actions;
        let name = |at: usize| {
            let ActionCall { action, each, .. } = &actions[at];
            let name = &self.vocabulary.actions[action.index()].name;
            (name.clone(), *each)
        };
        let names: Vec<_> = (0..actions.len()).map(name).collect();
        for (at, (action, _)) in names.iter().enumerate() {
            let before = names[..at].iter().filter(|(other, _)| other == action).count();
            let nth = if before == 0 { String::new() } else { format!(" ({})", before + 1) };
            self.change(place, format!("without `{action}`{nth}"), |row| {
                row.actions.remove(at);
            });
        }
        for (at, pair) in names.windows(2).enumerate() {
            let [(first, of), (second, other)] = pair else { continue };
            if of == other && first != second && is_ordered(&actions[at], &actions[at + 1]) {
                let change = format!("`{second}` before `{first}`");
                self.change(place, change, |row| row.actions.swap(at, at + 1));
            }
        }
    }

    fn taken(&mut self, place: usize) {
        let table = self.table;
        for (at, id) in table.rows[place].consumes.iter().enumerate() {
            let name = words::resource(self.vocabulary, *id);
            self.change(place, format!("without consuming {name}"), |row| {
                row.consumes.remove(at);
            });
        }
    }

    fn conditions(&mut self, place: usize) {
        let table = self.table;
        for changed in guards::changed(&table.rows[place].guard) {
            let change = match condition(self.vocabulary, &changed.guard).as_str() {
                "always" => "without its condition".to_owned(),
                words => format!("if {words}"),
            };
            let row = Row { guard: changed.guard, ..table.rows[place].clone() };
            self.push(place, change, changed.is_narrower, Edit::Row(place, Box::new(row)));
        }
    }

    fn patterns(&mut self, place: usize) {
        let table = self.table;
        let row = &table.rows[place];
        let event = &self.vocabulary.events[row.event.index()];
        let Some(payload) = &event.payload else { return };
        let mut put = |pattern: Pattern, is_narrower| {
            let change = format!("on {}", words::event_class(event, &pattern));
            let row = Row { pattern, ..row.clone() };
            self.push(place, change, is_narrower, Edit::Row(place, Box::new(row)));
        };
        for pattern in narrower(&row.pattern, &payload.domain) {
            put(pattern, true);
        }
        if let Some(pattern) = wider(table, row, event) {
            put(pattern, false);
        }
    }
}

/// Whether the order of two adjacent actions may matter: both use one resource, or both use the
/// core's data.
fn is_ordered(one: &ActionCall, other: &ActionCall) -> bool {
    let (ActionCall { ops: one, .. }, ActionCall { ops: other, .. }) = (one, other);
    (one.is_empty() && other.is_empty())
        || one.iter().any(|op| other.iter().any(|next| resource(*op) == resource(*next)))
}

fn resource(op: turnstile_spec::table::Op) -> turnstile_spec::table::ResourceId {
    use turnstile_spec::table::Op;
    let (Op::Create(id) | Op::Delete(id) | Op::Restart(id) | Op::Abandon(id)) = op;
    id
}

/// A pattern without one of its ranges or words.
fn narrower(pattern: &Pattern, domain: &PayloadDomain) -> Vec<Pattern> {
    let parts: Vec<std::ops::RangeInclusive<u16>> = match domain {
        PayloadDomain::Number(_) => pattern.0.clone(),
        PayloadDomain::Bool | PayloadDomain::Words(_) => {
            pattern.0.iter().cloned().flatten().map(|word| word..=word).collect()
        }
    };
    if parts.len() < 2 {
        return Vec::new();
    }
    let without = |at: usize| {
        let mut parts = parts.clone();
        parts.remove(at);
        Pattern(parts)
    };
    (0..parts.len()).map(without).collect()
}

/// A pattern extended by the payloads after it, or else before it, up to the next row or cell of
/// the same state and event.
fn wider(table: &Table, row: &Row, event: &Event) -> Option<Pattern> {
    let (least, most) = event.payload.as_ref()?.domain.bounds();
    let rows = table.rows.iter().filter(|other| (other.from, other.event) == (row.from, row.event));
    let cells = table.cells.iter().filter(|cell| (cell.state, cell.event) == (row.from, row.event));
    let patterns = rows.map(|row| &row.pattern).chain(cells.map(|cell| &cell.pattern));
    let mut starts: BTreeSet<u16> = BTreeSet::from([least]);
    for range in patterns.flat_map(|pattern| &pattern.0) {
        starts.insert(*range.start());
        starts.extend(range.end().checked_add(1).filter(|next| *next <= most));
    }
    let starts: Vec<u16> = starts.into_iter().collect();
    let pieces = starts.iter().enumerate().map(|(at, start)| {
        let end = starts.get(at + 1).map_or(most, |next| next - 1);
        *start..=end
    });
    let free: Vec<_> = pieces.filter(|piece| !row.pattern.matches(*piece.start())).collect();
    let last = row.pattern.0.last()?;
    let behind = free.iter().find(|piece| piece.start() > last.end());
    let more = behind.or_else(|| free.last())?.clone();
    let mut ranges = row.pattern.0.clone();
    ranges.push(more);
    ranges.sort_by_key(|range| *range.start());
    Some(Pattern(ranges))
}
