//! What a table says of one state and event, with the payloads put into classes.
//!
//! The five hundred statuses of a response fall into a handful of classes that the table treats
//! alike; one member of each is tried. The classes are exact: they follow the ends of the
//! patterns, so no payload is left out.

use turnstile_spec::cell_index::CellEntry;
use turnstile_spec::table::{CellKind, Event, GuardId, Pattern, Row};

/// Guards that one cell may ask; 2 to this power answers are tried.
pub const MAX_GUARDS: usize = 12;

/// What may come of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellOutcome {
    /// A row is taken, by its place in [`turnstile_spec::Table::rows`].
    Row(usize),
    /// A cell says that nothing changes, by its place in [`turnstile_spec::Table::cells`].
    Ignored(usize),
    /// A cell says that it cannot come, by its place in [`turnstile_spec::Table::cells`].
    Impossible(usize),
    /// Nothing is said.
    Missing,
}

/// Payloads that the table treats alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadClass {
    /// All of them.
    pub pattern: Pattern,
    /// What may come of one: more than one where guards decide or rows overlap.
    pub outcomes: Vec<CellOutcome>,
}

impl PayloadClass {
    /// The member that is tried: the smallest.
    #[must_use]
    pub fn number(&self) -> u16 {
        self.pattern.0.first().map_or(0, |range| *range.start())
    }
}

/// The classes of a state and event, by their smallest member.
#[must_use]
pub fn classes(place: &CellEntry<'_>, event: &Event) -> Vec<PayloadClass> {
    let bounds = event.payload.as_ref().map_or((0, 0), |payload| payload.domain.bounds());
    let mut classes: Vec<PayloadClass> = Vec::new();
    for range in place.pieces(bounds) {
        let outcomes = outcomes(place, range.0, &|_| None);
        match classes.iter_mut().find(|class| class.outcomes == outcomes) {
            Some(class) => extend(&mut class.pattern, range),
            None => {
                classes.push(PayloadClass { pattern: Pattern(vec![range.0..=range.1]), outcomes })
            }
        }
    }
    classes
}

/// Adds a range that lies behind all others, joined to the last where they touch.
fn extend(pattern: &mut Pattern, (start, end): (u16, u16)) {
    match pattern.0.last_mut() {
        Some(last) if last.end().checked_add(1) == Some(start) => *last = *last.start()..=end,
        _ => pattern.0.push(start..=end),
    }
}

/// What may come of one payload, over all answers of the guards whose value is not known.
pub fn outcomes(
    place: &CellEntry<'_>,
    number: u16,
    known: &dyn Fn(GuardId) -> Option<bool>,
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
        for answers in 0..1_u32 << guards.len() {
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

/// What is said beside the rows.
fn said(place: &CellEntry<'_>, number: u16) -> CellOutcome {
    match place.cells.iter().find(|(_, cell)| cell.pattern.matches(number)) {
        Some((place, cell)) if cell.kind == CellKind::Ignore => CellOutcome::Ignored(*place),
        Some((place, _)) => CellOutcome::Impossible(*place),
        None => CellOutcome::Missing,
    }
}
