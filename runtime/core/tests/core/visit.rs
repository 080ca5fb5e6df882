//! What a visit to the numbers of a value must be: it shows every one of them, each time the same
//! ones, and does nothing else.

use std::fmt::Debug;

use turnstile_step::{IdClass, Symbolic};

/// Above every number of a test.
const FAR: u64 = 1 << 60;

/// The types whose debug text shows a number that is visited.
const TYPES: [&str; 7] =
    ["Token(", "ClaimId(", "IdempotencyKey(", "ViewId(", "LockId(", "DataVersion(", "number: "];

#[track_caller]
pub(crate) fn check<T: Symbolic + Clone + PartialEq + Debug>(value: &T) {
    let mut seen = value.clone();
    let shown = numbers(&mut seen);
    assert_eq!(seen, *value, "a look changes nothing");
    let mut replaced = value.clone();
    replaced.visit_ids(&mut |_, number| *number = FAR + *number % FAR);
    let text = format!("{replaced:?}");
    assert!(near(&text).is_empty(), "not visited: {:?} in {text}", near(&text));
    let far: Vec<_> = shown.iter().map(|(class, number)| (*class, FAR + number % FAR)).collect();
    assert_eq!(numbers(&mut replaced), far, "the same numbers, replaced");
    replaced.visit_ids(&mut |_, number| *number -= FAR);
    seen.visit_ids(&mut |_, number| *number %= FAR);
    assert_eq!(replaced, seen, "and back again");
}

fn numbers(value: &mut impl Symbolic) -> Vec<(IdClass, u64)> {
    let mut shown = Vec::new();
    value.visit_ids(&mut |class, number| shown.push((class, *number)));
    shown
}

/// The numbers in a debug text that were not replaced.
fn near(text: &str) -> Vec<&str> {
    let of = |name: &'static str| {
        text.match_indices(name).filter_map(move |(at, _)| {
            let number = &text[at + name.len()..];
            let end = number.find(|sign: char| !sign.is_ascii_digit())?;
            let is_near = number[..end].parse::<u64>().is_ok_and(|number| number < FAR);
            is_near.then(|| &text[at..at + name.len() + end])
        })
    };
    TYPES.into_iter().flat_map(of).collect()
}
