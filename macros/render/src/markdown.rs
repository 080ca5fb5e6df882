//! A table as a page: the document's states and rows with its lines, the findings, and each
//! amendment with its reason, before and after.

mod amendment;
mod formula;
mod inline;

use askama::Template;
use turnstile_spec::table::{
    Cell, CellKind, Event, EventId, EventKind, Name, PayloadDomain, RowSource, StateId,
};

use crate::file_name::{OVERVIEW, stem};
use crate::payload::Class;
use crate::sheet::{Sheet, counts};

use amendment::{Amended, Read};
use formula::{Answer, GuardLine, Statement};
use inline::{dash, escaped, in_cell, lines, link, target};

#[derive(Template)]
#[template(path = "table.md", escape = "none")]
struct Page<'a> {
    header: &'a str,
    machine: String,
    intro: String,
    picture: Option<String>,
    /// Where the whole picture is too big for the page.
    overview: Option<String>,
    matrix: Option<String>,
    has_about: bool,
    has_guard: bool,
    has_amended: bool,
    states: Vec<StateLine>,
    events: Vec<EventLine>,
    rows: Vec<RowLine>,
    cells: Vec<CellLine>,
    guards: Vec<GuardLine>,
    answers: Vec<Answer>,
    statements: Vec<Statement>,
    /// What the table's file is called.
    file: String,
    findings: Vec<FindingLine>,
    amendments: Vec<Amended>,
    readings: Vec<Read>,
    amended: Vec<RowLine>,
}

struct StateLine {
    name: String,
    about: String,
    holds: String,
    cite: String,
}

struct EventLine {
    name: String,
    carries: String,
    from: String,
}

struct RowLine {
    id: String,
    from: String,
    to: String,
    event: String,
    guard: String,
    does: String,
    amended: String,
}

struct CellLine {
    states: String,
    event: String,
    kind: &'static str,
    because: String,
}

struct FindingLine {
    code: &'static str,
    /// Lines of the document, where it is about something that cites any.
    cite: String,
    /// The line of the table's file.
    line: String,
    message: String,
}

/// The files beside a page, to which it links.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Links {
    /// The picture of the whole table.
    pub(crate) picture: bool,
    /// The overview, which the page shows instead of a picture that is too big.
    pub(crate) overview: bool,
    /// The matrix of states and events.
    pub(crate) matrix: bool,
}

/// The page of a table.
pub(crate) fn markdown(sheet: &Sheet<'_>, header: &str, links: Links) -> String {
    let written = sheet.back_as_written();
    let rows = written.written_rows();
    let amended = sheet.written_rows();
    let stem = stem(sheet.machine());
    let page = Page {
        header,
        machine: escaped(sheet.machine()),
        intro: intro(&written),
        picture: links.picture.then(|| target(&format!("{stem}.svg"))),
        overview: links.overview.then(|| target(&format!("{stem}.{OVERVIEW}.svg"))),
        matrix: links.matrix.then(|| target(&format!("{stem}.matrix.txt"))),
        has_about: sheet.states().any(|state| !sheet.about(state).is_empty()),
        has_guard: rows.iter().chain(&amended).any(|row| !row.guard.is_empty()),
        has_amended: !sheet.amendments.is_empty(),
        states: written.states().map(|state| state_line(&written, state)).collect(),
        events: sheet.events().map(|(_, event)| event_line(sheet, event)).collect(),
        rows: rows.iter().map(|row| row_line(row, &amendment::of_literal(sheet, row))).collect(),
        cells: cells(&written),
        guards: formula::guards(&written),
        answers: formula::answers(sheet),
        statements: formula::statements(&written),
        file: file(sheet),
        findings: findings(sheet),
        amendments: sheet.amendments.iter().map(|one| amendment::amended(sheet, one)).collect(),
        readings: sheet.literal.map(amendment::readings).unwrap_or_default(),
        amended: amended
            .iter()
            .map(|row| row_line(row, row.amended_by.as_deref().unwrap_or("")))
            .collect(),
    };
    page.render().expect("writing to a string does not fail")
}

fn intro(written: &Sheet<'_>) -> String {
    let states = written.states().filter(|state| written.vocabulary.states[state.index()].declared);
    let from = written.document.map_or(String::new(), |document| {
        let section = match document.section.as_str() {
            "" => String::new(),
            section => format!(", section \u{201c}{section}\u{201d}"),
        };
        let title = match document.title.as_str() {
            "" => String::new(),
            title => format!(", \u{201c}{title}\u{201d}"),
        };
        let lines = if document.cite.is_empty() {
            String::new()
        } else {
            format!(" (line {})", lines(&document.cite))
        };
        format!("From `{}`{title}{section}{lines}. ", document.file)
    });
    format!(
        "{from}As written: {}, {}, {}; {}.",
        counts(states.count(), "state"),
        counts(written.written_rows().len(), "row"),
        counts(written.findings.len(), "finding"),
        counts(written.amendments.len(), "amendment"),
    )
}

