//! Parts that enable few and many operations: every one is an action.

use turnstile_search::bounds::NoProgress;
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::transition_system::{
    EnabledOp, Fairness, Outcome, Place, Predicate, Property, TransitionSystem,
};

/// Dials with these numbers of digits, each of which turns to any other digit at once.
struct Dials(Vec<u8>);

impl TransitionSystem for Dials {
    type Part = u8;
    type Op = u8;
    type Tag = (u16, u8);

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0; self.0.len()]]
    }

    fn enabled(&self, at: Place, dial: &u8) -> Vec<EnabledOp<u8>> {
        let others = (0..self.0[at.index()]).filter(|digit| digit != dial);
        others.map(|op| EnabledOp { op, fairness: Fairness::None, is_loss: false }).collect()
    }

    fn apply(&self, at: Place, _dial: &u8, op: &u8) -> Vec<Outcome<u8, u8, (u16, u8)>> {
        vec![Outcome { tags: vec![(at.0, *op)], ..Outcome::plain(*op) }]
    }

    fn predicates(&self) -> Vec<Predicate> {
        Vec::new()
    }

    fn evaluate(&self, _: &[usize], _: &[&u8], _: &mut dyn FnMut(usize, bool)) {}

    fn properties(&self) -> Vec<Property> {
        Vec::new()
    }
}

#[test]
fn every_operation_that_a_part_enables_is_an_action() {
    for digits in [vec![1], vec![13], vec![1, 2, 3, 1, 4, 5, 1], vec![6, 1, 9, 5, 2]] {
        let states: usize = digits.iter().map(|&digits| usize::from(digits)).product();
        let turns: usize = digits.iter().map(|&digits| usize::from(digits) - 1).sum();
        let all: usize = digits.iter().filter(|&&of| of > 1).map(|&of| usize::from(of)).sum();
        for threads in 1..=2 {
            let request = CheckRequest { threads, ..CheckRequest::new(&NoProgress) };
            let found = run(&Dials(digits.clone()), request);
            assert_eq!((found.states, found.transitions), (states, states * turns), "{digits:?}");
            assert_eq!(found.tags.len(), all, "{digits:?}");
        }
    }
}
