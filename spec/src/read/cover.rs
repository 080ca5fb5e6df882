//! Decides exactly which payloads of a cell are handled, over all payload values and all values
//! that the guards can have together.

use crate::cell_entry::CellEntry;
use crate::guard_values::{Example, GuardValues};
use crate::limit;
use crate::read::pattern;
use crate::table::{Condition, GuardId, Pattern, Row};

/// The values of `of` that no row or entry handles for some values of the guards. Empty if there
/// are more rows than [`limit::CELL_ROWS`], which is reported separately.
pub(crate) fn unhandled(values: &GuardValues<'_>, place: &CellEntry<'_>, of: &Pattern) -> Pattern {
    if place.rows.len() > limit::CELL_ROWS {
        return Pattern::default();
    }
    let mut left = of.clone();
    let mut guarded: Vec<&Row> = Vec::new();
    for (_, row) in &place.rows {
        if is_always(&row.guard) {
            left = pattern::minus(&left, &row.pattern);
        } else {
            guarded.push(row);
        }
    }
    for (_, cell) in &place.cells {
        left = pattern::minus(&left, &cell.pattern);
    }
    let guards: Vec<&Condition> = guarded.iter().map(|row| &row.guard).collect();
    let Some(ids) = few(&guards) else { return left };
    let truths: Vec<Truth> = guards.iter().map(|guard| truth(guard, &ids)).collect();
    for piece in pieces(&guarded, &left) {
        let number = piece.0.first().map_or(0, |range| *range.start());
        let possible = possible(values, &ids, &piece);
        let mut any = vec![0; possible.len()];
        for (row, truth) in guarded.iter().zip(&truths) {
            if row.pattern.matches(number) {
                put(&mut any, truth, |any, bits| any | bits);
            }
        }
        if possible.iter().zip(&any).all(|(possible, any)| possible & !any == 0) {
            left = pattern::minus(&left, &piece);
        }
    }
    left
}

/// Values for which no row handles the first piece of what [`unhandled`] leaves.
pub(crate) fn example(values: &GuardValues<'_>, place: &CellEntry<'_>, left: &Pattern) -> Example {
    let guarded: Vec<&Row> = place.rows.iter().map(|(_, row)| *row).collect();
    let Some(piece) = pieces(&guarded, left).into_iter().next() else { return Example::None };
    let number = piece.0.first().map_or(0, |range| *range.start());
    let here = guarded.iter().filter(|row| row.pattern.matches(number));
    let guards: Vec<&Condition> = here.map(|row| &row.guard).collect();
    let Some(ids) = few(&guards) else { return Example::None };
    values.example(&ids, &piece, |answers| guards.iter().all(|guard| !holds(guard, &ids, answers)))
}

/// Values for which two conditions are both true.
pub(crate) fn example_of_both(
    values: &GuardValues<'_>,
    both: [&Condition; 2],
    payload: &Pattern,
) -> Example {
    let Some(ids) = few(&both) else { return Example::None };
    values.example(&ids, payload, |answers| both.iter().all(|guard| holds(guard, &ids, answers)))
}

fn holds(guard: &Condition, ids: &[GuardId], answers: usize) -> bool {
    guard.holds(&mut |id| ids.binary_search(&id).is_ok_and(|bit| answers >> bit & 1 == 1))
}

/// Splits `left` at the bounds of the rows' patterns.
fn pieces(rows: &[&Row], left: &Pattern) -> Vec<Pattern> {
    let mut pieces = vec![left.clone()];
    for row in rows {
        let mut cut = Vec::new();
        for piece in &pieces {
            cut.push(pattern::both(piece, &row.pattern));
            cut.push(pattern::minus(piece, &row.pattern));
        }
        cut.retain(|piece| !piece.0.is_empty());
        pieces = cut;
    }
    pieces
}

/// Whether a condition is trivially true.
pub(crate) fn is_always(guard: &Condition) -> bool {
    matches!(guard, Condition::All(parts) if parts.iter().all(is_always))
}

/// Whether both conditions can be true at once for some payload; assumed if they use too many
/// guards.
pub(crate) fn can_both(
    values: &GuardValues<'_>,
    (a, b): (&Condition, &Condition),
    payload: &Pattern,
) -> bool {
    let Some(ids) = few(&[a, b]) else { return true };
    let mut both = possible(values, &ids, payload);
    put(&mut both, &truth(a, &ids), |both, a| both & a);
    put(&mut both, &truth(b, &ids), |both, b| both & b);
    both.iter().any(|bits| *bits != 0)
}

/// The guards that some conditions use; `None` if they are too many to enumerate their values.
fn few(of: &[&Condition]) -> Option<Vec<GuardId>> {
    let mut ids = Vec::new();
    of.iter().for_each(|guard| guard.asked(&mut ids));
    (ids.len() <= limit::CELL_GUARDS).then_some(ids)
}

/// The truth table of a condition: bit n is its value when the guards have the binary digits of n.
type Truth = Vec<u64>;

fn truth(guard: &Condition, ids: &[GuardId]) -> Truth {
    let answers = 1usize << ids.len();
    let none = vec![0; answers.div_ceil(64)];
    let all = vec![u64::MAX >> (64 - answers.min(64)); none.len()];
    match guard {
        Condition::Is(id) => {
            let mut truth = none;
            let Some(at) = ids.iter().position(|other| other == id) else { return truth };
            for answer in (0..answers).filter(|answer| answer >> at & 1 == 1) {
                truth[answer / 64] |= 1 << (answer % 64);
            }
            truth
        }
        Condition::All(parts) => joined(all, parts, ids, |a, b| a & b),
        Condition::Any(parts) => joined(none, parts, ids, |a, b| a | b),
        Condition::Not(part) => joined(all, std::slice::from_ref(part), ids, |all, b| all & !b),
    }
}

/// The combinations of values that the guards can have for some payload of a pattern.
fn possible(values: &GuardValues<'_>, ids: &[GuardId], payload: &Pattern) -> Truth {
    let mut truth = truth(&Condition::default(), ids);
    if !values.compares(ids) {
        return truth;
    }
    let is_possible = values.possible(ids, payload);
    for answer in (0..1_usize << ids.len()).filter(|answer| !is_possible(*answer)) {
        truth[answer / 64] &= !(1 << (answer % 64));
    }
    truth
}

fn joined(first: Truth, parts: &[Condition], ids: &[GuardId], with: fn(u64, u64) -> u64) -> Truth {
    let mut joined = first;
    for part in parts {
        put(&mut joined, &truth(part, ids), with);
    }
    joined
}

/// Combines two truth tables bit by bit.
fn put(to: &mut Truth, other: &Truth, with: fn(u64, u64) -> u64) {
    for (to, other) in to.iter_mut().zip(other) {
        *to = with(*to, *other);
    }
}
