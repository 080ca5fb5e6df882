//! The row that is taken where several match, on a thread that computes all outcomes of an event in
//! turn: a table with merged choices does not count them beforehand.

use std::cell::Cell;

thread_local! {
    static CHOICE: Cell<u8> = const { Cell::new(0) };
    static MATCHING: Cell<u8> = const { Cell::new(1) };
}

/// Which of several matching rows this computation takes, counted from 0; the last if there are
/// fewer.
pub(crate) fn chosen() -> u8 {
    CHOICE.get()
}

/// Notes how many rows match an event.
pub(crate) fn note_matching(count: usize) {
    let count = u8::try_from(count).unwrap_or(u8::MAX);
    MATCHING.set(MATCHING.get().max(count));
}

/// The results of a computation for each choice among matching rows: one if nowhere several match.
pub(crate) fn each_choice<R>(mut compute: impl FnMut() -> R) -> Vec<R> {
    MATCHING.set(1);
    let mut results = Vec::new();
    let mut choice = 0;
    while choice < MATCHING.get() {
        CHOICE.set(choice);
        results.push(compute());
        choice += 1;
    }
    CHOICE.set(0);
    results
}

#[cfg(test)]
mod tests {
    use crate::tables::choice::{chosen, each_choice, note_matching};

    #[test]
    fn a_computation_runs_once_for_each_row_that_matches() {
        assert_eq!(each_choice(chosen), [0]);
        let runs = each_choice(|| {
            note_matching(3);
            chosen()
        });
        assert_eq!(runs, [0, 1, 2]);
        assert_eq!(each_choice(chosen), [0]);
    }
}
