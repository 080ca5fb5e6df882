//! Every state against every event, payloads included: first in a grid that fits a terminal, then
//! in words. It has every cell, also unhandled, ignored and impossible ones.

use std::collections::BTreeMap;

use askama::Template;
use turnstile_spec::table::{CellContent, CellKind, Condition, Row, StateId};

use crate::payload::{self, Class};
use crate::sheet::Sheet;

/// Text goes no further to the right where its words allow it.
const WIDTH: usize = 100;

#[derive(Template)]
#[template(path = "matrix.txt", escape = "none")]
struct Page<'a> {
    header: &'a str,
    title: String,
    columns: Vec<(String, String)>,
    head: String,
    grid: Vec<String>,
    states: Vec<State>,
    counts: Vec<(&'static str, usize)>,
}

struct State {
    name: String,
    lines: Vec<String>,
}

/// What stands in a cell, and what it is called in the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Row,
    Guarded,
    Conflict,
    Ignored,
    Impossible,
    Missing,
    Final,
    Absent,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Row,
        Self::Guarded,
        Self::Conflict,
        Self::Ignored,
        Self::Impossible,
        Self::Missing,
        Self::Final,
        Self::Absent,
    ];

    fn words(self) -> &'static str {
        match self {
            Self::Row => "one row",
            Self::Guarded => "rows with conditions",
            Self::Conflict => "conflicting rows",
            Self::Ignored => "ignored",
            Self::Impossible => "impossible",
            Self::Missing => "unhandled",
            Self::Final => "in a final state",
            Self::Absent => "never there, because of rows without an event",
        }
    }
}

/// The matrix as text.
pub(crate) fn matrix(sheet: &Sheet<'_>, header: &str) -> String {
    let columns = columns(sheet);
    let states: Vec<StateId> = sheet.states().collect();
    let width = states.iter().map(|state| sheet.state_name(*state).chars().count()).max();
    let width = width.unwrap_or(0).max("state".len());
    let number: BTreeMap<StateId, usize> =
        states.iter().enumerate().map(|(place, state)| (*state, place + 1)).collect();
    let cells: Vec<Vec<(Kind, String)>> = states
        .iter()
        .map(|state| columns.iter().map(|class| cell(sheet, *state, class, &number)).collect())
        .collect();
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    for (kind, _) in cells.iter().flatten() {
        *counts.entry(*kind).or_default() += 1;
    }
    let letters: Vec<String> = (0..columns.len()).map(letter).collect();
    let widest = |column: usize| cells.iter().map(|row| row[column].1.len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(|column| widest(column).max(2) + 2).collect();
    let aligned = |words: &mut dyn Iterator<Item = &String>| -> String {
        words.zip(&widths).map(|(word, width)| format!("{word:>width$}", width = *width)).collect()
    };
    let grid = states.iter().zip(&cells).map(|(state, cells)| {
        let signs = aligned(&mut cells.iter().map(|(_, sign)| sign));
        format!("{:>3}  {:<width$} {signs}", number[state], sheet.state_name(*state))
    });
    let names = columns.iter().map(|class| sheet.class_name(class));
    let page = Page {
        header,
        title: sheet.title(),
        head: format!("     {:<width$} {}", "state", aligned(&mut letters.iter())),
        columns: letters.iter().map(|letter| format!("{letter:>3}")).zip(names).collect(),
        grid: grid.collect(),
        states: states.iter().map(|state| in_words(sheet, *state, &columns)).collect(),
        counts: Kind::ALL
            .into_iter()
            .filter_map(|kind| Some((kind.words(), *counts.get(&kind)?)))
            .collect(),
    };
    page.render().expect("writing to a string does not fail")
}

fn columns(sheet: &Sheet<'_>) -> Vec<Class> {
    let events = sheet.events();
    events
        .flat_map(|(id, event)| payload::classes(&sheet.table, id, event.payload.as_ref()))
        .collect()
}

/// a to z, then aa, ab and on.
fn letter(index: usize) -> String {
    let last = char::from(b'a' + u8::try_from(index % 26).expect("less than 26"));
    if index < 26 { last.to_string() } else { letter(index / 26 - 1) + &last.to_string() }
}

fn cell(
    sheet: &Sheet<'_>,
    state: StateId,
    class: &Class,
    number: &BTreeMap<StateId, usize>,
) -> (Kind, String) {
    match sheet.table.at(state, class.event, class.number()) {
        CellContent::Rows(rows) => {
            let mut to: Vec<usize> =
                rows.iter().filter_map(|row| number.get(&row.to).copied()).collect();
            to.dedup();
            let kind = rows_kind(&rows);
            let mark = if kind == Kind::Conflict { "!" } else { "" };
            (kind, to.iter().map(usize::to_string).collect::<Vec<_>>().join("|") + mark)
        }
        CellContent::Ignored(_) => (Kind::Ignored, "-".to_owned()),
        CellContent::Impossible(_) => (Kind::Impossible, "x".to_owned()),
        CellContent::Missing if sheet.is_final(state) => (Kind::Final, ".".to_owned()),
        CellContent::Missing if sheet.is_absent(state, class.event) => {
            (Kind::Absent, ".".to_owned())
        }
        CellContent::Missing => (Kind::Missing, "?".to_owned()),
    }
}

fn rows_kind(rows: &[&Row]) -> Kind {
    match rows {
        [_] => Kind::Row,
        _ if has_guard(rows) => Kind::Guarded,
        _ => Kind::Conflict,
    }
}

/// The content of a state's cells for each payload: the rows, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Says {
    Rows(Vec<String>),
    Refuses(String),
}

