//! Rows of a list of transitions: one line of the table is one row.

use turnstile_spec::Diagnostic;
use turnstile_spec::table::COMPLETION;

use crate::code;
use crate::draft::{RowDraft, StateMark};
use crate::fault::{error, guess};
use crate::grid::{Grid, GridLine, Word, words};
use crate::phrase::{self, Label};
use crate::place::LineIndex;
use crate::roles::{self, Role, Roles};

/// The rows as written, their guards as text: names are resolved later.
pub(crate) struct RawRow {
    pub(crate) row: RowDraft,
    pub(crate) guard: String,
    /// What stands after the names of its states: `(initial)`.
    pub(crate) marks: Vec<StateMark>,
}

/// Reads the rows of a table.
pub(crate) fn read(
    grid: &Grid,
    roles: &Roles,
    lines: &LineIndex,
    faults: &mut Vec<Diagnostic>,
) -> Vec<RawRow> {
    let columns = Columns::of(grid, roles);
    let mut rows: Vec<RawRow> = Vec::new();
    let mut marks = Vec::new();
    for line in &grid.body {
        if line.cells.iter().all(|cell| cell.text.trim().is_empty()) {
            continue;
        }
        if !is_whole(line, grid, faults) {
            continue;
        }
        if let Some(last) = rows.last_mut().filter(|_| columns.has_only_actions(line)) {
            last.row.actions.extend(columns.actions_of(line));
            last.row.cite.1 = lines.lines(line.span).1;
            last.row.guesses.push("the line below it has only actions, and continues it".into());
            continue;
        }
        if let Some(mark) = columns.mark(line) {
            marks.push(mark);
            continue;
        }
        let above = rows.last().map(|raw| raw.row.from.clone());
        rows.extend(columns.row(line, above, lines, faults));
    }
    if let Some(first) = rows.first_mut() {
        first.marks.extend(marks);
    }
    rows
}

/// Whether a line has as many cells as its table's header.
pub(crate) fn is_whole(line: &GridLine, grid: &Grid, faults: &mut Vec<Diagnostic>) -> bool {
    let (many, wanted) = (line.cells.len(), grid.header.cells.len());
    if many == wanted {
        return true;
    }
    let cells = if many == 1 { "1 cell".to_owned() } else { format!("{many} cells") };
    let names: Vec<&str> = grid.header.cells.iter().map(|cell| cell.text.as_str()).collect();
    let help = if many < wanted {
        "write a cell for each column, `-` where there is nothing"
    } else {
        "join what belongs to one cell; write `\\|` for a `|` inside of a cell"
    };
    let message = format!("the row has {cells}, its table {wanted} columns");
    let label = format!("columns: {}", names.join(", "));
    faults.push(error(code::LENGTH, line.span, message).label(label).help(help));
    false
}

struct Columns {
    source: Option<usize>,
    destination: Option<usize>,
    event: Option<usize>,
    guard: Option<usize>,
    actions: Vec<usize>,
    /// Whether one of their cells has a semicolon: commas separate no actions then.
    has_semicolons: bool,
    /// Whether the event's column is one of conditions: `if ready` is no event there.
    has_conditions: bool,
    /// Whether the event's column has actions after a slash.
    is_labelled: bool,
    /// Whether a row without an event has none, and it is not missing.
    has_place: bool,
}

impl Columns {
    fn of(grid: &Grid, roles: &Roles) -> Self {
        let event = roles.column(Role::Event);
        let title = event.and_then(|at| grid.header.cells.get(at)).map(|cell| words(&cell.text));
        let of_actions = |role: &(usize, &Role)| *role.1 == Role::Actions;
        let actions: Vec<usize> =
            roles.0.iter().enumerate().filter(of_actions).map(|(at, _)| at).collect();
        let mut cells = grid
            .body
            .iter()
            .flat_map(|line| actions.iter().filter_map(|column| line.cells.get(*column)));
        let has_semicolons = cells.any(|cell| cell.text.contains(';'));
        let names_action = |title: Vec<String>| {
            title.iter().any(|word| ["action", "actions", "output", "outputs"].contains(&&**word))
        };
        let has_conditions = title.as_deref().is_some_and(roles::are_conditions);
        let is_labelled = actions.is_empty() && title.is_some_and(names_action);
        let column = |role| roles.column(role);
        let (source, destination) = (column(Role::Source), column(Role::Destination));
        let (guard, has_place) = (column(Role::Guard), !grid.is_of_arrows);
        Self {
            source,
            destination,
            event,
            guard,
            actions,
            has_semicolons,
            has_conditions,
            is_labelled,
            has_place,
        }
    }

