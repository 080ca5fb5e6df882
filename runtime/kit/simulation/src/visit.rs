//! What a visit to the numbers of a value must be: it shows every one of them, each time the same
//! ones, and does nothing else.

use std::fmt::Debug;

use turnstile_step::{IdClass, Symbolic};

use crate::near::near;

/// Above every number of a test.
const FAR: u64 = 1 << 60;

/// Checks a visit to the numbers of this value.
#[track_caller]
pub fn check<T: Symbolic + Clone + PartialEq + Debug>(value: &T) {
    let mut seen = value.clone();
    let shown = numbers(&mut seen);
    assert_eq!(seen, *value, "a look changes nothing");
    let mut replaced = value.clone();
    replaced.visit_ids(&mut |_, number| *number = FAR + *number % FAR);
    let text = format!("{replaced:?}");
    assert!(near(&text, FAR).is_empty(), "not visited: {:?} in {text}", near(&text, FAR));
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
