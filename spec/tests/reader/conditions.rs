//! Two rows of a cell conflict if, and only if, some values of the guards take both.

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use turnstile_spec::diagnostic::code;

use crate::diagnostics;

/// A condition over guards, and its text.
enum Condition {
    Is(usize),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl Condition {
    fn draw(rng: &mut SmallRng, guards: usize, depth: usize) -> Self {
        let kind = rng.random_range(0..4);
        let mut part = || Self::draw(rng, guards, depth - 1);
        match (depth, kind) {
            (1.., 0) => Self::Not(Box::new(part())),
            (1.., 1) => Self::All(vec![part(), part()]),
            (1.., 2) => Self::Any(vec![part(), part(), part()]),
            _ => Self::Is(rng.random_range(..guards)),
        }
    }

    fn text(&self) -> String {
        let all = |parts: &[Self]| parts.iter().map(Self::text).collect::<Vec<_>>().join(", ");
        match self {
            Self::Is(guard) => format!("g{guard}"),
            Self::Not(part) => format!("{{ not: {} }}", part.text()),
            Self::All(parts) => format!("{{ all: [{}] }}", all(parts)),
            Self::Any(parts) => format!("{{ any: [{}] }}", all(parts)),
        }
    }

    /// Its value where guard n has bit n.
    fn holds(&self, values: u32) -> bool {
        match self {
            Self::Is(guard) => values >> guard & 1 == 1,
            Self::Not(part) => !part.holds(values),
            Self::All(parts) => parts.iter().all(|part| part.holds(values)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(values)),
        }
    }
}

/// Whether two rows with these conditions are said to conflict.
fn conflict(guards: usize, one: &Condition, other: &Condition) -> bool {
    let names: String = (0..guards).map(|guard| format!("g{guard}: {{}}, ")).collect();
    let states = "{ s: { initial: true }, a: {}, b: {} }";
    let head = format!("language: 1\nmachine: m\nstates: {states}\nguards: {{ {names} }}\n");
    let events = "events: { e: { kind: command } }\n";
    let row = |to: &str, condition: &Condition| {
        format!("- {{ from: s, to: {to}, event: e, if: {} }}\n", condition.text())
    };
    let rows = format!("transitions:\n{}{}", row("a", one), row("b", other));
    let diagnostics = diagnostics(&format!("{head}{events}{rows}"));
    assert!(diagnostics.iter().all(|one| !one.code.starts_with("T00")), "{diagnostics:#?}");
    diagnostics.iter().any(|one| one.code == code::CONFLICTING_ROWS)
}

#[test]
fn rows_conflict_if_both_conditions_can_be_true() {
    let mut rng = SmallRng::seed_from_u64(20_261_128);
    let mut conflicts = 0;
    for nth in 0..600 {
        // Eight guards have more values than a word of the truth table has bits.
        let guards = 3 + nth % 6;
        let [one, other] = [3, 3].map(|depth| Condition::draw(&mut rng, guards, depth));
        let can_both = (0..1 << guards).any(|values| one.holds(values) && other.holds(values));
        let is_found = conflict(guards, &one, &other);
        assert_eq!(is_found, can_both, "{} and {}", one.text(), other.text());
        conflicts += usize::from(can_both);
    }
    assert!((30..570).contains(&conflicts), "{conflicts}");
}

#[test]
fn a_condition_and_its_opposite_exclude_each_other() {
    let any = || Condition::Any((0..8).map(Condition::Is).collect());
    let not = |of: Condition| Condition::Not(Box::new(of));
    assert!(!conflict(8, &any(), &not(any())));
    assert!(conflict(8, &any(), &not(Condition::Is(3))));
}
