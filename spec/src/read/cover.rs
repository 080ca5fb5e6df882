//! Which payloads of a cell are taken, decided exactly over values and over every answer of the
//! guards.

use crate::limit;
use crate::places::Place;
use crate::read::pattern;
use crate::table::{Guard, GuardId, Pattern, Row};

/// The values of `of` that neither a row nor a cell takes, whatever the guards answer.
/// Nothing where there are more rows than [`limit::CELL_ROWS`]: that is a fault of its own.
pub(crate) fn unsaid(place: &Place<'_>, of: &Pattern) -> Pattern {
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
    let guards: Vec<&Guard> = guarded.iter().map(|row| &row.guard).collect();
    let Some(ids) = few(&guards) else { return left };
    let truths: Vec<Truth> = guards.iter().map(|guard| truth(guard, &ids)).collect();
    let full = truth(&Guard::default(), &ids);
    for piece in pieces(&guarded, &left) {
        let number = piece.0.first().map_or(0, |range| *range.start());
        let mut any = vec![0; full.len()];
        for (row, truth) in guarded.iter().zip(&truths) {
            if row.pattern.matches(number) {
                put(&mut any, truth, |any, bits| any | bits);
            }
        }
        if any == full {
            left = pattern::minus(&left, &piece);
        }
    }
    left
}

/// `left` cut at every edge of the rows' patterns.
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

/// Whether a condition is nothing but true.
pub(crate) fn is_always(guard: &Guard) -> bool {
    matches!(guard, Guard::All(parts) if parts.iter().all(is_always))
}

/// Whether both conditions can be true at once. Too many guards: they can.
pub(crate) fn can_both(a: &Guard, b: &Guard) -> bool {
    let Some(ids) = few(&[a, b]) else { return true };
    let mut both = truth(a, &ids);
    put(&mut both, &truth(b, &ids), |a, b| a & b);
    both.iter().any(|bits| *bits != 0)
}

/// The guards that some conditions ask; `None` where they are too many to try every answer.
fn few(of: &[&Guard]) -> Option<Vec<GuardId>> {
    let mut ids = Vec::new();
    of.iter().for_each(|guard| guard.asked(&mut ids));
    (ids.len() <= limit::CELL_GUARDS).then_some(ids)
}

/// A condition's value under every answer of the guards: the n-th bit is for the answers that are
/// the digits of n.
type Truth = Vec<u64>;

fn truth(guard: &Guard, ids: &[GuardId]) -> Truth {
    let answers = 1usize << ids.len();
    let none = vec![0; answers.div_ceil(64)];
    let all = vec![u64::MAX >> (64 - answers.min(64)); none.len()];
    match guard {
        Guard::Is(id) => {
            let mut truth = none;
            let Some(at) = ids.iter().position(|other| other == id) else { return truth };
            for answer in (0..answers).filter(|answer| answer >> at & 1 == 1) {
                truth[answer / 64] |= 1 << (answer % 64);
            }
            truth
        }
        Guard::All(parts) => joined(all, parts, ids, |a, b| a & b),
        Guard::Any(parts) => joined(none, parts, ids, |a, b| a | b),
        Guard::Not(part) => joined(all, std::slice::from_ref(part), ids, |all, b| all & !b),
    }
}

fn joined(first: Truth, parts: &[Guard], ids: &[GuardId], with: fn(u64, u64) -> u64) -> Truth {
    let mut joined = first;
    for part in parts {
        put(&mut joined, &truth(part, ids), with);
    }
    joined
}

/// Joins one value to another, answer by answer.
fn put(to: &mut Truth, other: &Truth, with: fn(u64, u64) -> u64) {
    for (to, other) in to.iter_mut().zip(other) {
        *to = with(*to, *other);
    }
}

#[cfg(test)]
mod tests {
    use super::{can_both, few, truth};
    use crate::table::{Guard, GuardId};

    fn is(id: u16) -> Guard {
        Guard::Is(GuardId(id))
    }

    fn not(guard: Guard) -> Guard {
        Guard::Not(Box::new(guard))
    }

    #[test]
    fn a_condition_and_its_opposite_exclude_each_other() {
        let either = Guard::Any((0..8).map(is).collect());
        assert!(!can_both(&either, &not(either.clone())));
        assert!(can_both(&either, &not(is(3))));
        assert!(!can_both(&Guard::All(vec![is(0), is(1)]), &not(is(1))));
        assert!(can_both(&Guard::default(), &Guard::default()));
    }

    #[test]
    fn truth_is_what_a_guard_says_of_each_answer() {
        let guard = Guard::Any(vec![Guard::All(vec![is(0), not(is(4))]), is(6)]);
        let ids = few(&[&guard]).expect("three guards");
        let bits = truth(&guard, &ids);
        for answer in 0..8u64 {
            let says = guard.holds(&mut |id| {
                let at = ids.iter().position(|other| *other == id).expect("asked");
                answer >> at & 1 == 1
            });
            assert_eq!(bits[0] >> answer & 1 == 1, says, "{answer:b}");
        }
    }
}
