//! Variables as they are written, and what actions do to them.

use super::about::{About, about};
use super::formula::Formula;
use super::node::word;
use crate::variable::Relation;
use crate::yaml::{Node, Value, Word};

/// A variable's declaration.
#[derive(Clone, Default)]
pub(crate) struct Variable {
    pub(crate) about: About,
    /// Its values: a range or `boolean`, or the words of a list.
    pub(crate) values: Vec<Word>,
    pub(crate) is_words: bool,
    pub(crate) initial: Option<Word>,
}

/// `votes: 0`: a variable, and what it gets or what is added to it.
pub(crate) type Assignment = (Word, Word);

pub(super) fn variable(node: &Node) -> Variable {
    let values = match &node.value {
        Value::Map(_) => node.at("values"),
        Value::Absent | Value::Refused | Value::Scalar(_) | Value::List(_) => Some(node),
    };
    Variable {
        about: about(node),
        values: values.map(Node::words).unwrap_or_default(),
        is_words: values.is_some_and(|values| matches!(values.value, Value::List(_))),
        initial: word(node, "initial"),
    }
}

/// The assignments under a key of an action.
pub(super) fn assignments(node: &Node, key: &str) -> Option<Vec<Assignment>> {
    let entries = node.at(key)?.entries();
    Some(entries.iter().map(|(variable, value)| (variable.clone(), value.word())).collect())
}

/// Whether a guard's formula compares: then it is one over variables.
pub(super) fn is_comparison(formula: &Formula) -> bool {
    let [leaves, _] = formula.leaves_and_lists();
    leaves.iter().any(|leaf| Relation::is_in(&leaf.text))
}
