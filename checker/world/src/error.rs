//! Errors of a world, for which it cannot be searched: all are reported at once, before the search.

use std::error::Error;
use std::fmt;

use crate::budget::{Budget, RemainingBudgets};
use crate::links::link::Link;
use crate::nodes::roles::Node;
use crate::property::{Property, TemporalFormula};

/// The most nodes of a world: a set of nodes is the bits of a word.
pub const NODES_MAX: usize = 64;
/// The most initial states of a world.
pub const INITIAL_STATES_MAX: usize = 1 << 16;

/// An error of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldError {
    /// More than [`NODES_MAX`] nodes.
    Nodes {
        /// Their number.
        count: usize,
    },
    /// More than [`INITIAL_STATES_MAX`] combinations of the states in which nodes may begin.
    InitialStates {
        /// Their number.
        count: usize,
    },
    /// A link to a node that does not exist.
    Link {
        /// The index of the link.
        link: usize,
        /// The missing node.
        node: usize,
    },
    /// More than [`RemainingBudgets::KINDS`] budgets.
    Budgets {
        /// Their number.
        count: usize,
    },
    /// A limit above [`RemainingBudgets::LIMIT`].
    Limit {
        /// Its name.
        budget: String,
        /// Its limit.
        limit: u8,
    },
    /// Two budgets with the same name.
    Twice {
        /// The name.
        budget: String,
    },
    /// A budget that neither the World nor the system knows.
    Unknown {
        /// Its name.
        budget: String,
        /// The known names.
        known: Vec<String>,
    },
    /// A `sometimes` with `without`, which has no meaning.
    Waived {
        /// The property.
        property: String,
    },
    /// A `without` that names a budget without a limit: whether it was spent is unknown.
    Unlimited {
        /// The property.
        property: String,
        /// The budget.
        budget: String,
    },
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes { count } => {
                write!(f, "{count} nodes are too many: at most {}", NODES_MAX)
            }
            Self::InitialStates { count } => write!(
                f,
                "its nodes may begin in {count} combinations of states: at most {}; give it fewer \
                 nodes, or their tables fewer states with `initial: true`",
                INITIAL_STATES_MAX
            ),
            Self::Link { link, node } => {
                write!(f, "link {link} ends at node {node}: there is none")
            }
            Self::Budgets { count } => {
                write!(f, "{count} budgets are too many: at most {}", RemainingBudgets::KINDS)
            }
            Self::Limit { budget, limit } => write!(
                f,
                "the budget of `{budget}` is {limit}: at most {}, or no limit",
                RemainingBudgets::LIMIT
            ),
            Self::Twice { budget } => write!(f, "`{budget}` has two budgets"),
            Self::Unknown { budget, known } => {
                write!(f, "no kind of fault is called `{budget}`: there are {}", known.join(", "))
            }
            Self::Waived { property } => {
                write!(f, "`{property}` is a `sometimes`, which cannot waive a fault")
            }
            Self::Unlimited { property, budget } => write!(
                f,
                "`{property}` waives `{budget}`, whose budget has no limit: whether it has \
                 occurred is unknown"
            ),
        }
    }
}

impl Error for WorldError {}

/// The errors in the parts of a world. `known`: the names of its budgets.
pub(super) fn check_parts(
    nodes: &[Node],
    links: &[Link],
    budgets: &[Budget],
    known: &[String],
) -> Vec<WorldError> {
    let mut errors = Vec::new();
    if nodes.len() > NODES_MAX {
        errors.push(WorldError::Nodes { count: nodes.len() });
    }
    for (link, ends) in links.iter().enumerate() {
        let missing = [ends.from, ends.to].into_iter().filter(|node| *node >= nodes.len());
        errors.extend(missing.map(|node| WorldError::Link { link, node }));
    }
    if budgets.len() > RemainingBudgets::KINDS {
        errors.push(WorldError::Budgets { count: budgets.len() });
    }
    for (place, Budget { name, limit }) in budgets.iter().enumerate() {
        let budget = || name.clone();
        if let Some(limit) = limit.filter(|limit| *limit > RemainingBudgets::LIMIT) {
            errors.push(WorldError::Limit { budget: budget(), limit });
        }
        if budgets[..place].iter().any(|other| other.name == *name) {
            errors.push(WorldError::Twice { budget: budget() });
        }
        errors.extend(unknown(name, known));
    }
    errors
}

/// The errors in a property of a world with these budgets.
pub(super) fn check_property(
    property: &Property,
    budgets: &[Budget],
    known: &[String],
) -> Vec<WorldError> {
    let mut errors = Vec::new();
    let name = || property.name.to_owned();
    let is_sometimes = matches!(property.formula, TemporalFormula::Sometimes(_));
    if is_sometimes && !property.without.is_empty() {
        errors.push(WorldError::Waived { property: name() });
    }
    for waived in &property.without {
        errors.extend(unknown(waived, known));
        let mut unlimited = budgets.iter().filter(|budget| budget.limit.is_none());
        if unlimited.any(|budget| budget.name == *waived) {
            errors.push(WorldError::Unlimited { property: name(), budget: waived.clone() });
        }
    }
    errors
}

fn unknown(budget: &String, known: &[String]) -> Option<WorldError> {
    (!known.contains(budget))
        .then(|| WorldError::Unknown { budget: budget.clone(), known: known.to_vec() })
}
