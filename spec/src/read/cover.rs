//! Which payloads of a cell are taken, decided exactly over values and over every answer of the guards.

use std::collections::BTreeSet;

use crate::limit;
use crate::read::pattern;
use crate::table::{EventId, Guard, GuardId, Pattern, Row, StateId, Table};

/// The rows and cells of one state and event.
pub(crate) struct Place<'t> {
    pub(crate) rows: Vec<&'t Row>,
    pub(crate) cells: Vec<&'t crate::table::Cell>,
}

/// Everything said of each state and event.
pub(crate) struct Index<'t> {
    places: std::collections::BTreeMap<(StateId, EventId), Place<'t>>,
}

impl<'t> Index<'t> {
    pub(crate) fn new(table: &'t Table) -> Self {
        let mut places = std::collections::BTreeMap::<_, Place<'t>>::new();
        let empty = || Place { rows: Vec::new(), cells: Vec::new() };
        for row in &table.rows {
            places.entry((row.from, row.event)).or_insert_with(empty).rows.push(row);
        }
        for cell in &table.cells {
            places.entry((cell.state, cell.event)).or_insert_with(empty).cells.push(cell);
        }
        Self { places }
    }

    pub(crate) fn at(&self, state: StateId, event: EventId) -> Option<&Place<'t>> {
        self.places.get(&(state, event))
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = (StateId, EventId, &Place<'t>)> {
        self.places.iter().map(|((state, event), place)| (*state, *event, place))
    }
}

/// The values of `of` that neither a row nor a cell takes, whatever the guards answer.
/// Nothing where there are more rows than [`limit::CELL_ROWS`]: that is a fault of its own.
pub(crate) fn unsaid(rows: &[&Row], cells: &[&crate::table::Cell], of: &Pattern) -> Pattern {
    if rows.len() > limit::CELL_ROWS {
        return Pattern::default();
    }
    let mut left = of.clone();
    for row in rows.iter().filter(|row| is_always(&row.guard)) {
        left = pattern::minus(&left, &row.pattern);
    }
    for cell in cells {
        left = pattern::minus(&left, &cell.pattern);
    }
    let guarded: Vec<&Row> = rows.iter().copied().filter(|row| !is_always(&row.guard)).collect();
    let taken = pieces(&guarded, &left).into_iter().filter(|piece| {
        let number = piece.0.first().map_or(0, |range| *range.start());
        let rows = guarded.iter().filter(|row| row.pattern.matches(number));
        covers(&rows.map(|row| &row.guard).collect::<Vec<_>>())
    });
    taken.fold(left.clone(), |left, piece| pattern::minus(&left, &piece))
}

/// `left` cut at every edge of the rows' patterns.
fn pieces(rows: &[&Row], left: &Pattern) -> Vec<Pattern> {
    let mut pieces = vec![left.clone()];
    for row in rows {
        pieces = pieces
            .iter()
            .flat_map(|piece| {
                [pattern::both(piece, &row.pattern), pattern::minus(piece, &row.pattern)]
            })
            .filter(|piece| !piece.0.is_empty())
            .collect();
    }
    pieces
}

/// Whether a condition is nothing but true.
pub(crate) fn is_always(guard: &Guard) -> bool {
    matches!(guard, Guard::All(parts) if parts.iter().all(is_always))
}

/// Whether both conditions can be true at once. Too many guards: they can.
pub(crate) fn can_both(a: &Guard, b: &Guard) -> bool {
    let Some(ids) = few(&[a, b]) else { return true };
    answers(&ids).any(|answer| answer.holds(a) && answer.holds(b))
}

/// Whether one of the conditions is true whatever the guards answer. Too many guards: none is.
fn covers(guards: &[&Guard]) -> bool {
    let Some(ids) = few(guards) else { return false };
    answers(&ids).all(|answer| guards.iter().any(|guard| answer.holds(guard)))
}

/// One answer to every guard.
struct Answer<'i> {
    ids: &'i [GuardId],
    bits: u32,
}

impl Answer<'_> {
    fn holds(&self, guard: &Guard) -> bool {
        guard.holds(&mut |id| match self.ids.iter().position(|other| *other == id) {
            Some(at) => self.bits >> at & 1 == 1,
            None => false,
        })
    }
}

/// The guards that some conditions ask; `None` where they are too many to try every answer.
fn few(of: &[&Guard]) -> Option<Vec<GuardId>> {
    let mut ids = BTreeSet::new();
    of.iter().for_each(|guard| asked(guard, &mut ids));
    (ids.len() <= limit::CELL_GUARDS).then(|| ids.into_iter().collect())
}

/// Every way to answer some guards.
fn answers(ids: &[GuardId]) -> impl Iterator<Item = Answer<'_>> {
    (0u32..1 << ids.len()).map(move |bits| Answer { ids, bits })
}

/// The guards that a condition asks.
pub(crate) fn asked(guard: &Guard, ids: &mut BTreeSet<GuardId>) {
    match guard {
        Guard::Is(id) => {
            ids.insert(*id);
        }
        Guard::All(parts) | Guard::Any(parts) => parts.iter().for_each(|part| asked(part, ids)),
        Guard::Not(part) => asked(part, ids),
    }
}
