//! The properties that one search decides, as atomic propositions: bits of a word.

use crate::transition_system::{Property, PropertyKind};

/// The most properties that one search decides: each needs two propositions, and a state has a set
/// of 64.
const PROPERTIES_MAX: usize = 32;

/// The properties that one search decides, and their propositions.
#[derive(Debug)]
pub(crate) struct PropertyBatch {
    pub(crate) properties: Vec<Property>,
    /// By bit: a predicate and a truth value.
    pub(crate) propositions: Vec<(usize, bool)>,
    /// By property: the bit that decides it in a single state.
    pub(crate) deciding_bits: Vec<Option<usize>>,
    /// By property: the bit of its antecedent.
    pub(crate) antecedents: Vec<Option<usize>>,
    /// By property of paths: the bit masks of its antecedent and its goal.
    pub(crate) goals: Vec<Option<(Option<u64>, u64)>>,
}

impl PropertyBatch {
    /// Every property of a system, in order; one batch if there is none.
    pub(crate) fn all(properties: &[Property]) -> Vec<Self> {
        if properties.is_empty() {
            return vec![Self::of(properties)];
        }
        properties.chunks(PROPERTIES_MAX).map(Self::of).collect()
    }

    fn of(properties: &[Property]) -> Self {
        let mut propositions = Propositions::default();
        let deciding_bits =
            properties.iter().map(|property| propositions.deciding_bit(property.kind)).collect();
        let antecedent = |property: &Property| Some(propositions.bit(property.antecedent?, true));
        let antecedents = properties.iter().map(antecedent).collect();
        let goals = properties.iter().map(|property| propositions.goal(property.kind)).collect();
        let (properties, propositions) = (properties.to_vec(), propositions.list);
        Self { properties, propositions, deciding_bits, antecedents, goals }
    }

    /// The bits that violate one of these invariants.
    pub(crate) fn violations(&self, is_meant: impl Fn(&Property) -> bool) -> u64 {
        let deciding_bits = self.properties.iter().zip(&self.deciding_bits);
        let always = deciding_bits
            .filter(|(property, _)| matches!(property.kind, PropertyKind::Always(_)))
            .filter(|(property, _)| is_meant(property))
            .filter_map(|(_, bit)| *bit);
        always.fold(0, |bits, bit| bits | 1 << bit)
    }
}

/// The atomic propositions of a search, by bit: a predicate and a truth value.
#[derive(Debug, Default)]
struct Propositions {
    list: Vec<(usize, bool)>,
}

impl Propositions {
    fn bit(&mut self, predicate: usize, value: bool) -> usize {
        let proposition = (predicate, value);
        self.list.iter().position(|&other| other == proposition).unwrap_or_else(|| {
            self.list.push(proposition);
            self.list.len() - 1
        })
    }

    /// The antecedent and the goal of a property of paths, as bit masks.
    fn goal(&mut self, kind: PropertyKind) -> Option<(Option<u64>, u64)> {
        match kind {
            PropertyKind::Always(_) | PropertyKind::Sometimes(_) => None,
            PropertyKind::Eventually(goal) => Some((None, 1 << self.bit(goal, true))),
            PropertyKind::CanReach(from, goal) | PropertyKind::LeadsTo(from, goal) => {
                Some((Some(1 << self.bit(from, true)), 1 << self.bit(goal, true)))
            }
        }
    }

    /// The bit of the proposition that violates an invariant or witnesses a `sometimes`.
    fn deciding_bit(&mut self, kind: PropertyKind) -> Option<usize> {
        match kind {
            PropertyKind::Always(predicate) => Some(self.bit(predicate, false)),
            PropertyKind::Sometimes(predicate) => Some(self.bit(predicate, true)),
            PropertyKind::CanReach(..)
            | PropertyKind::Eventually(_)
            | PropertyKind::LeadsTo(..) => None,
        }
    }
}
