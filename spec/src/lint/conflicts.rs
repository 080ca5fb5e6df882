//! Two rows for one state, event, payload and answer of the guards: the same row twice, or a
//! conflict.

use crate::code;
use crate::fault::Fault;
use crate::limit;
use crate::lint::Subject;
use crate::lint::doubt::Doubt;
use crate::places::Places;
use crate::read::cover::can_both;
use crate::read::pattern;
use crate::sorted::{Set, Sorted};
use crate::table::{Pattern, Row, RowId};

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let places = Places::new(subject.table);
    let unknown = Doubt::of(subject).guards;
    let mut tried: Sorted<RowId, Set<RowId>> = Sorted::default();
    for (_, _, place) in places.all() {
        if let Some((_, row)) = place.rows.get(limit::CELL_ROWS) {
            let what = format!(
                "`{}` has too many rows for `{}`",
                subject.state(row.from),
                subject.event(row.event)
            );
            faults.push(Fault::limit(subject.row_at(row.id), &what, "rows", limit::CELL_ROWS));
            continue;
        }
        for (nth, (_, row)) in place.rows.iter().enumerate() {
            for (_, earlier) in &place.rows[..nth] {
                let common = pattern::both(&row.pattern, &earlier.pattern);
                // When an unknown guard is true, nobody knows.
                let is_open = unknown.has(&row.id) || unknown.has(&earlier.id);
                if is_open || common.0.is_empty() || faults.len() >= limit::FAULTS {
                    continue;
                }
                let is_new = tried.entry(earlier.id).add(row.id);
                if is_new && can_both(&row.guard, &earlier.guard) {
                    faults.push(fault(subject, earlier, row, &common));
                }
            }
        }
    }
}

fn fault(subject: &Subject<'_>, earlier: &Row, row: &Row, common: &Pattern) -> Fault {
    let state = subject.state(row.from);
    let event = words(subject, row, common);
    let is_twin = Row { id: row.id, ..earlier.clone() } == *row;
    if is_twin {
        return Fault::finding(
            code::DUPLICATE_ROW,
            format!("`{state}` has this row for `{event}` twice"),
        )
        .label(subject.row_at(row.id), format!("{} again", subject.row(row.id)))
        .label(subject.row_at(earlier.id), format!("{} is the same", subject.row(earlier.id)))
        .help("remove one of them");
    }
    Fault::finding(code::CONFLICT, format!("two rows take `{event}` in `{state}`"))
        .label(
            subject.row_at(row.id),
            format!("{} goes to `{}`", subject.row(row.id), subject.state(row.to)),
        )
        .label(
            subject.row_at(earlier.id),
            format!("{} goes to `{}`", subject.row(earlier.id), subject.state(earlier.to)),
        )
        .help(help(subject, earlier, row, common))
}

/// The event with the values that both rows take.
fn words(subject: &Subject<'_>, row: &Row, common: &Pattern) -> String {
    let event = &subject.lookup.vocabulary.events[row.event.index()];
    match &event.payload {
        Some(payload) => {
            format!("{} ({})", event.name.name, pattern::text(common, &payload.domain))
        }
        None => event.name.name.clone(),
    }
}

/// The wider row gives way to the narrower one, where one is wider.
fn help(subject: &Subject<'_>, earlier: &Row, row: &Row, common: &Pattern) -> String {
    let guards = "give them conditions that exclude each other, with `if`";
    let event = &subject.lookup.vocabulary.events[row.event.index()];
    let Some(payload) = &event.payload else { return format!("remove one of them, or {guards}") };
    let wider = match (earlier.pattern == *common, row.pattern == *common) {
        (false, true) => earlier,
        (true, false) => row,
        (true, true) | (false, false) => return format!("remove one of them, or {guards}"),
    };
    let id = wider.id.index();
    let written = subject.lookup.vocabulary.rows.get(id).map_or("", |row| row.event.as_str());
    let without = pattern::text(common, &payload.domain);
    let edit = match pattern::split(written) {
        (name, Some(inner)) if inner.contains(" except ") => {
            format!("{name} ({inner}, {without})")
        }
        (name, Some(inner)) => format!("{name} ({inner} except {without})"),
        (name, None) => format!("{name} (any except {without})"),
    };
    let edit = if edit.contains(',') { format!("\"{edit}\"") } else { edit };
    format!("write `event: {edit}` in {}, or {guards}", subject.row(wider.id))
}