fn state_line(written: &Sheet<'_>, id: StateId) -> StateLine {
    let name: &Name = &written.vocabulary.states[id.index()];
    let state = written.state(id);
    let marks = [
        (!name.declared, "not declared"),
        (state.is_some_and(|state| state.initial), "initial"),
        (state.is_some_and(|state| state.is_final), "final"),
    ];
    let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
    let mark = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    StateLine {
        name: escaped(&name.name) + &mark,
        about: escaped(&written.about(id)),
        holds: dash(&escaped(&written.holds(id).join(", "))),
        cite: lines(&name.cite),
    }
}

fn event_line(sheet: &Sheet<'_>, event: &Event) -> EventLine {
    let carries = event.payload.as_ref().map_or(String::new(), |payload| {
        let domain = match &payload.domain {
            PayloadDomain::Number(range) => format!("{} to {}", range.start(), range.end()),
            PayloadDomain::Bool => "true or false".to_owned(),
            PayloadDomain::Words(words) => {
                words.iter().map(|word| word.name.as_str()).collect::<Vec<_>>().join(", ")
            }
        };
        format!("{}: {domain}", payload.field)
    });
    let consumed: Vec<&str> = event
        .consumes
        .iter()
        .map(|id| sheet.vocabulary.resources[id.index()].name.name.as_str())
        .collect();
    let from = match event.kind {
        EventKind::Command => "the user or the environment".to_owned(),
        EventKind::Consuming => consumed.join(", "),
        EventKind::Completion => "nobody: the rows without an event, which are taken as soon as \
                                  their state is entered"
            .to_owned(),
        EventKind::Message => match tellers(sheet, event).as_slice() {
            [] => "a message from another machine".to_owned(),
            tellers => format!("another instance, by {}", tellers.join(", ")),
        },
    };
    EventLine {
        name: escaped(&event.name.name),
        carries: dash(&escaped(&carries)),
        from: escaped(&from),
    }
}

/// The actions by which another instance of the machine tells this one of it.
fn tellers<'a>(sheet: &Sheet<'a>, event: &Event) -> Vec<&'a str> {
    let words = sheet.vocabulary;
    let is_told = |id: &EventId| words.events[id.index()].name.name == event.name.name;
    let tells = words.tells.iter().filter(|(_, told)| is_told(told));
    tells.map(|(action, _)| words.actions[action.index()].name.as_str()).collect()
}

fn row_line(row: &RowSource, amendment: &str) -> RowLine {
    RowLine {
        id: escaped(&row.id),
        from: escaped(&row.from),
        to: escaped(&row.to),
        event: escaped(&row.event),
        guard: escaped(&row.guard),
        does: dash(&escaped(&row.actions.join(", "))),
        amended: link(amendment),
    }
}

/// Cells with the same event, kind and reason in one line.
fn cells(written: &Sheet<'_>) -> Vec<CellLine> {
    let mut groups: Vec<(Vec<&str>, &Cell)> = Vec::new();
    for cell in &written.table.cells {
        let same = |other: &Cell| {
            (other.event, other.kind, &other.pattern) == (cell.event, cell.kind, &cell.pattern)
                && other.because == cell.because
        };
        let name = written.state_name(cell.state);
        match groups.iter_mut().find(|(_, other)| same(other)) {
            Some((states, _)) => states.push(name),
            None => groups.push((vec![name], cell)),
        }
    }
    let line = |(states, cell): &(Vec<&str>, &Cell)| CellLine {
        states: escaped(&states.join(", ")),
        event: escaped(
            &written.class_name(&Class { event: cell.event, pattern: cell.pattern.clone() }),
        ),
        kind: match cell.kind {
            CellKind::Ignore => "ignored",
            CellKind::Impossible => "impossible",
            CellKind::Unspecified => "unspecified",
        },
        because: escaped(&cell.because),
    };
    groups.iter().map(line).collect()
}

fn findings(sheet: &Sheet<'_>) -> Vec<FindingLine> {
    let line = |finding: &turnstile_spec::Diagnostic| FindingLine {
        code: finding.code,
        cite: dash(&cited(sheet, finding)),
        line: sheet
            .source
            .map_or(String::new(), |source| source.position(finding.span()).0.to_string()),
        message: in_cell(&finding.message),
    };
    sheet.findings.iter().map(line).collect()
}

/// What the table's file is called, without the folders.
fn file(sheet: &Sheet<'_>) -> String {
    let name = sheet.source.map_or("", |source| source.name.as_str());
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    escaped(if file.is_empty() { "the table's file" } else { file })
}

/// The document's lines of the row or the name that a finding points at.
fn cited(sheet: &Sheet<'_>, finding: &turnstile_spec::Diagnostic) -> String {
    let (at, words) = (finding.span(), sheet.vocabulary);
    let rows = words.rows.iter().filter(|row| row.amended_by.is_none());
    let rows = rows.map(|row| (row.span, &row.cite));
    let plain = words.states.iter().chain(&words.actions).chain(&words.guards);
    let names = plain
        .chain(words.events.iter().map(|event| &event.name))
        .chain(words.resources.iter().map(|resource| &resource.name))
        .map(|name| (name.span, &name.cite));
    let mut all = names.chain(rows);
    let found = all.find(|(span, _)| span.start <= at.start && at.end <= span.end);
    found.map_or(String::new(), |(_, cite)| lines(cite))
}
