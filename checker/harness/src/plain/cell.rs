//! The content of one cell: the outcomes of an event in a state, by classes of its payload.
//!
//! The five hundred statuses of a response are a few equivalence classes of the table; the search
//! takes one member of each. The classes are exact, because they are bounded by the patterns.

use turnstile_spec::cell_index::CellEntry;
use turnstile_spec::guard_values::GuardValues;
use turnstile_spec::table::{CellKind, Event, GuardId, Pattern, Row};

/// The most guards of one cell; 2 to this power assignments are tried.
pub const MAX_GUARDS: usize = 12;

/// The outcome of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellOutcome {
    /// A row is taken, by its index in [`turnstile_spec::Table::rows`].
    Row(usize),
    /// The cell is ignored, by its index in [`turnstile_spec::Table::cells`].
    Ignored(usize),
    /// The cell is declared impossible, by its index in [`turnstile_spec::Table::cells`].
    Impossible(usize),
    /// The event is unhandled.
    Missing,
}

/// An equivalence class of payloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadClass {
    /// Its payloads.
    pub pattern: Pattern,
    /// The outcomes of each: several if guards decide or rows overlap.
    pub outcomes: Vec<CellOutcome>,
}

impl PayloadClass {
    /// The representative: the smallest member.
    #[must_use]
    pub fn number(&self) -> u16 {
        self.pattern.0.first().map_or(0, |range| *range.start())
    }
}

/// The classes of a state and event, by their smallest member.
#[must_use]
pub fn classes(
    place: &CellEntry<'_>,
    event: &Event,
    values: &GuardValues<'_>,
) -> Vec<PayloadClass> {
    let bounds = event.payload.as_ref().map_or((0, 0), |payload| payload.domain.bounds());
    let mut classes: Vec<PayloadClass> = Vec::new();
    for range in place.pieces(bounds) {
        let payload = Pattern(vec![range.0..=range.1]);
        let outcomes = possible(place, range.0, &|_| None, Some((values, &payload)));
        match classes.iter_mut().find(|class| class.outcomes == outcomes) {
            Some(class) => extend(&mut class.pattern, range),
            None => {
                classes.push(PayloadClass { pattern: Pattern(vec![range.0..=range.1]), outcomes })
            }
        }
    }
    classes
}

/// Adds a range after all others, merged with the last if they are adjacent.
fn extend(pattern: &mut Pattern, (start, end): (u16, u16)) {
    match pattern.0.last_mut() {
        Some(last) if last.end().checked_add(1) == Some(start) => *last = *last.start()..=end,
        _ => pattern.0.push(start..=end),
    }
}

/// The outcomes of one payload, over all values of the guards whose value is not known.
pub fn outcomes(
    place: &CellEntry<'_>,
    number: u16,
    known: &dyn Fn(GuardId) -> Option<bool>,
) -> Vec<CellOutcome> {
    possible(place, number, known, None)
}

/// The same, over the values that the guards can have together for some payload of a pattern.
fn possible(
    place: &CellEntry<'_>,
    number: u16,
    known: &dyn Fn(GuardId) -> Option<bool>,
    values: Option<(&GuardValues<'_>, &Pattern)>,
) -> Vec<CellOutcome> {
    let rows = place.rows.iter().copied().filter(|(_, row)| row.pattern.matches(number));
    let rows: Vec<(usize, &Row)> = rows.collect();
    let otherwise = said(place, number);
    let mut guards = Vec::new();
    rows.iter().for_each(|(_, row)| row.guard.asked(&mut guards));
    guards.retain(|guard| known(*guard).is_none());
    let mut found = Vec::new();
    if guards.len() > MAX_GUARDS {
        found.extend(rows.iter().map(|(place, _)| CellOutcome::Row(*place)));
        found.push(otherwise);
    } else {
        let is_possible = values.map(|(values, payload)| values.possible(&guards, payload));
        let is_possible = |answers: &usize| is_possible.as_ref().is_none_or(|is| is(*answers));
        for answers in (0..1_usize << guards.len()).filter(is_possible) {
            let mut answer = |guard: GuardId| {
                let open = |bit: usize| answers >> bit & 1 == 1;
                known(guard).unwrap_or_else(|| guards.binary_search(&guard).is_ok_and(open))
            };
            let before = found.len();
            for (place, row) in &rows {
                if row.guard.holds(&mut answer) {
                    found.push(CellOutcome::Row(*place));
                }
            }
            if found.len() == before {
                found.push(otherwise);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The outcome if no row applies.
fn said(place: &CellEntry<'_>, number: u16) -> CellOutcome {
    match place.cells.iter().find(|(_, cell)| cell.pattern.matches(number)) {
        Some((place, cell)) if cell.kind == CellKind::Ignore => CellOutcome::Ignored(*place),
        Some((place, cell)) if cell.kind == CellKind::Impossible => CellOutcome::Impossible(*place),
        Some(_) | None => CellOutcome::Missing,
    }
}
