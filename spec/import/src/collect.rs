//! From the tables of a document to rows and states: which table is what, and what is declared
//! where.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_spec::{Diagnostic, Severity, Source, limit};

use crate::code;
use crate::draft::{Draft, StateDraft};
use crate::fault::{error, warning};
use crate::grid::{Grid, GridLine, Tables, lower, name, words};
use crate::matrix::{self, Matrix};
use crate::missing;
use crate::phrase;
use crate::place::LineIndex;
use crate::resolve;
use crate::roles::{Role, Roles, TableKind};
use crate::rows::{self, RawRow};

/// What the other tables say about names: descriptions and kinds of events and actions.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// By name: the description, and the kind in words.
    pub(crate) by_name: BTreeMap<String, (String, String)>,
}

/// The parts of a document by what they are.
struct Sorted<'g> {
    transitions: Vec<(&'g Grid, Roles)>,
    matrices: Vec<(&'g Grid, bool)>,
    others: Vec<(&'g Grid, Roles, TableKind)>,
}

impl<'g> Sorted<'g> {
    fn of(tables: &'g Tables) -> Self {
        let mut sorted = Self { transitions: Vec::new(), matrices: Vec::new(), others: Vec::new() };
        for grid in &tables.grids {
            let roles = Roles::of(grid);
            let kind = roles.kind(grid);
            let is_said = kind == TableKind::Matrix && says_matrix(grid);
            if kind == TableKind::Transitions {
                sorted.transitions.push((grid, roles));
            } else if Matrix::of(grid, is_said).is_some() {
                sorted.matrices.push((grid, is_said));
            } else {
                sorted.others.push((grid, roles, kind));
            }
        }
        sorted
    }
}

/// Whether the first header names both states and events.
fn says_matrix(grid: &Grid) -> bool {
    let first = grid.header.cells.first().map_or_else(Vec::new, |cell| words(&cell.text));
    let has = |word: &str| first.iter().any(|known| known.starts_with(word));
    has("state") && (has("event") || has("input"))
}

/// Reads the tables of a document; `section` is a heading that the table stands under.
pub(crate) fn collect(
    source: &Source,
    tables: &Tables,
    section: Option<&str>,
    lines: &LineIndex,
    faults: &mut Vec<Diagnostic>,
) -> Option<(Draft, Remarks)> {
    let sorted = Sorted::of(tables);
    let mut draft = Draft::default();
    let is_chosen =
        |grid: &Grid| section.is_none_or(|wanted| lower(&grid.section).contains(&lower(wanted)));
    let lists: Vec<_> = sorted.transitions.iter().filter(|(grid, _)| is_chosen(grid)).collect();
    let grids: Vec<_> = sorted.matrices.iter().filter(|(grid, _)| is_chosen(grid)).collect();
    let parts: Vec<&Grid> = grids.iter().map(|(grid, _)| *grid).collect();
    let lists_and_grids = lists.iter().map(|(grid, _)| *grid).chain(parts.iter().copied());
    let all: Vec<&Grid> = lists_and_grids.collect();
    let Some(first) = all.first() else {
        faults.push(missing::none(source, tables, section));
        return None;
    };
    let is_said = grids.iter().any(|(_, is_said)| *is_said);
    let whole = matrix::joined(&parts);
    let matrix = whole.as_ref().and_then(|whole| Matrix::of(whole, is_said));
    let raw = match (lists.as_slice(), matrix) {
        ([(grid, roles)], None) if all.len() == 1 => {
            unread_columns(grid, roles, &OF_ROWS, faults);
            rows::read(grid, roles, lines, faults)
        }
        ([], Some(matrix)) => of_matrix(&matrix, lines, &mut draft, faults),
        (_, _) => {
            faults.push(missing::several(&all));
            return None;
        }
    };
    if !is_of_size(&raw, first, faults) {
        return None;
    }
    first.section.clone_into(&mut draft.section);
    tables.title.clone_into(&mut draft.title);
    let remarks = others(&sorted, &raw, lines, &mut draft, faults);
    faults.extend(tables.strays.iter().map(|line| {
        let fault = error(code::UNREAD_TABLE, *line, "a row that belongs to no table");
        fault
            .label("it would be lost")
            .help("a table ends at an empty line or a comment: join the lines")
    }));
    faults.extend(tables.spanning.iter().map(|place| {
        let fault =
            error(code::LENGTH, *place, "a cell spans columns or rows, or stands for several");
        fault.label("this cell").help("write each cell by itself")
    }));
    resolve::rows(raw, &mut draft, faults);
    Some((draft, remarks))
}

/// Whether a table has rows, and not too many.
fn is_of_size(raw: &[RawRow], grid: &Grid, faults: &mut Vec<Diagnostic>) -> bool {
    if raw.is_empty() && !faults.iter().any(|fault| fault.severity == Severity::Error) {
        let fault = error(code::NO_TRANSITIONS, grid.header.span, "the table has no rows");
        faults.push(fault.label("its header").help("write a line for each transition"));
        return false;
    }
    if raw.len() > limit::ROWS {
        let message = format!("{} rows; a table file has at most {}", raw.len(), limit::ROWS);
        let fault = error(code::UNREADABLE, grid.header.span, message).label("this table");
        faults.push(fault.help("split the machine into several tables"));
        return false;
    }
    true
}

fn of_matrix(
    matrix: &Matrix<'_>,
    lines: &LineIndex,
    draft: &mut Draft,
    faults: &mut Vec<Diagnostic>,
) -> Vec<RawRow> {
    let content = matrix.read(lines, faults);
    for state in content.states {
        declare(draft, StateDraft { name: state, ..StateDraft::default() }, faults);
    }
    draft.cells = content.cells;
    draft.marks = content.marks;
    content.rows
}

/// What the tables beside the transitions say. Of several tables of states those under the same
/// heading are meant, or else those that share a state with the rows.
fn others(
    sorted: &Sorted<'_>,
    raw: &[RawRow],
    lines: &LineIndex,
    draft: &mut Draft,
    faults: &mut Vec<Diagnostic>,
) -> Remarks {
    let mut remarks = Remarks::default();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for RawRow { row, .. } in raw {
        used.extend(row.from.iter().chain([&row.to]).map(|word| word.text.as_str()));
    }
    let section = draft.section.clone();
    let is_near = |grid: &Grid| grid.section == section;
    let of_states = sorted.others.iter().filter(|(_, _, kind)| *kind == TableKind::States);
    let has_near = of_states.clone().any(|(grid, _, _)| is_near(grid));
    for (grid, roles, _) in of_states {
        let names = roles
            .column(Role::State)
            .into_iter()
            .flat_map(|column| grid.body.iter().filter_map(move |line| line.cells.get(column)));
        let mut names = names.map(|cell| phrase::state(&cell.text).0);
        let is_meant =
            if has_near { is_near(grid) } else { names.any(|name| used.contains(name.as_str())) };
        if is_meant {
            states(grid, roles, lines, draft, faults);
        } else if section == grid.section {
            faults.push(unread(grid));
        }
    }
    for (grid, roles, kind) in &sorted.others {
        // Tables of other things stand under headings of their own.
        if [TableKind::Matrix, TableKind::Other].contains(kind) && section == grid.section {
            faults.push(unread(grid));
        }
        if [TableKind::Events, TableKind::Actions].contains(kind) {
            remark(grid, roles, *kind, &mut remarks);
        }
    }
    remarks
}

/// Warns of a table that stands with the rows and is nothing that is read.
fn unread(grid: &Grid) -> Diagnostic {
    let fault = warning(code::UNREAD_TABLE, grid.header.span, "this table is not imported");
    fault.label("its header").help(
        "rows of the table above belong to it without an empty line between; a table of states \
         has a column `State`",
    )
}

/// The roles of a table of transitions.
const OF_ROWS: [Role; 6] =
    [Role::Number, Role::Source, Role::Destination, Role::Event, Role::Guard, Role::Actions];

/// The roles of a table of states.
const OF_STATES: [Role; 5] = [Role::Number, Role::State, Role::About, Role::Holds, Role::Kind];

/// Warns of columns without one of these roles.
fn unread_columns(grid: &Grid, roles: &Roles, known: &[Role], faults: &mut Vec<Diagnostic>) {
    for (place, (cell, role)) in grid.header.cells.iter().zip(&roles.0).enumerate() {
        if cell.text.trim().is_empty() {
            faults.extend(grid.unnamed_column(place));
        } else if !known.contains(role) {
            let message = format!("the column `{}` is not imported", cell.text);
            let help = if known == OF_STATES {
                "columns of a table of states: State, Description, Associated data, Kind"
            } else {
                "columns with a meaning: Source, Destination, Event, Condition, Actions"
            };
            let fault = warning(code::UNREAD_COLUMN, cell.span, message);
            faults.push(fault.label("this column").help(help));
        }
    }
}

/// A table of states.
fn states(
    grid: &Grid,
    roles: &Roles,
    lines: &LineIndex,
    draft: &mut Draft,
    faults: &mut Vec<Diagnostic>,
) {
    let column = |role| roles.column(role);
    let Some(of_name) = column(Role::State) else { return };
    draft.has_states = true;
    unread_columns(grid, roles, &OF_STATES, faults);
    draft.has_holds |= column(Role::Holds).is_some();
    for line in &grid.body {
        if line.cells.iter().all(|cell| cell.text.trim().is_empty())
            || !rows::is_whole(line, grid, faults)
        {
            continue;
        }
        let text = |role| {
            let cell = column(role).and_then(|at| line.cells.get(at));
            cell.filter(|cell| !cell.is_nothing()).map_or_else(String::new, |cell| name(&cell.text))
        };
        let (state, mark) = phrase::state(&line.cells[of_name].text);
        let about = text(Role::About);
        let kind = format!("{mark} {}", lower(&text(Role::Kind)));
        let says = |word: &str| {
            let in_about = words(&about).windows(2).any(|pair| pair == [word, "state"]);
            in_about || words(&about) == [word] || words(&kind).iter().any(|known| known == word)
        };
        let holds = held(line, roles);
        declare(
            draft,
            StateDraft {
                name: line.cells[of_name].with(state),
                holds,
                is_initial: says("initial") || says("start"),
                is_final: says("final") || says("terminal") || says("end"),
                is_undeclared: mark == "not declared",
                cite: Some(lines.lines(line.span)),
                about,
                ..StateDraft::default()
            },
            faults,
        );
    }
}

/// What a state holds: each column may have several, between commas.
fn held(line: &GridLine, roles: &Roles) -> Vec<String> {
    let mut holds: Vec<String> = Vec::new();
    for (cell, role) in line.cells.iter().zip(&roles.0) {
        if *role != Role::Holds || cell.is_nothing() {
            continue;
        }
        let parts = phrase::split(&cell.text, |c| ",;\n".contains(c));
        for one in parts.iter().flat_map(|part| part.split(" and ")).map(name) {
            if !one.is_empty() && !holds.contains(&one) {
                holds.push(one);
            }
        }
    }
    holds
}

/// A state is declared once; a table of states says more of one that a grid names.
fn declare(draft: &mut Draft, state: StateDraft, faults: &mut Vec<Diagnostic>) {
    let known = draft.states.iter_mut().find(|known| known.name.text == state.name.text);
    match known {
        _ if state.name.text.is_empty() => {}
        Some(known) if known.cite.is_none() => *known = state,
        Some(known) if known.about == state.about && known.holds == state.holds => {}
        Some(known) => {
            let message = format!("the state `{}` is described twice", state.name.text);
            let fault = error(code::INVALID_NAME, state.name.span, message).label("the second");
            faults.push(fault.also(known.name.span, "the first").help("join the two lines"));
        }
        None => draft.states.push(state),
    }
}

/// A table of events or of actions.
fn remark(grid: &Grid, roles: &Roles, kind: TableKind, remarks: &mut Remarks) {
    let role = if kind == TableKind::Events { Role::Event } else { Role::Actions };
    let Some(of_name) = roles.column(role) else { return };
    for line in &grid.body {
        let text = |at: Option<usize>| {
            let cell = at.and_then(|at| line.cells.get(at)).filter(|cell| !cell.is_nothing());
            cell.map_or_else(String::new, |cell| name(&cell.text))
        };
        let remark = (text(roles.column(Role::About)), text(roles.column(Role::Kind)));
        remarks.by_name.entry(text(Some(of_name))).or_insert(remark);
    }
}
