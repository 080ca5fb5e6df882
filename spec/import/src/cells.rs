//! The file of `--cells`: what a document says of cells that cannot happen, as a table with the
//! columns State, Event and Because.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_spec::{Diagnostic, Source, limit, nearest};

use crate::code;
use crate::document;
use crate::draft::{CellDraft, CellMark, Draft};
use crate::fault::error;
use crate::grid::{Grid, Word, lower, name};
use crate::phrase;
use crate::roles::{Role, role};
use crate::rows::is_whole;

/// Where the columns of the table are.
struct Columns {
    state: usize,
    event: usize,
    because: usize,
    kind: Option<usize>,
}

/// Adds the cells of a file to a draft whose events are known.
pub(crate) fn read(source: &Source, draft: &mut Draft, faults: &mut Vec<Diagnostic>) {
    if let Some(fault) = document::unreadable(source) {
        faults.push(fault);
        return;
    }
    let tables = match document::read(source) {
        Ok(tables) => tables,
        Err(fault) => {
            faults.push(*fault);
            return;
        }
    };
    let known = Known::of(draft);
    let (mut is_found, mut many) = (false, draft.cells.len());
    for grid in &tables.grids {
        let Some(columns) = Columns::of(grid) else { continue };
        is_found = true;
        for line in &grid.body {
            if line.cells.iter().all(|cell| cell.text.trim().is_empty())
                || !is_whole(line, grid, faults)
            {
                continue;
            }
            let Some(cell) = columns.cell(&line.cells, &known, faults) else { continue };
            many += cell.states.len() * cell.events.len();
            draft.cells.push(cell);
            if many > limit::CELLS || faults.len() >= limit::DIAGNOSTICS {
                break;
            }
        }
    }
    if many > limit::CELLS {
        let message = format!("more than {} cells", limit::CELLS);
        let fault = error(code::UNREADABLE, Default::default(), message).label("in this file");
        faults.push(fault.help("write several states in one line"));
    }
    if !is_found {
        let place = tables.grids.first().map_or_else(Default::default, |grid| grid.header.span);
        let fault = error(code::UNKNOWN_CELL, place, "no table of cells").label("no such columns");
        faults.push(fault.help("name the columns: State, Event, Because"));
    }
}

impl Columns {
    fn of(grid: &Grid) -> Option<Self> {
        let roles: Vec<Role> = grid.header.cells.iter().map(|cell| role(&cell.text)).collect();
        let of = |wanted: &[Role]| roles.iter().position(|role| wanted.contains(role));
        Some(Self {
            state: of(&[Role::State, Role::Source])?,
            event: of(&[Role::Event, Role::Condition])?,
            because: of(&[Role::Because, Role::About])?,
            kind: of(&[Role::Kind]),
        })
    }

    fn cell(
        &self,
        line: &[Word],
        known: &Known,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<CellDraft> {
        let before = faults.len();
        let states = known.states(&line[self.state], faults);
        let events = known.events(&line[self.event], faults);
        let because = name(&line[self.because].text);
        if because.is_empty() {
            let fault =
                error(code::UNKNOWN_CELL, line[self.because].span, "a cell without a reason");
            faults.push(fault.label("nothing stands here").help("say why it cannot happen"));
        }
        let kind = self.kind.map(|at| lower(&name(&line[at].text))).unwrap_or_default();
        let mark = match kind.as_str() {
            "" | "-" => CellMark::Absent,
            "ignore" | "ignored" => CellMark::Ignored,
            "impossible" => CellMark::Impossible,
            other => {
                let place = self.kind.map_or_else(Default::default, |at| line[at].span);
                let fault =
                    error(code::UNKNOWN_CELL, place, format!("`{other}` is no kind of cell"));
                faults.push(fault.label("here").help("write `ignore` or `impossible`"));
                CellMark::Absent
            }
        };
        for (state, event) in states.iter().flat_map(|a| events.iter().map(move |b| (a, b))) {
            known.taken(state, event, faults);
        }
        let is_good = faults.len() == before && !states.is_empty() && !events.is_empty();
        is_good.then_some(CellDraft { states, events, because, mark, cite: None })
    }
}

/// The names that a file of cells may use, found once.
struct Known {
    states: BTreeSet<String>,
    events: BTreeSet<String>,
    /// The lines of the rows without a condition, by state and event.
    rows: BTreeMap<(String, String), u32>,
    file: String,
}

impl Known {
    fn of(draft: &Draft) -> Self {
        let mut rows = BTreeMap::new();
        // A cell beside rows with conditions says what happens when none is true.
        for row in draft.rows.iter().filter(|row| row.guard.is_none()) {
            for from in &row.from {
                rows.insert((from.text.clone(), row.event.text.clone()), row.cite.0);
            }
        }
        Self {
            states: draft.states.iter().map(|state| state.name.text.clone()).collect(),
            events: draft.events.iter().map(|event| event.name.text.clone()).collect(),
            rows,
            file: draft.file.clone(),
        }
    }

    fn states(&self, cell: &Word, faults: &mut Vec<Diagnostic>) -> Vec<Word> {
        let text = phrase::state(&cell.text).0;
        if phrase::is_any(&text) {
            return vec![cell.with("any")];
        }
        listed(cell, &text, "state", &self.states, |part| part.to_owned(), faults)
    }

    fn events(&self, cell: &Word, faults: &mut Vec<Diagnostic>) -> Vec<Word> {
        let base = |part: &str| part.split(" (").next().unwrap_or(part).to_owned();
        listed(cell, &name(&cell.text), "event", &self.events, base, faults)
    }

    /// A cell that has a row cannot be listed.
    fn taken(&self, state: &Word, event: &Word, faults: &mut Vec<Diagnostic>) {
        if let Some(line) = self.rows.get(&(state.text.clone(), event.text.clone())) {
            let (state_name, file) = (&state.text, &self.file);
            let message =
                format!("`{}` in `{state_name}` has a row: line {line} of {file}", event.text);
            let fault = error(code::UNKNOWN_CELL, state.span, message).label("this cell");
            faults.push(fault.help("remove it here, or the row from the document"));
        }
    }
}

/// One name, or several between commas; `base` is what of it must be known.
fn listed(
    cell: &Word,
    text: &str,
    what: &str,
    names: &BTreeSet<String>,
    base: impl Fn(&str) -> String,
    faults: &mut Vec<Diagnostic>,
) -> Vec<Word> {
    let is_known = |part: &str| names.contains(part) || names.contains(&base(part));
    if names.contains(text) {
        return vec![cell.with(text)];
    }
    let parts = phrase::split(text, |c| ",;\n".contains(c));
    let mut known = Vec::new();
    for part in &parts {
        if is_known(part) {
            known.push(cell.with(part.as_str()));
            continue;
        }
        let help = match nearest(part, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("name {what}s as the document does, with commas between them"),
        };
        let message = format!("the document has no {what} `{part}`");
        faults.push(error(code::UNKNOWN_CELL, cell.span, message).label("here").help(help));
        if faults.len() >= limit::DIAGNOSTICS {
            break;
        }
    }
    if parts.is_empty() {
        let fault = error(code::UNKNOWN_CELL, cell.span, format!("a cell without {what}"));
        faults.push(fault.label("nothing stands here").help(format!("name the {what}")));
    }
    known
}
