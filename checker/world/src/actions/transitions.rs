//! A World as a transition system: its parts, and operations on them that trigger each other.
//!
//! What a part does by itself is defined by `node_step`, `LinkPart::operate` and `observe`.
//! How parts act on each other is defined only here and in `apply`: stateright, the replay and the
//! interned engine all run through [`TransitionSystem`].

use turnstile_search::transition_system::{
    EnabledOp, InFlight, Outcome, PartKind, Place, Predicate, Property, PropertyKind,
    SymmetricRole, TransitionSystem,
};
use turnstile_step::{IdClass, Symbolic as _};

use crate::actions::{apply, enabled};
use crate::links::link::Link;
use crate::monitor::{MonitorPart, Observation, Violation};
use crate::parts::{Op, Part, PartOutcome, Tag};
use crate::property::{self, Reads};
use crate::step_rules::Breaches;
use crate::symmetry;
use crate::system::System;
use crate::world::World;

/// Each property has two predicates: its antecedent, and its consequent or goal.
const ANTECEDENT: usize = 0;
const HOLDS: usize = 1;

impl TransitionSystem for World {
    type Part = Part;
    type Op = Op;
    type Tag = Tag;

    fn initial(&self) -> Vec<Vec<Part>> {
        self.initial_states().into_iter().map(|state| state.0).collect()
    }

    fn enabled(&self, at: Place, part: &Part) -> Vec<EnabledOp<Op>> {
        match part {
            Part::Node(part) => enabled::on_node(self, at.index(), part),
            Part::Link(part) => enabled::on_link(self, at.index() - self.nodes.len(), part),
            Part::Monitor(_) | Part::Budgets(_) => Vec::new(),
        }
    }

    fn apply(&self, at: Place, part: &Part, op: &Op) -> Vec<PartOutcome> {
        match part {
            Part::Node(part) => apply::on_node(self, at.index(), part, op),
            Part::Link(part) => apply::on_link(self, at.index() - self.nodes.len(), part, op),
            Part::Monitor(part) => {
                if let Op::Violate(found) = op {
                    let violation = part.violation.clone().or_else(|| Some(found.clone()));
                    let part = MonitorPart { violation, ..part.clone() };
                    return vec![Outcome::plain(Part::Monitor(part))];
                }
                let Op::Observe(observations) = op else {
                    unreachable!("not done to a monitor: {op:?}")
                };
                let ends = |one: &Violation| one.is_panic() || self.system.ends_at(one);
                if part.violation.as_ref().is_some_and(ends) {
                    return Vec::new();
                }
                let part = Part::Monitor(observe(&*self.system, part, observations));
                vec![Outcome::plain(part)]
            }
            Part::Budgets(left) => apply::on_budgets(self, *left, op),
        }
    }

    fn visit_ids(&self, at: Place, part: &mut Part, visit: &mut dyn FnMut(IdClass, &mut u64)) {
        match part {
            Part::Node(part) => part.visit_ids(visit),
            Part::Link(part) => {
                part.visit_ids(visit);
                part.sort(&self.links[at.index() - self.nodes.len()]);
            }
            Part::Monitor(part) => part.visit_ids(visit),
            Part::Budgets(_) => {}
        }
    }

    fn predicates(&self) -> Vec<Predicate> {
        let both = |property: &property::Property| {
            // A property reads the budgets only to waive faults.
            let left = (!property.without.is_empty()).then(|| self.place_of_budgets());
            let nodes = 0..if property.reads >= Reads::Nodes { self.nodes.len() } else { 0 };
            let links = 0..if property.reads == Reads::Links { self.links.len() } else { 0 };
            let links = links.map(|link| self.place_of_link(link));
            let reads = nodes.map(|node| self.place_of_node(node)).chain(links);
            let reads: Vec<_> = reads.chain([self.place_of_monitor()]).chain(left).collect();
            ["antecedent of ", ""].map(|what| Predicate {
                name: format!("{what}{}", property.name),
                reads: Some(reads.clone()),
                reads_messages: property.reads == Reads::Links,
            })
        };
        self.properties.iter().flat_map(both).collect()
    }

    fn evaluate(&self, predicates: &[usize], state: &[&Part], answer: &mut dyn FnMut(usize, bool)) {
        self.view(state.iter().copied(), |view| {
            for group in predicates.chunk_by(|a, b| a / 2 == b / 2) {
                let evaluation = self.properties[group[0] / 2].evaluate(view);
                for &predicate in group {
                    let is_so = if predicate % 2 == ANTECEDENT {
                        evaluation.antecedent
                    } else {
                        evaluation.holds
                    };
                    answer(predicate, is_so);
                }
            }
        });
    }

    fn properties(&self) -> Vec<Property> {
        let of = |(number, property): (usize, &property::Property)| {
            let (antecedent, holds) = (2 * number + ANTECEDENT, 2 * number + HOLDS);
            let (kind, antecedent) = match property.formula {
                property::TemporalFormula::Always { .. } => {
                    (PropertyKind::Always(holds), Some(antecedent))
                }
                property::TemporalFormula::Sometimes(_) => (PropertyKind::Sometimes(holds), None),
                property::TemporalFormula::CanReach { .. } => {
                    (PropertyKind::CanReach(antecedent, holds), Some(antecedent))
                }
                property::TemporalFormula::LeadsTo { .. } => {
                    (PropertyKind::LeadsTo(antecedent, holds), Some(antecedent))
                }
            };
            Property { name: property.name.clone(), kind, antecedent }
        };
        self.properties.iter().enumerate().map(of).collect()
    }

    fn symmetric_roles(&self) -> Vec<SymmetricRole> {
        symmetry::role_members(self)
    }

    fn permuted(&self, at: Place, part: &Part, role: usize, to: &[usize]) -> Part {
        symmetry::permuted(self, at, part, role, to)
    }

    fn part_kind(&self, at: Place) -> PartKind {
        if !self.links.iter().all(Link::is_unordered_set) {
            return PartKind::Node;
        }
        match at.index().checked_sub(self.nodes.len()) {
            None => PartKind::Node,
            Some(link) if link < self.links.len() => PartKind::Link,
            Some(_) => PartKind::Passive,
        }
    }

    fn in_flight(&self, at: Place, part: &Part) -> Vec<InFlight<Op>> {
        match part {
            Part::Link(part) => enabled::in_flight(self, at.index() - self.nodes.len(), part),
            Part::Node(_) | Part::Monitor(_) | Part::Budgets(_) => Vec::new(),
        }
    }

    fn may_delay_forever(&self, at: Place) -> bool {
        self.part_kind(at) == PartKind::Link
    }
}

/// The monitor after the observations of a step.
pub(crate) fn observe(
    system: &dyn System,
    monitor: &MonitorPart,
    observations: &[Observation],
) -> MonitorPart {
    let (system_part, breaches) = (monitor.system.clone(), Breaches::default());
    let mut next = MonitorPart { system: system_part, violation: None, breaches };
    for one in observations {
        match one {
            Observation::Violation(violation) => {
                next.violation.get_or_insert_with(|| violation.clone());
            }
            Observation::Breaches(breaches) => next.breaches.add(breaches),
            Observation::Asked(..)
            | Observation::Told(..)
            | Observation::Crashed(_)
            | Observation::Restarted(_) => {}
        }
        system.observe(&mut next.system, one, &mut next.breaches);
    }
    next
}
