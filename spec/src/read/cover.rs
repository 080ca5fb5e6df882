//! Which payloads of a cell are taken, decided exactly over values and over every answer of the
//! guards.

use crate::limit;
use crate::places::Place;
use crate::read::pattern;
use crate::table::{Guard, GuardId, Pattern, Row};

/// The values of `of` that neither a row nor a cell takes, whatever the guards answer.
/// Nothing where there are more rows than [`limit::CELL_ROWS`]: that is a fault of its own.
pub(crate) fn unsaid(place: &Place<'_>, of: &Pattern) -> Pattern {
    let rows: Vec<&Row> = place.rows.iter().map(|(_, row)| *row).collect();
    if rows.len() > limit::CELL_ROWS {
        return Pattern::default();
    }
    let mut left = of.clone();
    for row in rows.iter().filter(|row| is_always(&row.guard)) {
        left = pattern::minus(&left, &row.pattern);
    }
    for (_, cell) in &place.cells {
        left = pattern::minus(&left, &cell.pattern);
    }
    let guarded: Vec<&Row> = rows.iter().copied().filter(|row| !is_always(&row.guard)).collect();
    let guards: Vec<&Guard> = guarded.iter().map(|row| &row.guard).collect();
    let Some(ids) = few(&guards) else { return left };
    let truths: Vec<Truth> = guards.iter().map(|guard| truth(guard, &ids)).collect();
    let full = truth(&Guard::default(), &ids);
    let taken = pieces(&guarded, &left).into_iter().filter(|piece| {
        let number = piece.0.first().map_or(0, |range| *range.start());
        let matching = guarded.iter().zip(&truths).filter(|(row, _)| row.pattern.matches(number));
        let none: Truth = vec![0; full.len()];
        let any = matching
            .fold(none, |sum, (_, truth)| sum.iter().zip(truth).map(|(a, b)| a | b).collect());
        any == full
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
    let pairs = truth(a, &ids).into_iter().zip(truth(b, &ids));
    pairs.into_iter().any(|(a, b)| a & b != 0)
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
    let all = |bits: &dyn Fn(usize) -> bool| -> Truth {
        let words = answers.div_ceil(64);
        let word = |word: usize| {
            let here = (0..64).filter(|bit| word * 64 + bit < answers && bits(word * 64 + bit));
            here.fold(0u64, |sum, bit| sum | 1 << bit)
        };
        (0..words).map(word).collect()
    };
    let join = |parts: &[Guard], first: bool, with: fn(u64, u64) -> u64| {
        parts.iter().fold(all(&|_| first), |sum, part| {
            sum.into_iter().zip(truth(part, ids)).map(|(a, b)| with(a, b)).collect()
        })
    };
    match guard {
        Guard::Is(id) => {
            let at = ids.iter().position(|other| other == id);
            all(&|answer| at.is_some_and(|at| answer >> at & 1 == 1))
        }
        Guard::All(parts) => join(parts, true, |a, b| a & b),
        Guard::Any(parts) => join(parts, false, |a, b| a | b),
        Guard::Not(part) => {
            let full = all(&|_| true);
            full.into_iter().zip(truth(part, ids)).map(|(all, bits)| all & !bits).collect()
        }
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
