//! A World as parts: its nodes, its links, what it remembers and its budgets, each in its place,
//! and what they ask of each other.
//!
//! What each part does by itself is the World's ([`World::step`], [`LinkPart::operate`],
//! `observe`). How parts act on each other stands here and in `apply` alone: stateright,
//! the replay and the interned engine all run through [`Parts`].

use turnstile_search::parts::{
    Cargo, Claim, Done, Kind, Offer, Parts, Place, Predicate, Property, Symmetry,
};
use turnstile_step::{IdClass, RowOutcome, Symbolic};

use crate::budget::{BudgetId, Left};
use crate::link::LinkOp;
use crate::link_part::LinkPart;
use crate::monitor::{MonitorPart, Observation};
use crate::node::{Event, NodePart};
use crate::system::System;
use crate::wiring::NodeId;
use crate::{World, property};

/// A part of a World's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A node.
    Node(NodePart),
    /// A link.
    Link(LinkPart),
    /// What the properties remember.
    Monitor(MonitorPart),
    /// What is left of the budgets.
    Left(Left),
}

/// What is done to a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// To a node: something happens to it by itself or by its user.
    Happens {
        /// What.
        event: Event,
        /// What it costs.
        budget: Option<BudgetId>,
        /// What the time relations have to say.
        wait: TimeConstraint,
    },
    /// To a node: a message comes, from a link that did or did not make an answer late.
    Comes(Event, bool),
    /// To a node: a timer of another is about to fire. Refused by a node that has one which must
    /// fire first.
    AllowFire(Box<Later>),
    /// The same, refused by a node that has none: a clock runs wild.
    Overtakes(Box<Later>),
    /// To a link: a timer is about to fire that waits for messages. Refused by a link on which one
    /// can still arrive.
    IsQuiet,
    /// The same, refused by a link on which none can: a clock runs wild.
    IsBusy,
    /// To a node: refused by one that takes inputs, or by one that does not.
    IsUp(bool),
    /// To a link: something happens on it by itself.
    Moves {
        /// What.
        op: LinkOp,
        /// What it delivers.
        delivers: Option<(NodeId, Event)>,
        /// What it costs.
        budget: Option<BudgetId>,
    },
    /// To a link: what a node's step does to this one and then to others, and whether an answer
    /// has become late on the way.
    Operate(Vec<(usize, LinkOp)>, bool),
    /// To the monitor: this was seen.
    Observe(Vec<Observation>),
    /// To the budgets: one less.
    Spend(BudgetId),
}

/// What the time relations have to say of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeConstraint {
    /// Nothing.
    Free,
    /// It must wait for these nodes, as bits, if they have a timer that comes first.
    For(u64),
    /// It passes this node, which has a timer that comes first.
    Passes(NodeId),
    /// It must wait for messages, and for these nodes.
    ForMessages(u64),
    /// It comes before a message that is on this link.
    BeforeMessages(usize),
}

/// A timer that is about to fire.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Later {
    pub(super) node: NodeId,
    pub(super) part: NodePart,
    pub(super) event: Event,
}

/// What a report wants to know of an operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// What a table said.
    Taken(RowOutcome),
    /// A budget was taken from.
    Spent(String),
    /// A message found no room: what comes after is not what would have come.
    Overflowed {
        /// The link, by its place.
        link: usize,
    },
    /// A step has more effects than those after which it is torn: not every cut was made.
    Long {
        /// Whose step.
        node: NodeId,
    },
}

pub(super) type DoneOf = Done<Part, Op, Mark>;

pub(super) fn place(index: usize) -> Place {
    Place(u16::try_from(index).expect("a world has few parts"))
}

/// Two predicates for each property: its premise, and what it claims or aims at.
const PREMISE: usize = 0;
const HOLDS: usize = 1;

impl Parts for World {
    type Part = Part;
    type Op = Op;
    type Mark = Mark;

    fn initial(&self) -> Vec<Vec<Part>> {
        vec![self.first().0]
    }

    fn offers(&self, at: Place, part: &Part) -> Vec<Offer<Op>> {
        match part {
            Part::Node(part) => self.offers_of_node(at.index(), part),
            Part::Link(part) => self.offers_of_link(at.index() - self.nodes.len(), part),
            Part::Monitor(_) | Part::Left(_) => Vec::new(),
        }
    }

