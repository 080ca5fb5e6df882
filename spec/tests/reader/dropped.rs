//! A row that is forgotten is noticed: every row of several tables is dropped, one at a time, and
//! the reader says something each time, a fault or a warning.

use std::collections::BTreeMap;

use turnstile_spec::diagnostic::Severity;
use turnstile_spec::{Diagnostic, Source, WrittenTable};

/// The diagnostics of a text: errors, else findings on the amended table, else warnings.
fn said(text: &str) -> Vec<Diagnostic> {
    let literal = match WrittenTable::read(Source::new("dropped.yaml", text)) {
        Err(faults) => return faults.list,
        Ok(literal) => literal,
    };
    match literal.amended() {
        Err(faults) => faults.list,
        Ok(sound) => {
            let is_warning = |fault: &Diagnostic| fault.severity != Severity::Note;
            sound.warnings.into_iter().filter(is_warning).collect()
        }
    }
}

/// The text without a row: with the dash before it, and the line where it stands alone.
fn without(text: &str, start: usize, end: usize) -> Option<String> {
    let dash = text[..start].rfind('-')?;
    text[dash + 1..start].trim().is_empty().then(|| text[..dash].to_owned() + &text[end..])
}

/// Drops each row that the amended table has as it is written there; how many are noticed, and how,
/// and the rows that are not.
fn drop_each(name: &str, text: &str) -> (usize, usize, Vec<String>) {
    let literal = WrittenTable::read(Source::new(name, text)).expect("readable");
    let before = said(text);
    assert_eq!(before, [], "{name} is not clean");
    let table = literal.without(&[]).table;
    let rows = literal.vocabulary.rows.iter().enumerate();
    let is_there = |place: usize| table.rows.iter().any(|row| row.id.index() == place);
    let (mut noticed, mut dropped, mut unseen) = (0, 0, Vec::new());
    let mut how: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, row) in rows.filter(|(place, row)| is_there(*place) && !row.id.contains('/')) {
        let (start, end) = (row.span.start as usize, row.span.end as usize);
        let Some(text) = without(text, start, end) else { continue };
        let said = said(&text);
        // An empty section is another slip.
        if said.iter().any(|fault| fault.code == "T007" || fault.code == "T006") {
            continue;
        }
        dropped += 1;
        match said.first() {
            Some(fault) => {
                noticed += 1;
                *how.entry(fault.code).or_default() += 1;
            }
            None => unseen.push(format!("{}: {} on {}", row.id, row.from, row.event)),
        }
    }
    println!(
        "{name}: {noticed} of {dropped} dropped rows noticed, by {how:?}; unseen: {unseen:#?}"
    );
    (noticed, dropped, unseen)
}

#[test]
fn a_dropped_row_of_our_own_tables_is_noticed() {
    let tables = [
        ("session", include_str!("../tables/session.yaml"), 18),
        ("printer", include_str!("../tables/printer.yaml"), 16),
        // `held` is the only state that holds what it holds, and few states are `revoked`.
        ("lease", include_str!("../tables/lease.yaml"), 14),
    ];
    for (name, text, rows) in tables {
        let (noticed, _, unseen) = drop_each(name, text);
        assert!(noticed >= rows, "{name}: {noticed}, not seen: {unseen:?}");
    }
}

#[test]
fn a_dropped_row_of_the_bundled_tables_is_noticed() {
    let (mut noticed, mut dropped) = (0, 0);
    for table in turnstile_bundled::TABLES {
        let (some, all, _) = drop_each(table.name, table.text);
        noticed += some;
        dropped += all;
    }
    println!("{noticed} of {dropped}");
    assert!(dropped > 150, "{dropped}");
    // What stays unseen is one of several rows with conditions whose rest a cell covers by name.
    assert!(noticed * 100 >= dropped * 90, "{noticed} of {dropped}");
}
