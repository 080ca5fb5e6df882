//! Grids of states and events: a cell is what an event does in a state.
//!
//! RFCs number their states (`0 Initial`), write `action/number`, and mark cells with a letter for
//! a note (`3r`).

use std::collections::BTreeMap;

use turnstile_spec::{Diagnostic, nearest};

use crate::code;
use crate::draft::{CellDraft, CellMark, RowDraft, StateMark};
use crate::fault::error;
use crate::grid::{Grid, GridLine, Word, lower, name};
use crate::phrase;
use crate::place::LineIndex;
use crate::rows::{RawRow, is_whole};

/// A grid, with what its lines and columns are.
pub(crate) struct Matrix<'g> {
    grid: &'g Grid,
    /// Whether the columns are the states, and the lines the events.
    is_by_column: bool,
    states: Vec<Axis>,
    events: Vec<Axis>,
    /// The states by their names and numbers.
    known: BTreeMap<String, String>,
}

/// The name of a line or a column.
struct Axis {
    name: Word,
    /// What stands in parentheses after it, or empty.
    mark: String,
    /// The number before the name.
    number: String,
    /// The line of the body, or the column.
    at: usize,
}

/// What a grid says.
#[derive(Default)]
pub(crate) struct Content {
    pub(crate) states: Vec<Word>,
    pub(crate) rows: Vec<RawRow>,
    pub(crate) cells: Vec<CellDraft>,
    /// What stands after the names of the states.
    pub(crate) marks: Vec<StateMark>,
}

/// What one cell says.
enum Entry {
    Nothing,
    Ignored,
    Impossible,
    Row { to: String, actions: String, note: Option<String> },
}

impl<'g> Matrix<'g> {
    /// The reading of a table as a grid in which most cells lead to a state; `None` if there is
    /// none, unless the header says that it is a grid.
    pub(crate) fn of(grid: &'g Grid, is_said: bool) -> Option<Self> {
        let columns = axes(grid.header.cells.iter().enumerate().skip(1));
        let first = |(at, line): (usize, &'g GridLine)| Some((at, line.cells.first()?));
        let lines = axes(grid.body.iter().enumerate().filter_map(first));
        if columns.is_empty() || lines.is_empty() {
            return None;
        }
        let (by_line, all) = hits(grid, &by_word(&lines));
        let (by_column, _) = hits(grid, &by_word(&columns));
        let is_by_column = by_column > by_line;
        let most = by_column.max(by_line);
        if most == 0 || (most * 2 <= all && !is_said) {
            return None;
        }
        let (states, events) = if is_by_column { (columns, lines) } else { (lines, columns) };
        let known = by_word(&states);
        Some(Self { grid, is_by_column, states, events, known })
    }

    /// The rows and cells, state by state.
    pub(crate) fn read(&self, lines: &LineIndex, faults: &mut Vec<Diagnostic>) -> Content {
        let mut content = Content {
            states: self.states.iter().map(|state| state.name.clone()).collect(),
            ..Content::default()
        };
        content.marks.extend(
            self.states
                .iter()
                .map(|state| StateMark { state: state.name.clone(), mark: state.mark.clone() }),
        );
        let columns = 1..self.grid.header.cells.len();
        faults.extend(columns.filter_map(|at| self.grid.unnamed_column(at)));
        faults.extend(self.grid.body.iter().filter_map(GridLine::unnamed));
        let whole: Vec<bool> =
            self.grid.body.iter().map(|line| is_whole(line, self.grid, faults)).collect();
        for state in &self.states {
            for event in &self.events {
                let (line, column) =
                    if self.is_by_column { (event.at, state.at) } else { (state.at, event.at) };
                if !whole.get(line).copied().unwrap_or(false) {
                    continue;
                }
                let Some(cell) = self.grid.body[line].cells.get(column) else { continue };
                self.cell(state, event, cell, lines, &mut content, faults);
            }
        }
        content
    }

    fn cell(
        &self,
        state: &Axis,
        event: &Axis,
        cell: &Word,
        lines: &LineIndex,
        content: &mut Content,
        faults: &mut Vec<Diagnostic>,
    ) {
        let Some(entry) = entry(cell, &self.known) else {
            let near = |part: &str| {
                nearest(&name(part), self.states.iter().map(|state| state.name.text.as_str()))
            };
            let help = match cell.text.split(['/', '\n']).find_map(near) {
                Some(near) => format!("did you mean the state `{near}`?"),
                None => "write a state, `action / state`, `-`, `ignore` or `impossible`".to_owned(),
            };
            let message = format!("`{}` is neither a state nor an action with one", cell.text);
            faults.push(error(code::UNREAD_CELL, cell.span, message).label("this cell").help(help));
            return;
        };
        let cite = lines.lines(cell.span);
        let place = |word: &Word| cell.with(&*word.text);
        let mut put = |because: &str, mark| {
            content.cells.push(CellDraft {
                states: vec![place(&state.name)],
                events: vec![place(&event.name)],
                because: because.to_owned(),
                mark,
                cite: Some(cite),
            });
        };
        match entry {
            Entry::Nothing => {}
            Entry::Ignored => put("the document says that nothing changes", CellMark::Ignored),
            Entry::Impossible => put("the document says that it cannot happen", CellMark::Absent),
            Entry::Row { to, actions, note } => {
                let label = phrase::label(&event.name.text, false);
                let note = note.map(|note| format!("the mark `{note}` of the cell is a note"));
                let row = RowDraft {
                    has_place: true,
                    from: vec![place(&state.name)],
                    to: cell.with(to),
                    event: cell.with(label.event),
                    event_name: String::new(),
                    guard: None,
                    actions: phrase::actions(&cell.with(actions), false),
                    cite,
                    guesses: note.into_iter().collect(),
                };
                content.rows.push(RawRow { row, guard: label.guard, marks: Vec::new() });
            }
        }
    }
}

/// The named lines or columns.
fn axes<'g>(words: impl Iterator<Item = (usize, &'g Word)>) -> Vec<Axis> {
    let axis = |(at, word): (usize, &Word)| {
        let (text, mark) = phrase::state(&word.text);
        let (number, rest) = match text.split_once(' ') {
            Some((first, rest)) if first.bytes().all(|byte| byte.is_ascii_digit()) => (first, rest),
            Some(_) | None => ("", text.as_str()),
        };
        Axis { name: word.with(rest), mark, number: number.to_owned(), at }
    };
    words.filter(|(_, word)| !word.text.trim().is_empty()).map(axis).collect()
}