    fn apply(&self, at: Place, part: &Part, op: &Op) -> Vec<DoneOf> {
        match part {
            Part::Node(part) => self.apply_to_node(at.index(), part, op),
            Part::Link(part) => self.apply_to_link(at.index() - self.nodes.len(), part, op),
            Part::Monitor(part) => {
                let Op::Observe(seen) = op else { unreachable!("not done to a monitor: {op:?}") };
                let part = Part::Monitor(observe(&*self.system, part, seen));
                vec![Done::plain(part)]
            }
            Part::Left(left) => self.apply_to_left(*left, op),
        }
    }

    fn numbers(&self, at: Place, part: &mut Part, visit: &mut dyn FnMut(IdClass, &mut u64)) {
        match part {
            Part::Node(part) => part.visit_ids(visit),
            Part::Link(part) => {
                part.visit_ids(visit);
                self.sort(at, part);
            }
            Part::Monitor(part) => part.visit_ids(visit),
            Part::Left(_) => {}
        }
    }

    fn predicates(&self) -> Vec<Predicate> {
        let nodes = (0..self.nodes.len()).map(|node| self.place_of_node(node));
        let reads: Vec<Place> = nodes.chain([self.place_of_monitor()]).collect();
        let both = |property: &property::Property| {
            // What is left of the budgets, a property asks only to hold back.
            let left = (!property.without.is_empty()).then(|| self.place_of_left());
            ["premise of ", ""].map(|what| Predicate {
                name: format!("{what}{}", property.name),
                reads: Some(reads.iter().copied().chain(left).collect()),
                reads_messages: false,
            })
        };
        self.properties.iter().flat_map(both).collect()
    }

    fn test(&self, predicates: &[usize], state: &[&Part], answer: &mut dyn FnMut(usize, bool)) {
        self.view(state.iter().copied(), |view| {
            for group in predicates.chunk_by(|a, b| a / 2 == b / 2) {
                let said = self.properties[group[0] / 2].ask(view);
                for &predicate in group {
                    let is_so = if predicate % 2 == PREMISE { said.premise } else { said.holds };
                    answer(predicate, is_so);
                }
            }
        });
    }

    fn properties(&self) -> Vec<Property> {
        let of = |(number, property): (usize, &property::Property)| {
            let (premise, holds) = (2 * number + PREMISE, 2 * number + HOLDS);
            let (claim, premise) = match property.claim {
                property::Claim::Always { .. } => (Claim::Always(holds), Some(premise)),
                property::Claim::Sometimes(_) => (Claim::Sometimes(holds), None),
                property::Claim::CanReach { .. } => {
                    (Claim::CanReach(premise, holds), Some(premise))
                }
                property::Claim::LeadsTo { .. } => (Claim::LeadsTo(premise, holds), Some(premise)),
            };
            Property { name: property.name.to_owned(), claim, premise }
        };
        self.properties.iter().enumerate().map(of).collect()
    }

    fn symmetry(&self) -> Vec<Symmetry> {
        self.groups()
    }

    fn renamed(&self, at: Place, part: &Part, group: usize, to: &[usize]) -> Part {
        self.changed_about(at, part, group, to)
    }

    fn kind(&self, at: Place) -> Kind {
        if !(0..self.links.len()).all(|link| self.is_roomy(link)) {
            return Kind::Node;
        }
        match at.index().checked_sub(self.nodes.len()) {
            None => Kind::Node,
            Some(link) if link < self.links.len() => Kind::Link,
            Some(_) => Kind::Record,
        }
    }

    fn cargo(&self, at: Place, part: &Part) -> Vec<Cargo<Op>> {
        match part {
            Part::Link(part) => self.cargo_of_link(at.index() - self.nodes.len(), part),
            Part::Node(_) | Part::Monitor(_) | Part::Left(_) => Vec::new(),
        }
    }

    fn may_delay_for_ever(&self, at: Place) -> bool {
        self.kind(at) == Kind::Link
    }
}

/// What the monitor is after a step in which these things were seen.
fn observe(system: &dyn System, monitor: &MonitorPart, seen: &[Observation]) -> MonitorPart {
    let mut next = MonitorPart { system: monitor.system.clone(), violation: None };
    for one in seen {
        if let Observation::Violation(violation) = one {
            next.violation.get_or_insert_with(|| violation.clone());
        }
        system.observe(&mut next.system, one);
    }
    next
}
