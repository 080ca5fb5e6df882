//! What is checked of every state: predicates over a view of it, each with the sentence it stands
//! for. What is to be remembered of the past is in the monitor.

use std::fmt;
use std::sync::Arc;

use crate::budget::{Budget, BudgetId, Left};
use crate::monitor::{MonitorPart, Violation};
use crate::node::NodePart;
use crate::value::Content;
use crate::wiring::NodeId;

/// A state as a predicate sees it, whatever form its parts are kept in. What is in flight is not
/// part of it: a message matters by what a node does with it, and what the past was the monitor
/// remembers. So a search may ask once for all states that differ in their links alone.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The nodes.
    pub nodes: &'a [&'a NodePart],
    /// What is remembered.
    pub(super) monitor: &'a MonitorPart,
    /// What is left of the budgets. A predicate never asks, so that it need not be asked again
    /// where nothing else is different.
    pub(super) left: Left,
    /// The budgets.
    pub(super) budgets: &'a [Budget],
}

impl<'a> View<'a> {
    /// A core's state.
    #[must_use]
    pub fn state<T: Content>(&self, node: NodeId) -> &'a T {
        self.nodes[node].state.of()
    }

    /// What is remembered of the past.
    #[must_use]
    pub fn monitor<T: Content>(&self) -> &'a T {
        self.monitor.system.of()
    }

    /// What the last step met for which its table is not made.
    #[must_use]
    pub fn violation(&self) -> Option<&Violation> {
        self.monitor.violation.as_ref()
    }

    /// Whether a kind of fault has happened on the way here; only for budgets with an end.
    fn is_used(&self, budget: &str) -> bool {
        let place = self.budgets.iter().position(|other| other.name == budget);
        place.is_some_and(|place| {
            let id = BudgetId(u8::try_from(place).expect("a world has few budgets"));
            self.left.of(id) < self.budgets[place].limit
        })
    }
}

/// A question about a state.
#[derive(Clone)]
pub struct Predicate(Arc<Ask>);

type Ask = dyn Fn(&View<'_>) -> bool + Send + Sync;

impl Predicate {
    /// A predicate.
    pub fn new(ask: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// Its answer.
    #[must_use]
    pub fn holds(&self, view: &View<'_>) -> bool {
        (self.0)(view)
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predicate")
    }
}

/// What a property claims.
#[derive(Clone, Debug)]
pub enum Claim {
    /// It is so in every state; the premise must be so in some.
    Always {
        /// What is so.
        holds: Predicate,
        /// What makes it matter.
        premise: Predicate,
    },
    /// It is so in some state.
    Sometimes(Predicate),
    /// From every state where the premise is so, one where the goal is so can be reached.
    CanReach {
        /// From where.
        premise: Predicate,
        /// What can be reached.
        goal: Predicate,
    },
    /// On every fair run, after the premise was so, the goal is so.
    LeadsTo {
        /// From where.
        premise: Predicate,
        /// What comes.
        goal: Predicate,
    },
}

impl Claim {
    /// Whether a state after an excused fault satisfies the claim: an invariant claims nothing
    /// there, and a run that comes there is excused from its goal. But such a state is no goal of
    /// those that must be able to reach one: they have to reach it without the fault. As a budget
    /// never grows, a trace to a state before the fault contains none.
    fn is_met_by_an_excused_fault(&self) -> bool {
        match self {
            Self::Always { .. } | Self::LeadsTo { .. } => true,
            Self::Sometimes(_) | Self::CanReach { .. } => false,
        }
    }
}

/// A named sentence that is checked.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// The sentence.
    pub sentence: String,
    /// What it claims.
    pub claim: Claim,
    /// Budgets after whose use it claims nothing; see [`World::claim`](crate::World::claim)
    /// for those that it may name.
    pub without: Vec<String>,
}

impl Property {
    /// What it says of one state: whether its premise is met, and whether what it claims or aims
    /// at is so.
    #[must_use]
    pub fn ask(&self, view: &View<'_>) -> Answer {
        if self.without.iter().any(|budget| view.is_used(budget)) {
            return Answer { premise: false, holds: self.claim.is_met_by_an_excused_fault() };
        }
        let (premise, holds) = match &self.claim {
            Claim::Always { holds, premise } => (Some(premise), holds),
            Claim::Sometimes(holds) => (None, holds),
            Claim::CanReach { premise, goal } | Claim::LeadsTo { premise, goal } => {
                (Some(premise), goal)
            }
        };
        Answer {
            premise: premise.is_none_or(|premise| premise.holds(view)),
            holds: holds.holds(view),
        }
    }
}

/// What a property says of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its premise is met.
    pub premise: bool,
    /// What it claims, or aims at, is so.
    pub holds: bool,
}
