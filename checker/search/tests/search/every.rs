//! A search that is asked for every violation gives a shortest path to each violating state.

use turnstile_search::bounds::NoProgress;
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::judgement::Judgement;
use turnstile_search::transition_system::{
    EnabledOp, Fairness, Outcome, Place, Predicate, Property, PropertyKind, TransitionSystem,
};

/// A graph by the successors of each state: 2 leads back by way of 4, and 3 leads nowhere.
const GRAPH: [&[u8]; 5] = [&[1, 2], &[3], &[4], &[], &[0]];

#[derive(Debug)]
struct Walk;

impl TransitionSystem for Walk {
    type Part = u8;
    type Op = u8;
    type Tag = ();

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0]]
    }

    fn enabled(&self, _: Place, at: &u8) -> Vec<EnabledOp<u8>> {
        let next = GRAPH[usize::from(*at)].iter();
        next.map(|&op| EnabledOp { op, fairness: Fairness::None, is_loss: false }).collect()
    }

    fn apply(&self, _: Place, _: &u8, op: &u8) -> Vec<Outcome<u8, u8, ()>> {
        vec![Outcome::plain(*op)]
    }

    fn predicates(&self) -> Vec<Predicate> {
        let named =
            |name: &str| Predicate { name: name.to_owned(), reads: None, reads_messages: false };
        ["less than 2", "any", "4"].map(named).into()
    }

    fn evaluate(&self, predicates: &[usize], state: &[&u8], answer: &mut dyn FnMut(usize, bool)) {
        for (number, predicate) in predicates.iter().enumerate() {
            answer(number, [*state[0] < 2, true, *state[0] == 4][*predicate]);
        }
    }

    fn properties(&self) -> Vec<Property> {
        let kinds = [PropertyKind::Always(0), PropertyKind::CanReach(1, 2)];
        let named = |kind| Property { name: "it".to_owned(), kind, antecedent: None };
        kinds.map(named).into()
    }
}

/// The number of states on each path, by property.
fn paths(every: bool) -> Vec<Vec<usize>> {
    let found = run(&Walk, CheckRequest { every, ..CheckRequest::new(&NoProgress) });
    let lengths = |one: &Judgement| {
        let trails = one.trail.iter().chain(&one.others);
        trails.map(|trail| trail.fingerprints.len()).collect()
    };
    found.judgements.iter().map(lengths).collect()
}

#[test]
fn every_violating_state_has_a_path() {
    assert_eq!(paths(true), [vec![2, 3, 3], vec![2, 3]]);
    assert_eq!(paths(false), [vec![2], vec![2]]);
}
