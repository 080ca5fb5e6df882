//! The properties of a World: temporal formulas over state predicates, each with its sentence. The
//! monitor provides history variables.

use std::fmt;
use std::sync::Arc;

use crate::budget::{Budget, BudgetId, RemainingBudgets};
use crate::links::link_part::LinkPart;
use crate::links::network::NodeId;
use crate::monitor::{MonitorPart, Violation};
use crate::nodes::node::NodePart;
use crate::state::Action;
use crate::step_rules::StepRule;
use crate::value::Content;

/// The view of a state that predicates read, as far as their property [says so](Reads).
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The nodes, for a property that reads them.
    pub nodes: &'a [&'a NodePart],
    /// The links, likewise.
    pub links: &'a [&'a LinkPart],
    /// The monitor.
    pub(super) monitor: &'a MonitorPart,
    /// The remaining budgets. No predicate reads them, so a predicate need not be evaluated again
    /// when only they change.
    pub(super) remaining: RemainingBudgets,
    /// The budgets of the world.
    pub(super) budgets: &'a [Budget],
    /// What the world has it lead to.
    pub(super) next: &'a dyn Next,
}

/// What a state of a world leads to.
pub(super) trait Next {
    /// See [`View::possible`].
    fn possible<'a>(&'a self, view: &View<'a>) -> Box<dyn Iterator<Item = PossibleAction> + 'a>;
}

/// An action that no part refuses, time relations and full links included.
#[derive(Clone, Debug)]
pub struct PossibleAction {
    /// The action.
    pub action: Action,
    /// The names of the budgets that it takes from.
    pub spends: Vec<String>,
    /// Whether it is nothing but the loss of a message.
    pub is_loss: bool,
}

impl<'a> View<'a> {
    /// A core's state.
    #[must_use]
    pub fn state<T: Content>(&self, node: NodeId) -> &'a T {
        self.nodes[node].state.of()
    }

    /// The monitor's history variables.
    #[must_use]
    pub fn monitor<T: Content>(&self) -> &'a T {
        self.monitor.system.of()
    }

    /// The violation of the last step, if there was one.
    #[must_use]
    pub fn violation(&self) -> Option<&Violation> {
        self.monitor.violation.as_ref()
    }

    /// Whether the last step broke a rule.
    #[must_use]
    pub fn breaks(&self, rule: StepRule) -> bool {
        self.monitor.breaches.contains(rule)
    }

    /// What can happen next, whatever is left of the budgets: the actions that no part refuses, for
    /// a property that reads the links.
    pub fn possible(&self) -> Box<dyn Iterator<Item = PossibleAction> + 'a> {
        self.next.possible(self)
    }

    /// Whether a kind of fault has happened before this state; only for budgets with a limit.
    fn is_used(&self, budget: &str) -> bool {
        let place = self.budgets.iter().position(|other| other.name == budget);
        place.is_some_and(|place| {
            let id = BudgetId(u8::try_from(place).expect("a world has few budgets"));
            self.remaining.of(id) < self.budgets[place].limit
        })
    }
}

/// A state predicate.
#[derive(Clone)]
pub struct Predicate(Arc<PredicateFn>);

type PredicateFn = dyn Fn(&View<'_>) -> bool + Send + Sync;

impl Predicate {
    /// A predicate.
    pub fn new(predicate: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(predicate))
    }

    /// Whether it holds.
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

/// The temporal formula of a property.
#[derive(Clone, Debug)]
pub enum TemporalFormula {
    /// An invariant: it holds in every state; the antecedent must hold in some.
    Always {
        /// The invariant.
        holds: Predicate,
        /// The antecedent.
        antecedent: Predicate,
    },
    /// It holds in some state.
    Sometimes(Predicate),
    /// From every state where the antecedent holds, one where the goal holds is reachable.
    CanReach {
        /// The antecedent.
        antecedent: Predicate,
        /// The goal.
        goal: Predicate,
    },
    /// On every fair path, the goal follows each state where the antecedent holds.
    LeadsTo {
        /// The antecedent.
        antecedent: Predicate,
        /// The goal.
        goal: Predicate,
    },
}

impl TemporalFormula {
    /// Whether the formula holds in a state after a waived fault. An invariant and a path to a goal
    /// are waived there. But such a state is no goal of `can reach`, which has to be reachable
    /// without the fault. As budgets never grow, a path to a state before the fault contains no
    /// such fault.
    fn holds_after_waived_fault(&self) -> bool {
        match self {
            Self::Always { .. } | Self::LeadsTo { .. } => true,
            Self::Sometimes(_) | Self::CanReach { .. } => false,
        }
    }
}

/// What the predicates of a property read. A search evaluates them once for all states that differ
/// in nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reads {
    /// The monitor.
    Monitor,
    /// The nodes, too.
    Nodes,
    /// The nodes and the links, too.
    Links,
}

/// A property to check.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// The sentence.
    pub sentence: String,
    /// What it states.
    pub formula: TemporalFormula,
    /// What its predicates read.
    pub reads: Reads,
    /// The faults it waives: after any of them it need not hold; see
    /// [`World::add_property`](crate::World::add_property) for those that it may name.
    pub without: Vec<String>,
}

impl Property {
    /// What every system of compiled cores has to keep.
    #[must_use]
    pub fn no_core_panics() -> Self {
        let holds = |view: &View<'_>| !view.violation().is_some_and(Violation::is_panic);
        Self {
            name: "no core panics".to_owned(),
            sentence: "Every core takes each of its steps to the end.".to_owned(),
            formula: TemporalFormula::Always {
                holds: Predicate::new(holds),
                antecedent: Predicate::new(|_| true),
            },
            reads: Reads::Monitor,
            without: Vec::new(),
        }
    }

    /// Evaluates its antecedent and its consequent or goal in one state.
    #[must_use]
    pub fn evaluate(&self, view: &View<'_>) -> Evaluation {
        if self.without.iter().any(|budget| view.is_used(budget)) {
            return Evaluation {
                antecedent: false,
                holds: self.formula.holds_after_waived_fault(),
            };
        }
        let (antecedent, holds) = match &self.formula {
            TemporalFormula::Always { holds, antecedent } => (Some(antecedent), holds),
            TemporalFormula::Sometimes(holds) => (None, holds),
            TemporalFormula::CanReach { antecedent, goal }
            | TemporalFormula::LeadsTo { antecedent, goal } => (Some(antecedent), goal),
        };
        Evaluation {
            antecedent: antecedent.is_none_or(|antecedent| antecedent.holds(view)),
            holds: holds.holds(view),
        }
    }
}

/// The value of a property in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Whether its antecedent holds.
    pub antecedent: bool,
    /// Whether its consequent or goal holds.
    pub holds: bool,
}
