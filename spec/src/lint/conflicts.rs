//! Pairs of rows that match the same state, event, payload and values of the guards: duplicates and
//! conflicts.

use crate::cell_index::CellIndex;
use crate::code;
use crate::diagnostic::Diagnostic;
use crate::limit;
use crate::lint::LintContext;
use crate::lint::unknowns::Unknowns;
use crate::read::cover::can_both;
use crate::read::pattern;
use crate::table::{Pattern, Row, RowId};
use crate::vec_map::{VecMap, VecSet};

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let places = CellIndex::new(cx.table);
    let unknown = Unknowns::of(cx).guards;
    let mut tried: VecMap<RowId, VecSet<RowId>> = VecMap::default();
    for (_, _, place) in places.all() {
        if let Some((_, row)) = place.rows.get(limit::CELL_ROWS) {
            let what =
                format!("`{}` has too many rows for `{}`", cx.state(row.from), cx.event(row.event));
            diagnostics.push(Diagnostic::limit(cx.row_at(row.id), &what, "rows", limit::CELL_ROWS));
            continue;
        }
        for (nth, (_, row)) in place.rows.iter().enumerate() {
            for (_, earlier) in &place.rows[..nth] {
                let common = pattern::both(&row.pattern, &earlier.pattern);
                // The value of an unknown guard is unknown, too.
                let is_open = unknown.has(&row.id) || unknown.has(&earlier.id);
                if is_open || common.0.is_empty() || diagnostics.len() >= limit::DIAGNOSTICS {
                    continue;
                }
                let is_new = tried.entry(earlier.id).add(row.id);
                if is_new && can_both(&row.guard, &earlier.guard) {
                    diagnostics.push(diagnostic(cx, earlier, row, &common));
                }
            }
        }
    }
}

fn diagnostic(cx: &LintContext<'_>, earlier: &Row, row: &Row, common: &Pattern) -> Diagnostic {
    let state = cx.state(row.from);
    let event = words(cx, row, common);
    let is_twin = Row { id: row.id, ..earlier.clone() } == *row;
    if is_twin {
        return Diagnostic::finding(
            code::DUPLICATE_ROW,
            format!("duplicate row for `{event}` in `{state}`"),
        )
        .label(cx.row_at(row.id), format!("{} repeats it", cx.row(row.id)))
        .label(cx.row_at(earlier.id), format!("{} is the first", cx.row(earlier.id)))
        .help("remove one of them");
    }
    Diagnostic::finding(
        code::CONFLICTING_ROWS,
        format!("conflict: two rows match `{event}` in `{state}`"),
    )
    .label(cx.row_at(row.id), format!("{} goes to `{}`", cx.row(row.id), cx.state(row.to)))
    .label(
        cx.row_at(earlier.id),
        format!("{} goes to `{}`", cx.row(earlier.id), cx.state(earlier.to)),
    )
    .help(help(cx, earlier, row, common))
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
fn help(cx: &LintContext<'_>, earlier: &Row, row: &Row, common: &Pattern) -> String {
    let guards = "give them mutually exclusive conditions (`if`)";
    let event = &cx.lookup.vocabulary.events[row.event.index()];
    let Some(payload) = &event.payload else { return format!("remove one of them, or {guards}") };
    let wider = match (earlier.pattern == *common, row.pattern == *common) {
        (false, true) => earlier,
        (true, false) => row,
        (true, true) | (false, false) => return format!("remove one of them, or {guards}"),
    };
    let id = wider.id.index();
    let written = cx.lookup.vocabulary.rows.get(id).map_or("", |row| row.event.as_str());
    let without = pattern::text(common, &payload.domain);
    let edit = match pattern::split(written) {
        (name, Some(inner)) if inner.contains(" except ") => {
            format!("{name} ({inner}, {without})")
        }
        (name, Some(inner)) => format!("{name} ({inner} except {without})"),
        (name, None) => format!("{name} (any except {without})"),
    };
    let edit = if edit.contains(',') { format!("\"{edit}\"") } else { edit };
    format!("write `event: {edit}` in {}, or {guards}", cx.row(wider.id))
}
