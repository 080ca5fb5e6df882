//! A system of one part: numbered states, of which 0 is initial, and the transitions between them.

use turnstile_search::transition_system::{
    EnabledOp, Fairness, Outcome, Place, Predicate, Property, PropertyKind, TransitionSystem,
};

/// A transition.
#[derive(Debug)]
pub struct Edge {
    /// The state that it leaves.
    pub from: u8,
    /// The state that it enters.
    pub to: u8,
    /// The condition that it belongs to.
    pub fairness: Fairness,
    /// The other conditions that it discharges.
    pub discharges: Vec<Fairness>,
}

/// The transitions, and the state that every path is to reach.
#[derive(Debug)]
pub struct EdgeGraph {
    /// The transitions.
    pub edges: Vec<Edge>,
    /// The state to be reached.
    pub goal: u8,
}

impl TransitionSystem for EdgeGraph {
    type Part = u8;
    type Op = usize;
    type Tag = ();

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0]]
    }

    fn enabled(&self, _: Place, part: &u8) -> Vec<EnabledOp<usize>> {
        let edges = self.edges.iter().enumerate().filter(|(_, edge)| edge.from == *part);
        let enabled = |(op, edge): (usize, &Edge)| EnabledOp {
            op,
            fairness: edge.fairness.clone(),
            is_loss: false,
        };
        edges.map(enabled).collect()
    }

    fn apply(&self, _: Place, _: &u8, op: &usize) -> Vec<Outcome<u8, usize, ()>> {
        let Edge { to, discharges, .. } = &self.edges[*op];
        vec![Outcome { discharges: discharges.clone(), ..Outcome::plain(*to) }]
    }

    fn predicates(&self) -> Vec<Predicate> {
        vec![Predicate { name: "there".to_owned(), reads: None, reads_messages: false }]
    }

    fn evaluate(&self, predicates: &[usize], state: &[&u8], answer: &mut dyn FnMut(usize, bool)) {
        predicates.iter().for_each(|&predicate| answer(predicate, *state[0] == self.goal));
    }

    fn properties(&self) -> Vec<Property> {
        let kind = PropertyKind::Eventually(0);
        vec![Property { name: "ends".to_owned(), kind, antecedent: None }]
    }
}
