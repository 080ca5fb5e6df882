//! What every declaration may have.

use super::node::{cite, text, word};
use crate::table::Lines;
use crate::yaml::{Node, Value, Word};

/// What every declaration may have.
#[derive(Clone, Default)]
pub(crate) struct About {
    pub(crate) about: String,
    pub(crate) ident: Option<Word>,
    pub(crate) cite: Vec<Lines>,
}

/// The keys that every declaration may have.
pub(super) fn about(node: &Node) -> About {
    About { about: text(node, "about"), ident: word(node, "ident"), cite: cite(node, "cite") }
}

/// A guard without its formula: a bare text describes it.
pub(super) fn guard(node: &Node) -> About {
    match &node.value {
        Value::Scalar(text) => About { about: text.clone(), ..About::default() },
        Value::Absent | Value::Refused | Value::List(_) | Value::Map(_) => about(node),
    }
}
