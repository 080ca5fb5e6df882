//! A copy of a bundled table whose amended table is the bundled one: what it changes, amendments
//! replace, so the check says nothing about the change.

use turnstile_harness::SourceFile;
use turnstile_spec::WrittenTable;
use turnstile_spec::formula::Definition;
use turnstile_spec::table::{Cell, Name, Row, RowId, Table, Vocabulary};
use turnstile_spec::versions::Change;

/// The note on a copy with the amended table of the bundled file.
pub(crate) fn note(copy: &SourceFile, bundled: &SourceFile) -> Option<String> {
    let (written, sound) = (copy.written().ok()?, copy.amended().ok()?);
    let (known, known_sound) = (bundled.written().ok()?, bundled.amended().ok()?);
    let is_same = names(&sound.vocabulary) == names(&known_sound.vocabulary)
        && is_same(&sound.table, &known_sound.table);
    if copy.source.text == bundled.source.text || !is_same {
        return None;
    }
    let mut text = format!("{} gives the same amended table as the bundled file", copy.source.name);
    let changed = (0u16..).map(RowId).zip(&written.vocabulary.rows);
    let changed = changed.filter(|(id, _)| rows(&written.table, *id) != rows(&known.table, *id));
    let replaced: Vec<String> = changed
        .filter_map(|(id, row)| Some(format!("row {} is replaced by {}", row.id, by(written, id)?)))
        .collect();
    if !replaced.is_empty() {
        text = format!("{text}: {}", replaced.join(", "));
    }
    Some(text)
}

/// The amendment that replaces or removes a row.
fn by(table: &WrittenTable, row: RowId) -> Option<&str> {
    let is_meant = |change: &Change| match change {
        Change::Row { before, .. } => *before == row,
        Change::RowRemoved(id) => *id == row,
        Change::RowAdded(_) | Change::Entry { .. } => false,
    };
    let mut amendments = table.amendments.iter();
    let amendment = amendments.find(|amendment| amendment.changes.iter().any(is_meant))?;
    Some(&amendment.id)
}

fn rows(table: &Table, id: RowId) -> Vec<&Row> {
    table.rows.iter().filter(|row| row.id == id).collect()
}

/// Every name to which the ids of a table refer.
fn names(words: &Vocabulary) -> Vec<&str> {
    let resources = words.resources.iter().map(|resource| &resource.name);
    let events = words.events.iter().map(|event| &event.name);
    let rest: [&Vec<Name>; 3] = [&words.states, &words.actions, &words.guards];
    let names = rest.into_iter().flatten().chain(resources).chain(events);
    names.map(|name| name.name.as_str()).collect()
}

/// Whether two tables are equal but for positions and reasons.
fn is_same(one: &Table, other: &Table) -> bool {
    let cells = |table: &Table| -> Vec<Cell> {
        let cells = table.cells.iter().cloned();
        cells
            .map(|cell| Cell { because: String::new(), span: Default::default(), ..cell })
            .collect()
    };
    let of = |list: &[Option<Definition>]| -> Vec<_> {
        list.iter().map(|one| one.as_ref().map(|one| one.formula.clone())).collect()
    };
    let formulas = |table: &Table| {
        let all = &table.formulas;
        [of(&all.rules), of(&all.invariants), of(&all.guards)]
    };
    (&one.states, &one.events, &one.rows) == (&other.states, &other.events, &other.rows)
        && (&one.updates, &one.comparisons) == (&other.updates, &other.comparisons)
        && cells(one) == cells(other)
        && formulas(one) == formulas(other)
}
