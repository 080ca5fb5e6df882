//! What an expander remembers of parts is what they do: those that enable few and many operations,
//! and those of a place that had only one for a while.

use turnstile_search::bounds::{NoProgress, Reductions};
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::interned::{Expander, Interned};
use turnstile_search::successors::Successors;
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

/// A switch that a lock reads when it goes on, and throws when it goes off; once thrown it lets
/// nothing go on.
struct Latch;

/// The places of the [`Latch`].
const LOCK: Place = Place(0);
const SWITCH: Place = Place(1);

/// What is done to them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Do {
    Turn,
    Read,
    Throw,
}

impl TransitionSystem for Latch {
    type Part = bool;
    type Op = Do;
    type Tag = ();

    fn initial(&self) -> Vec<Vec<bool>> {
        vec![vec![false, false]]
    }

    fn enabled(&self, at: Place, _: &bool) -> Vec<EnabledOp<Do>> {
        let turn = EnabledOp { op: Do::Turn, fairness: Fairness::None, is_loss: false };
        if at == LOCK { vec![turn] } else { Vec::new() }
    }

    fn apply(&self, _: Place, part: &bool, op: &Do) -> Vec<Outcome<bool, Do, ()>> {
        match op {
            Do::Turn => {
                let then = if *part { Do::Throw } else { Do::Read };
                vec![Outcome { triggers: vec![(SWITCH, then)], ..Outcome::plain(!part) }]
            }
            Do::Read if *part => Vec::new(),
            Do::Read => vec![Outcome::plain(false)],
            Do::Throw => vec![Outcome::plain(true)],
        }
    }

    fn predicates(&self) -> Vec<Predicate> {
        Vec::new()
    }

    fn evaluate(&self, _: &[usize], _: &[&bool], _: &mut dyn FnMut(usize, bool)) {}

    fn properties(&self) -> Vec<Property> {
        Vec::new()
    }
}

/// How many successors a state has; goes on to the last of them.
fn expand(expander: &mut Expander<'_>, vector: &mut [u32]) -> usize {
    let mut found = Successors::default();
    expander.begin();
    expander.expand(vector, &mut found);
    if let Some(last) = found.kept().last() {
        expander.apply(last.delta, vector);
    }
    found.kept().len()
}

#[test]
fn a_part_that_another_thread_found_is_the_second_of_its_place() {
    let interned = Interned::new(&Latch);
    let space = interned.space(Vec::new(), Reductions::NONE);
    let (mut one, mut other) = (Expander::new(&space), Expander::new(&space));
    let mut vector = interned.vector(vec![false, false]);
    assert_eq!(expand(&mut other, &mut vector.clone()), 1, "it goes on");
    assert_eq!(expand(&mut one, &mut vector), 1, "it goes on");
    assert_eq!(expand(&mut one, &mut vector), 1, "it goes off");
    assert_eq!(expand(&mut other, &mut vector.clone()), 0, "the switch is thrown");
    assert_eq!(expand(&mut one, &mut vector), 0, "the switch is thrown");
}
