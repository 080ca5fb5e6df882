//! Conditions with one thing changed: a part negated or left out, `all` for `any`. Two that are
//! true alike are one, and one that is true as before, or never, is none.

use turnstile_spec::table::{Guard, GuardId};

/// Guards of one condition up to which it is told exactly what is true alike.
const ASKED_MAX: usize = 12;

/// A condition with one change, and whether it is true in no other case than before.
pub(crate) struct Changed {
    /// The condition.
    pub(crate) guard: Guard,
    /// Whether it is true in no other case than before.
    pub(crate) is_narrower: bool,
}

/// Every condition that one change makes.
pub(crate) fn changed(guard: &Guard) -> Vec<Changed> {
    let mut asked = Vec::new();
    guard.asked(&mut asked);
    let old = truth(guard, &asked);
    let mut seen = vec![old.clone()];
    let mut list = Vec::new();
    for guard in edits(guard) {
        let new = truth(&guard, &asked);
        if seen.contains(&new) || new.iter().all(|is_true| !is_true) {
            continue;
        }
        let is_narrower = old.iter().zip(&new).all(|(old, new)| *old || !new);
        seen.push(new);
        list.push(Changed { guard, is_narrower });
    }
    list
}

/// The answers to a condition, one for each answer to what it asks.
fn truth(guard: &Guard, asked: &[GuardId]) -> Vec<bool> {
    let asked = &asked[..asked.len().min(ASKED_MAX)];
    let answers = 0..1_u32 << asked.len();
    let holds = |answers: u32| {
        let mut answer = |guard| {
            asked.iter().position(|one| *one == guard).is_some_and(|at| answers >> at & 1 == 1)
        };
        guard.holds(&mut answer)
    };
    answers.map(holds).collect()
}

fn edits(guard: &Guard) -> Vec<Guard> {
    let mut edits = Vec::new();
    match guard {
        Guard::Is(_) => {
            edits.push(Guard::Not(Box::new(guard.clone())));
            edits.push(Guard::default());
        }
        Guard::All(parts) => {
            each(parts, Guard::All, &mut edits);
            edits.push(Guard::Any(parts.clone()));
        }
        Guard::Any(parts) => {
            each(parts, Guard::Any, &mut edits);
            edits.push(Guard::All(parts.clone()));
        }
        Guard::Not(part) => {
            edits.push(Guard::clone(part));
            edits.extend(self::edits(part).into_iter().map(|part| Guard::Not(Box::new(part))));
            edits.push(Guard::default());
        }
    }
    edits
}

/// Each part left out, and each part with one change.
fn each(parts: &[Guard], make: fn(Vec<Guard>) -> Guard, edits: &mut Vec<Guard>) {
    for (at, part) in parts.iter().enumerate() {
        let mut less = parts.to_vec();
        less.remove(at);
        edits.push(make(less));
        for part in self::edits(part) {
            let mut other = parts.to_vec();
            other[at] = part;
            edits.push(make(other));
        }
    }
}
