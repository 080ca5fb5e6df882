//! Named limits on what a file may declare, so that nothing behind the reader has to ask.

use crate::code;
use crate::fault::{Fault, Span};
use crate::limit;
use crate::raw::{Parts, Table};
use crate::yaml::Word;

pub(super) fn check(raw: &Table, faults: &mut Vec<Fault>) {
    let sources: Vec<&Parts> =
        [&raw.parts].into_iter().chain(raw.amendments.iter().map(|a| &a.add)).collect();
    let names: Vec<(&str, Vec<&Word>)> = vec![
        ("states", words(&sources, |parts| keys(&parts.states))),
        ("sets", words(&sources, |parts| keys(&parts.sets))),
        ("events", words(&sources, |parts| keys(&parts.events))),
        ("actions", words(&sources, |parts| keys(&parts.actions))),
        ("resources", words(&sources, |parts| keys(&parts.resources))),
        ("guards", words(&sources, |parts| keys(&parts.guards))),
    ];
    for (section, words) in &names {
        if let Some(word) = words.get(limit::NAMES) {
            faults.push(Fault::limit(
                word.span,
                &format!("too many {section}"),
                section,
                limit::NAMES,
            ));
        }
        for word in words.iter().filter(|word| word.text.len() > limit::NAME_BYTES) {
            faults.push(Fault::limit(word.span, "a name is too long", "bytes", limit::NAME_BYTES));
        }
    }
    let rows: Vec<Span> = sources
        .iter()
        .flat_map(|parts| parts.rows.iter().map(|row| row.span))
        .chain(raw.amendments.iter().flat_map(|a| a.rows.iter().map(|change| change.set.span)))
        .collect();
    if let Some(span) = rows.get(limit::ROWS) {
        faults.push(Fault::limit(*span, "too many rows", "rows", limit::ROWS));
    }
    if let Some(amendment) = raw.amendments.get(limit::AMENDMENTS) {
        let span = amendment.span;
        faults.push(Fault::limit(span, "too many amendments", "amendments", limit::AMENDMENTS));
    }
    expanded(raw, &sources, faults);
    nothing(&sources, faults);
}

fn keys<T>(named: &[(Word, T)]) -> Vec<&Word> {
    named.iter().map(|(word, _)| word).collect()
}

fn words<'p>(sources: &[&'p Parts], of: fn(&'p Parts) -> Vec<&'p Word>) -> Vec<&'p Word> {
    sources.iter().flat_map(|parts| of(parts)).collect()
}

/// What lists, sets and `any` come to when they are written out.
fn expanded(raw: &Table, sources: &[&Parts], faults: &mut Vec<Fault>) {
    let states: usize = sources.iter().map(|parts| parts.states.len()).sum();
    let size = |word: &Word| match word.text.as_str() {
        "any" => states,
        name => sources
            .iter()
            .flat_map(|parts| &parts.sets)
            .find(|(set, _)| set.text == name)
            .map_or(1, |(_, set)| set.states.len()),
    };
    let product = |states: &[Word], events: &[Word]| -> usize {
        states.iter().map(size).sum::<usize>().saturating_mul(events.len())
    };
    let mut rows = 0usize;
    let mut cells = 0usize;
    for parts in sources {
        for row in &parts.rows {
            rows = rows.saturating_add(product(&row.from, &row.event));
            if rows > limit::EXPANDED_ROWS {
                let what = "the rows, lists and sets written out, are too many";
                faults.push(Fault::limit(row.span, what, "rows", limit::EXPANDED_ROWS));
                return;
            }
        }
        for cell in parts.ignore.iter().chain(&parts.impossible) {
            cells = cells.saturating_add(product(&cell.states, &cell.events));
            if cells > limit::CELLS {
                let what = "the cells, lists and sets written out, are too many";
                faults.push(Fault::limit(cell.span, what, "cells", limit::CELLS));
                return;
            }
        }
    }
    for change in raw.amendments.iter().flat_map(|amendment| &amendment.rows) {
        let from = change.set.from.as_deref().unwrap_or_default();
        let event = change.set.event.as_deref().unwrap_or_default();
        rows = rows.saturating_add(product(from, event).max(1));
        if rows > limit::EXPANDED_ROWS {
            let what = "the rows, lists and sets written out, are too many";
            faults.push(Fault::limit(change.set.span, what, "rows", limit::EXPANDED_ROWS));
            return;
        }
    }
}

/// Rows that leave no state or wait for no event.
fn nothing(sources: &[&Parts], faults: &mut Vec<Fault>) {
    for row in sources.iter().flat_map(|parts| &parts.rows) {
        for (key, words) in [("from", &row.from), ("event", &row.event)] {
            if words.is_empty() {
                let fault = Fault::error(code::WRONG_SHAPE, format!("`{key}` is an empty list"))
                    .label(row.span, "this row stands for nothing")
                    .help(format!("name something in `{key}`, or remove the row"));
                faults.push(fault);
            }
        }
    }
}
