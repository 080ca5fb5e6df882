//! Conditions with one change: a part negated or removed, `all` for `any`. Equivalent conditions
//! count once; one that is equivalent to the original, or never true, is left out.

use turnstile_spec::table::{Condition, GuardId};

/// The most guards of a condition whose equivalence is decided by its truth table.
const ASKED_MAX: usize = 12;

/// A condition with one change.
pub(crate) struct GuardEdit {
    /// The condition.
    pub(crate) guard: Condition,
    /// Whether it is stronger: true only where it was true before.
    pub(crate) is_narrower: bool,
}

/// Every condition with one change.
pub(crate) fn changed(guard: &Condition) -> Vec<GuardEdit> {
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
        list.push(GuardEdit { guard, is_narrower });
    }
    list
}

/// The truth table of a condition: its value for each assignment of its guards.
fn truth(guard: &Condition, asked: &[GuardId]) -> Vec<bool> {
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

fn edits(guard: &Condition) -> Vec<Condition> {
    let mut edits = Vec::new();
    match guard {
        Condition::Is(_) => {
            edits.push(Condition::Not(Box::new(guard.clone())));
            edits.push(Condition::default());
        }
        Condition::All(parts) => {
            each(parts, Condition::All, &mut edits);
            edits.push(Condition::Any(parts.clone()));
        }
        Condition::Any(parts) => {
            each(parts, Condition::Any, &mut edits);
            edits.push(Condition::All(parts.clone()));
        }
        Condition::Not(part) => {
            edits.push(Condition::clone(part));
            edits.extend(self::edits(part).into_iter().map(|part| Condition::Not(Box::new(part))));
            edits.push(Condition::default());
        }
    }
    edits
}

/// Each part removed, and each part with one change.
fn each(parts: &[Condition], make: fn(Vec<Condition>) -> Condition, edits: &mut Vec<Condition>) {
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
