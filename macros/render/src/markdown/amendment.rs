//! An amendment or a reading before and after, as lines of a difference.

use turnstile_spec::WrittenTable;
use turnstile_spec::table::{RowId, RowSource};
use turnstile_spec::versions::{Amendment, Change, Reading};

use super::formula::{Stated, difference};
use super::inline::{escaped, lines};
use crate::sheet::Sheet;

/// An amendment as a page has it.
pub(crate) struct Amended {
    pub(crate) id: String,
    pub(crate) because: String,
    pub(crate) shown_by: String,
    pub(crate) needs: String,
    pub(crate) changes: Vec<String>,
}

/// A reading as a page has it.
pub(crate) struct Read {
    pub(crate) id: String,
    pub(crate) is: String,
    pub(crate) cite: String,
    pub(crate) differs: String,
    pub(crate) without: String,
    pub(crate) changes: Vec<String>,
}

/// The amendment that changes or removes a row of the document, or nothing.
pub(crate) fn of_literal(sheet: &Sheet<'_>, row: &RowSource) -> String {
    let hits = |change: &Change| match change {
        Change::Row { before, .. } => sheet.written(*before) == row,
        Change::RowRemoved(before) => sheet.written(*before) == row,
        Change::RowAdded(_) | Change::Entry { .. } => false,
    };
    let by = sheet.amendments.iter().find(|amendment| amendment.changes.iter().any(hits));
    by.map_or(String::new(), |amendment| amendment.id.clone())
}

fn code(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The readings in words; nothing of one that does not fit the table, which lint reports.
pub(crate) fn readings(written: &WrittenTable) -> Vec<Read> {
    written.readings.iter().filter_map(|reading| read(written, reading)).collect()
}

fn read(written: &WrittenTable, reading: &Reading) -> Option<Read> {
    let in_reading = written.in_reading(&reading.id)?.ok()?;
    let sheet = Sheet::of(&in_reading);
    // The table that it changes is the amended one.
    let amended = Sheet::of(written);
    let before = (&amended.vocabulary.formulas, &amended.table.formulas);
    Some(Read {
        id: escaped(&reading.id),
        is: reading.is.clone(),
        cite: lines(&reading.cite),
        differs: code(&reading.differs),
        without: code(&reading.without),
        changes: changes((Some(before), &sheet), in_reading.amendments.last()?),
    })
}

/// An amendment in words.
pub(crate) fn amended(sheet: &Sheet<'_>, amendment: &Amendment) -> Amended {
    let names = &sheet.vocabulary.formulas;
    let before = sheet.literal.map(|literal| (names, &literal.table.formulas));
    Amended {
        id: escaped(&amendment.id),
        because: amendment.because.clone(),
        shown_by: code(&amendment.shown_by),
        needs: code(&amendment.needs),
        changes: changes((before, sheet), amendment),
    }
}

/// What it takes away with `-`, what it puts there with `+`.
fn changes(
    (before, sheet): (Option<Stated<'_>>, &Sheet<'_>),
    amendment: &Amendment,
) -> Vec<String> {
    let after = (&sheet.vocabulary.formulas, &sheet.table.formulas);
    let mut rows: Vec<(char, RowId)> = Vec::new();
    let mut entries = Vec::new();
    for change in &amendment.changes {
        match change {
            Change::Row { before, after } => rows.extend([('-', *before), ('+', *after)]),
            Change::RowAdded(row) => rows.push(('+', *row)),
            Change::RowRemoved(row) => rows.push(('-', *row)),
            Change::Entry { how, section, name, about } => {
                entries.push(entry(how, section, name, about));
                entries.extend(difference((before, after), section, name));
            }
        }
    }
    let cells: Vec<[String; 4]> =
        rows.iter().map(|(_, row)| columns(sheet.written(*row))).collect();
    let width =
        |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let line = |((sign, _), [from, to, event, does]): (&(char, RowId), &[String; 4])| {
        let [a, b, c] = widths;
        format!("{sign} {from:<a$} | {to:<b$} | {event:<c$} | {does}")
    };
    rows.iter().zip(&cells).map(line).chain(entries).collect()
}

fn columns(row: &RowSource) -> [String; 4] {
    let event = match row.guard.as_str() {
        "" => row.event.clone(),
        guard => format!("{} [{guard}]", row.event),
    };
    let does = if row.actions.is_empty() { "-".to_owned() } else { row.actions.join(", ") };
    [row.from.clone(), row.to.clone(), event, does]
}

fn entry(how: &str, section: &str, name: &str, about: &str) -> String {
    let sign = match how {
        "added" => '+',
        "removed" => '-',
        _ => '!',
    };
    let about = if about.is_empty() { String::new() } else { format!(": {about}") };
    format!("{sign} {section}: {name}{about}")
}