    fn actions_of(&self, line: &GridLine) -> Vec<Word> {
        let cells = self.actions.iter().filter_map(|column| line.cells.get(*column));
        cells.flat_map(|cell| phrase::actions(cell, self.has_semicolons)).collect()
    }

    /// Whether every cell but those of actions is empty.
    fn has_only_actions(&self, line: &GridLine) -> bool {
        let others = [self.source, self.destination, self.event, self.guard];
        are_blank(line, &others) && !self.actions_of(line).is_empty()
    }

    /// The mark of a line that has nothing else: `done (final)`.
    fn mark(&self, line: &GridLine) -> Option<StateMark> {
        let others = [self.destination, self.event, self.guard];
        if !are_blank(line, &others) || !self.actions_of(line).is_empty() {
            return None;
        }
        let mut marks = Vec::new();
        state(line.cells.get(self.source?)?, &mut marks);
        marks.pop()
    }

    fn row(
        &self,
        line: &GridLine,
        above: Option<Vec<Word>>,
        lines: &LineIndex,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<RawRow> {
        let cell = |column: Option<usize>| column.and_then(|at| line.cells.get(at)).cloned();
        let source = cell(self.source).unwrap_or_default();
        let destination = cell(self.destination).unwrap_or_default();
        let event = cell(self.event).map(named).unwrap_or_default();
        let (mut guesses, mut marks) = (Vec::new(), Vec::new());
        let from = match above {
            Some(above) if source.is_blank() => {
                guesses.push("an empty source repeats the row above".to_owned());
                above
            }
            _ if source.is_blank() => {
                let missing = error(code::NO_NAME, line.span, "the first row has no source");
                faults.push(missing.label("no state stands here").help("name the state"));
                return None;
            }
            Some(_) | None => vec![state(&source, &mut marks)],
        };
        let to = if phrase::is_same(&destination) {
            if destination.is_blank() {
                guesses.push("an empty destination is the source".to_owned());
            }
            destination.with("same")
        } else {
            state(&destination, &mut marks)
        };
        let Label { event: words, guard, actions: after } = if event.is_nothing() {
            Label::default()
        } else if let Some(guard) = phrase::condition(&event.text).filter(|_| self.has_conditions) {
            guesses.push(format!("`{guard}` is a guard: it names nothing that happens"));
            Label { guard, ..Label::default() }
        } else {
            phrase::label(&event.text, self.is_labelled)
        };
        let guard = both(&guard, cell(self.guard).filter(|cell| !cell.is_nothing()));
        let has_semicolons = after.contains(';');
        let mut actions = phrase::actions(&event.with(after), has_semicolons);
        actions.extend(self.actions_of(line));
        let place = Word::new(words, if event.text.is_empty() { line.span } else { event.span });
        let row = RowDraft {
            has_place: self.has_place,
            from,
            to,
            event: place,
            event_name: String::new(),
            guard: None,
            actions,
            cite: lines.lines(line.span),
            guesses,
        };
        Some(RawRow { row, guard, marks })
    }
}

/// Whether the cells of these columns are empty.
fn are_blank(line: &GridLine, columns: &[Option<usize>]) -> bool {
    let mut cells = columns.iter().flatten().filter_map(|at| line.cells.get(*at));
    cells.all(Word::is_blank)
}

/// A guard behind an event and that of a column.
fn both(guard: &str, column: Option<Word>) -> String {
    match column.map(|cell| phrase::bare(&cell.text)) {
        None => phrase::bare(guard),
        Some(column) if guard.is_empty() => column,
        Some(column) => format!("({}) and ({column})", phrase::bare(guard)),
    }
}

/// The state of a cell.
fn state(cell: &Word, marks: &mut Vec<StateMark>) -> Word {
    let (name, mark) = phrase::state(&cell.text);
    if !mark.is_empty() {
        marks.push(StateMark { state: cell.with(name.as_str()), mark });
    }
    cell.with(name)
}

/// The event of a row; the word that rendered pages have where there is none is no event.
fn named(event: Word) -> Word {
    if event.text.trim() == COMPLETION { event.with("") } else { event }
}

/// The guesses of rows as notes.
pub(crate) fn notes(row: &RowDraft) -> impl Iterator<Item = Diagnostic> {
    row.guesses.iter().map(|text| guess(code::GUESS, row.event.span, text.clone()))
}
