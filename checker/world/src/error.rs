//! Why a world cannot be searched: said before the search, all of it at once.

use std::error::Error;
use std::fmt;

use crate::Node;
use crate::budget::{Budget, Left};
use crate::link::Link;
use crate::property::{Claim, Property};

/// Nodes of a world at most: they are told apart by the bits of a word.
pub const NODES_MAX: usize = 64;

/// Something that is wrong with a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldError {
    /// More nodes than are told apart by the bits of a word.
    Nodes {
        /// How many there are.
        count: usize,
    },
    /// A link whose end is no node.
    Link {
        /// The link, by its place.
        link: usize,
        /// The node that there is not.
        node: usize,
    },
    /// More budgets than a state has room for.
    Budgets {
        /// How many there are.
        count: usize,
    },
    /// A budget that is larger than a state has room for.
    Limit {
        /// Its name.
        budget: String,
        /// How often it may be spent.
        limit: u8,
    },
    /// Two budgets of one name.
    Twice {
        /// The name.
        budget: String,
    },
    /// A budget of which neither the World nor the system ever takes.
    Unknown {
        /// Its name.
        budget: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A `sometimes` with `without`: a state is found or it is not, whatever happened before.
    Excused {
        /// The property.
        property: String,
    },
    /// A `without` that names a budget without end: whether it was spent cannot be told.
    Endless {
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
            Self::Link { link, node } => {
                write!(f, "link {link} ends at node {node}: there is none")
            }
            Self::Budgets { count } => {
                write!(f, "{count} budgets are too many: at most {}", Left::KINDS)
            }
            Self::Limit { budget, limit } => write!(
                f,
                "the budget of `{budget}` is {limit}: at most {}, or no limit",
                Left::LIMIT
            ),
            Self::Twice { budget } => write!(f, "`{budget}` has two budgets"),
            Self::Unknown { budget, known } => {
                write!(f, "no kind of fault is called `{budget}`: there are {}", known.join(", "))
            }
            Self::Excused { property } => {
                write!(f, "`{property}` is a `sometimes`, which excuses no fault")
            }
            Self::Endless { property, budget } => write!(
                f,
                "`{property}` excuses `{budget}`, whose budget has no limit: whether it has \
                 happened cannot be told"
            ),
        }
    }
}

impl Error for WorldError {}

/// What is wrong with the parts of a world. `known`: the budgets that something takes from.
pub(super) fn of_parts(
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
    if budgets.len() > Left::KINDS {
        errors.push(WorldError::Budgets { count: budgets.len() });
    }
    for (place, Budget { name, limit }) in budgets.iter().enumerate() {
        let budget = || name.clone();
        if let Some(limit) = limit.filter(|limit| *limit > Left::LIMIT) {
            errors.push(WorldError::Limit { budget: budget(), limit });
        }
        if budgets[..place].iter().any(|other| other.name == *name) {
            errors.push(WorldError::Twice { budget: budget() });
        }
        errors.extend(unknown(name, known));
    }
    errors
}

/// What is wrong with a property of a world that has these budgets.
pub(super) fn of_property(
    property: &Property,
    budgets: &[Budget],
    known: &[String],
) -> Vec<WorldError> {
    let mut errors = Vec::new();
    let name = || property.name.to_owned();
    let is_sometimes = matches!(property.claim, Claim::Sometimes(_));
    if is_sometimes && !property.without.is_empty() {
        errors.push(WorldError::Excused { property: name() });
    }
    for excused in &property.without {
        errors.extend(unknown(excused, known));
        let mut endless = budgets.iter().filter(|budget| budget.limit.is_none());
        if endless.any(|budget| budget.name == *excused) {
            errors.push(WorldError::Endless { property: name(), budget: excused.clone() });
        }
    }
    errors
}

fn unknown(budget: &String, known: &[String]) -> Option<WorldError> {
    (!known.contains(budget))
        .then(|| WorldError::Unknown { budget: budget.clone(), known: known.to_vec() })
}