fn in_words(sheet: &Sheet<'_>, state: StateId, columns: &[Class]) -> State {
    let mut said: Vec<(Says, Class)> = Vec::new();
    for class in columns {
        let Some(says) = says(sheet, state, class) else { continue };
        let same =
            |(known, other): &&mut (Says, Class)| *known == says && other.event == class.event;
        match said.iter_mut().find(same) {
            Some((_, known)) => known.join(class),
            None => said.push((says, class.clone())),
        }
    }
    let wide = said.iter().filter(|(says, _)| matches!(says, Says::Rows(_)));
    let wide = wide.map(|(_, class)| sheet.class_name(class).chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut refused: Vec<(String, Vec<String>)> = Vec::new();
    for (says, class) in said {
        let event = sheet.class_name(&class);
        match says {
            Says::Rows(rows) => {
                lines.extend(rows.iter().map(|row| format!("  {event:<wide$}  {row}")));
            }
            Says::Refuses(why) => match refused.iter_mut().find(|(known, _)| *known == why) {
                Some((_, events)) => events.push(event),
                None => refused.push((why, vec![event])),
            },
        }
    }
    for (why, events) in refused {
        lines.extend(wrapped(&format!("{why}: {}", events.join("; "))));
    }
    if lines.is_empty() {
        lines.push("  final".to_owned());
    }
    let holds = sheet.holds(state);
    let holds =
        if holds.is_empty() { String::new() } else { format!(" (holds {})", holds.join(", ")) };
    State { name: format!("{}{holds}", sheet.state_name(state)), lines }
}

fn says(sheet: &Sheet<'_>, state: StateId, class: &Class) -> Option<Says> {
    let refuses = |kind: &str, why: &str| Some(Says::Refuses(format!("{kind}, {why}")));
    match sheet.table.at(state, class.event, class.number()) {
        CellContent::Rows(rows) => {
            let mark = if rows_kind(&rows) == Kind::Conflict { "! " } else { "" };
            let words = rows.iter().map(|row| format!("{mark}{}", row_words(sheet, row)));
            let otherwise = otherwise(sheet, state, class).filter(|_| has_guard(&rows));
            Some(Says::Rows(words.chain(otherwise).collect()))
        }
        CellContent::Ignored(cell) => refuses("ignored", &cell.because),
        CellContent::Impossible(cell) => refuses("impossible", &cell.because),
        CellContent::Missing if sheet.is_final(state) => None,
        CellContent::Missing if sheet.is_absent(state, class.event) => None,
        CellContent::Missing => refuses("unhandled", "no row or entry"),
    }
}

fn has_guard(rows: &[&Row]) -> bool {
    rows.iter().all(|row| row.guard != Condition::default())
}

/// The entry of the cell for when no row's condition holds.
fn otherwise(sheet: &Sheet<'_>, state: StateId, class: &Class) -> Option<String> {
    let cell = sheet.table.cells.iter().find(|cell| {
        (cell.state, cell.event) == (state, class.event) && cell.pattern.matches(class.number())
    })?;
    let kind = match cell.kind {
        CellKind::Ignore => "ignored",
        CellKind::Impossible => "impossible",
        CellKind::Unspecified => "unspecified",
    };
    Some(format!("otherwise {kind}, {}", cell.because))
}

fn row_words(sheet: &Sheet<'_>, row: &Row) -> String {
    let written = sheet.written(row.id);
    let guard =
        if written.guard.is_empty() { String::new() } else { format!(" if {}", written.guard) };
    let does = if written.actions.is_empty() {
        String::new()
    } else {
        format!("; {}", written.actions.join(", "))
    };
    format!("row {}{guard} -> {}{does}", written.id, sheet.state_name(row.to))
}

/// Lines of at most [`WIDTH`] characters, all but the first further to the right.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("      {word}")),
            None => lines.push(format!("  {word}")),
        }
    }
    lines
}
