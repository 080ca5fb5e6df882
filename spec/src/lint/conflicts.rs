//! Pairs of rows that match the same state, event, payload and values of the guards: duplicates and
//! conflicts.

use crate::cell_index::CellIndex;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::code;
use crate::limit;
use crate::lint::context::{LintContext, listed};
use crate::lint::naming::unknowns::Unknowns;
use crate::read::pattern;
use crate::scalar::scalar;
use crate::table::{Pattern, Row, RowId};
use crate::vec_map::{VecMap, VecSet};

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let places = CellIndex::new(cx.lookup.vocabulary, cx.table);
    let unknown = Unknowns::of(cx).guards;
    let mut tried: VecMap<RowId, VecSet<RowId>> = VecMap::default();
    let mut conflicts = Conflicts::default();
    for (_, _, place) in places.all() {
        if let Some((_, row)) = place.rows.get(limit::CELL_ROWS) {
            let what =
                format!("`{}` has too many rows for `{}`", cx.state(row.from), cx.event(row.event));
            diagnostics.push(Diagnostic::limit(cx.row_at(row.id), &what, "rows", limit::CELL_ROWS));
            continue;
        }
        for (nth, (_, row)) in place.rows.iter().enumerate() {
            let earlier = || place.rows[..nth].iter().map(|(_, earlier)| *earlier);
            // A duplicate conflicts with what its first row conflicts with.
            let first = earlier().find(|first| is_duplicate(first, row));
            if let Some(first) = first.filter(|_| !unknown.has(&row.id)) {
                if tried.entry(first.id).add(row.id) {
                    diagnostics.push(duplicate(cx, first, row));
                }
                continue;
            }
            for earlier in earlier() {
                let common = pattern::both(&row.pattern, &earlier.pattern);
                // The value of an unknown guard is unknown, too.
                let is_open = unknown.has(&row.id) || unknown.has(&earlier.id);
                if is_open || common.0.is_empty() {
                    continue;
                }
                let is_new = tried.entry(earlier.id).add(row.id);
                if is_new && places.can_both(row, earlier, &common) {
                    conflicts.add(earlier, row, common);
                }
            }
        }
        if diagnostics.len() + conflicts.0.len() >= limit::DIAGNOSTICS {
            break;
        }
    }
    diagnostics.extend(conflicts.0.iter().map(|conflict| diagnostic(cx, &places, conflict)));
}

/// Rows of one cell that conflict.
struct Conflict<'t> {
    /// The row with the widest pattern, if one is: it conflicts with each of the others.
    wider: Option<&'t Row>,
    /// The rows, in the file's order.
    rows: Vec<&'t Row>,
    /// The values that the wider row has in common with one of the others.
    common: Pattern,
}

#[derive(Default)]
struct Conflicts<'t>(Vec<Conflict<'t>>);

impl<'t> Conflicts<'t> {
    /// Adds two rows. The conflicts of one wider row have one fix, so they are one conflict.
    fn add(&mut self, earlier: &'t Row, row: &'t Row, common: Pattern) {
        let wider = match (earlier.pattern == common, row.pattern == common) {
            (false, true) => Some(earlier),
            (true, false) => Some(row),
            (true, true) | (false, false) => None,
        };
        let place = |row: &Row| (row.id, row.from, row.event);
        let is_same = |known: &&mut Conflict<'_>| {
            wider.is_some() && known.wider.map(place) == wider.map(place)
        };
        let Some(known) = self.0.iter_mut().find(is_same) else {
            self.0.push(Conflict { wider, rows: vec![earlier, row], common });
            return;
        };
        for one in [earlier, row] {
            if known.rows.iter().all(|row| row.id != one.id) {
                known.rows.push(one);
            }
        }
        known.common = pattern::tidy([&known.common.0[..], &common.0[..]].concat());
    }
}

fn is_duplicate(earlier: &Row, row: &Row) -> bool {
    Row { id: row.id, ..earlier.clone() } == *row
}

fn duplicate(cx: &LintContext<'_>, earlier: &Row, row: &Row) -> Diagnostic {
    let (state, event) = (cx.state(row.from), words(cx, row, &row.pattern));
    let message = format!("duplicate row for `{event}` in `{state}`");
    Diagnostic::finding(code::DUPLICATE_ROW, message)
        .label(cx.row_at(row.id), format!("{} repeats it", cx.row(row.id)))
        .label(cx.row_at(earlier.id), format!("{} is the first", cx.row(earlier.id)))
        .help("remove one of them")
}

fn diagnostic(cx: &LintContext<'_>, places: &CellIndex<'_>, conflict: &Conflict<'_>) -> Diagnostic {
    let Conflict { rows, common, .. } = conflict;
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let (state, event) = (cx.state(first.from), words(cx, first, common));
    let many = if rows.len() == 2 { "two".to_owned() } else { rows.len().to_string() };
    let declared = &cx.lookup.vocabulary.events[first.event.index()];
    let example = places.example_of_both(first, last, common).words(cx.lookup.vocabulary, declared);
    let message = format!("conflict: {many} rows match `{event}` in `{state}`{example}");
    let difference = |row: &Row| {
        let name = cx.row(row.id);
        if rows.iter().any(|other| other.to != first.to) {
            format!("{name} goes to `{}`", cx.state(row.to))
        } else if rows.iter().any(|other| other.actions != first.actions) {
            let actions = row.actions.iter().map(|call| cx.action(call.action));
            let actions = listed(actions);
            let what = if actions.is_empty() { "has no action" } else { "does " };
            format!("{name} {what}{actions}")
        } else {
            format!("{name} has the same destination and actions")
        }
    };
    let mut diagnostic = Diagnostic::finding(code::CONFLICTING_ROWS, message)
        .label(cx.row_at(last.id), difference(last));
    for row in &rows[..rows.len() - 1] {
        diagnostic = diagnostic.label(cx.row_at(row.id), difference(row));
    }
    diagnostic.help(help(cx, conflict))
}

/// The event with the payload values that both rows match.
fn words(cx: &LintContext<'_>, row: &Row, common: &Pattern) -> String {
    let event = &cx.lookup.vocabulary.events[row.event.index()];
    match &event.payload {
        Some(payload) => {
            format!("{} ({})", event.name.name, pattern::text(common, &payload.domain))
        }
        None => event.name.name.clone(),
    }
}

/// The edit: exclude the common values from the wider row, if one is wider.
fn help(cx: &LintContext<'_>, conflict: &Conflict<'_>) -> String {
    let guards = "give them mutually exclusive conditions (`if`)";
    let event = &cx.lookup.vocabulary.events[conflict.rows[0].event.index()];
    let (Some(payload), Some(wider)) = (&event.payload, conflict.wider) else {
        return format!("remove one of them, or {guards}");
    };
    if pattern::minus(&wider.pattern, &conflict.common).0.is_empty() {
        let row = cx.row(wider.id);
        return format!("remove {row}, whose values the others match, or {guards}");
    }
    let id = wider.id.index();
    let written = cx.lookup.vocabulary.rows.get(id).map_or("", |row| row.event.as_str());
    let without = pattern::text(&conflict.common, &payload.domain);
    let edit = match pattern::split(written) {
        (name, Some(inner)) if inner.contains(" except ") => {
            format!("{name} ({inner}, {without})")
        }
        (name, Some(inner)) => format!("{name} ({inner} except {without})"),
        (name, None) => format!("{name} (any except {without})"),
    };
    format!("write `event: {}` in {}, or {guards}", scalar(&edit), cx.row(wider.id))
}