/// The states by their names, and by their numbers where no name is the same.
fn by_word(axes: &[Axis]) -> BTreeMap<String, String> {
    let pair = |text: &str, axis: &Axis| (text.to_owned(), axis.name.text.clone());
    let numbers = axes.iter().filter(|axis| !axis.number.is_empty());
    let numbers = numbers.map(|axis| pair(&axis.number, axis));
    numbers.chain(axes.iter().map(|axis| pair(&axis.name.text, axis))).collect()
}

/// How many cells lead to one of these states, of how many that say anything.
fn hits(grid: &Grid, states: &BTreeMap<String, String>) -> (usize, usize) {
    let cells = grid.body.iter().flat_map(|line| line.cells.iter().skip(1));
    let (mut hits, mut all) = (0, 0);
    for cell in cells.filter(|cell| !cell.is_nothing()) {
        all += 1;
        hits += usize::from(matches!(entry(cell, states), Some(Entry::Row { .. })));
    }
    (hits, all)
}

fn entry(cell: &Word, states: &BTreeMap<String, String>) -> Option<Entry> {
    let text = name(&cell.text);
    if cell.is_nothing() && !states.contains_key(&text) {
        return Some(Entry::Nothing);
    }
    match lower(&text).as_str() {
        "ignore" | "ignored" | "ign" | "no change" | "no action" => return Some(Entry::Ignored),
        "impossible" | "cannot happen" | "can't happen" | "not possible" | "x" => {
            return Some(Entry::Impossible);
        }
        _ => {}
    }
    let state = |text: &str| states.get(&name(text)).cloned();
    let row = |to, actions: &str, note| Entry::Row { to, actions: actions.to_owned(), note };
    if let Some(to) = state(&text) {
        return Some(row(to, "", None));
    }
    // The state is the last part, or the first.
    let parts = [text.rsplit_once('/').map(|(a, b)| (b, a)), text.split_once('/')];
    let lines = [cell.text.rsplit_once('\n').map(|(a, b)| (b, a)), cell.text.split_once('\n')];
    let arrows =
        [text.rsplit_once("->").map(|(a, b)| (b, a)), text.rsplit_once('→').map(|(a, b)| (b, a))];
    for (to, actions) in parts.into_iter().chain(lines).chain(arrows).flatten() {
        if let Some(to) = state(to) {
            return Some(row(to, actions, None));
        }
        if let Some((to, note)) = marked(to)
            && let Some(to) = state(to)
        {
            return Some(row(to, actions, Some(note)));
        }
    }
    let (to, note) = marked(&text)?;
    Some(row(state(to)?, "", Some(note)))
}

/// `3r`, `4*`, `Opened[2]`: a state with a mark for a note.
fn marked(text: &str) -> Option<(&str, String)> {
    let text = text.trim();
    if let Some((left, mark)) = text.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        return Some((left, mark.to_owned()));
    }
    let last = text.chars().next_back()?;
    let left = &text[..text.len() - last.len_utf8()];
    let is_mark =
        last == '*' || (last.is_ascii_alphabetic() && left.ends_with(|c: char| c.is_ascii_digit()));
    is_mark.then(|| (left, last.to_string()))
}

/// A grid that is printed in several parts: those with the same first column are joined.
pub(crate) fn joined(grids: &[&Grid]) -> Option<Grid> {
    let (first, rest) = grids.split_first()?;
    let mut whole = (*first).clone();
    let names = |grid: &Grid| -> Vec<String> {
        let first = grid.body.iter().filter_map(|line| line.cells.first());
        first.map(|cell| name(&cell.text)).collect()
    };
    for part in rest {
        if names(part) != names(&whole) {
            return None;
        }
        whole.header.cells.extend(part.header.cells.iter().skip(1).cloned());
        for (line, more) in whole.body.iter_mut().zip(&part.body) {
            line.cells.extend(more.cells.iter().skip(1).cloned());
        }
    }
    Some(whole)
}
