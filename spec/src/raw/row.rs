//! Rows, cells and conditions as they are written.

use std::ops::Range;

use super::{cite, text, word, words};
use crate::fault::Span;
use crate::table::Lines;
use crate::yaml::{Node, Value, Word};

/// A row of `transitions`.
#[derive(Clone, Default)]
pub(crate) struct Row {
    pub(crate) from: Vec<Word>,
    pub(crate) to: Word,
    pub(crate) event: Vec<Word>,
    pub(crate) condition: Option<Condition>,
    /// Every action, in order, also those that are done only sometimes.
    pub(crate) does: Vec<Word>,
    /// What is done only sometimes.
    pub(crate) branches: Vec<Branch>,
    /// Why it is right that no run takes the row.
    pub(crate) untaken: Option<Word>,
    pub(crate) cite: Vec<Lines>,
    pub(crate) span: Span,
}

/// Actions of a row that are done under a condition: `{ if: GUARD, do: [...] }`.
#[derive(Clone)]
pub(crate) struct Branch {
    pub(crate) condition: Condition,
    /// Which of the row's actions.
    pub(crate) does: Range<usize>,
}

/// A condition over guards.
#[derive(Clone)]
pub(crate) enum Condition {
    Is(Word),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

/// An entry of `ignore` or `impossible`.
#[derive(Clone, Default)]
pub(crate) struct Cell {
    pub(crate) states: Vec<Word>,
    pub(crate) events: Vec<Word>,
    pub(crate) because: String,
    pub(crate) cite: Vec<Lines>,
    pub(crate) span: Span,
}

/// The actions of a row and what is done of them only sometimes.
pub(super) fn does(node: &Node) -> (Vec<Word>, Vec<Branch>) {
    let (mut words, mut branches) = (Vec::new(), Vec::new());
    put(node, &mut words, &mut branches);
    (words, branches)
}

fn put(node: &Node, words: &mut Vec<Word>, branches: &mut Vec<Branch>) {
    for item in node.items() {
        let Value::Map(_) = item.value else {
            words.push(item.word());
            continue;
        };
        let (first, at) = (words.len(), branches.len());
        if let (Some(guard), Some(inner)) = (item.at("if"), item.at("do")) {
            branches.push(Branch { condition: condition(guard), does: first..first });
            put(inner, words, branches);
            branches[at].does.end = words.len();
        }
    }
}

pub(super) fn row(node: &Node) -> Row {
    let (does, branches) = node.at("do").map(does).unwrap_or_default();
    Row {
        from: words(node, "from").unwrap_or_default(),
        to: word(node, "to").unwrap_or_default(),
        event: words(node, "event").unwrap_or_default(),
        condition: node.at("if").map(condition),
        does,
        branches,
        untaken: word(node, "untaken"),
        cite: cite(node, "cite"),
        span: node.span,
    }
}

pub(super) fn cell(node: &Node) -> Cell {
    Cell {
        states: words(node, "state").unwrap_or_default(),
        events: words(node, "event").unwrap_or_default(),
        because: text(node, "because"),
        cite: cite(node, "cite"),
        span: node.span,
    }
}

/// A name, or `all`, `any`, `not`; several of these beside each other mean all of them.
pub(super) fn condition(node: &Node) -> Condition {
    let Value::Map(entries) = &node.value else { return Condition::Is(node.word()) };
    let mut parts: Vec<Condition> = entries
        .iter()
        .map(|(key, value)| {
            let items = || value.items().iter().map(condition).collect();
            match key.text.as_str() {
                "all" => Condition::All(items()),
                "any" => Condition::Any(items()),
                _ => Condition::Not(Box::new(condition(value))),
            }
        })
        .collect();
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            Condition::All(parts)
        }
        None => Condition::All(parts),
    }
}

impl Row {
    /// Every guard that the row asks, in its condition and in its branches.
    pub(crate) fn guards(&self) -> impl Iterator<Item = &Word> {
        let branches = self.branches.iter().map(|branch| &branch.condition);
        self.condition.iter().chain(branches).flat_map(Condition::names)
    }

    /// The actions in words, each with the condition that it has to itself.
    pub(crate) fn does_words(&self) -> Vec<String> {
        let words = self.does.iter().enumerate().map(|(at, word)| {
            let under = self.branches.iter().filter(|branch| branch.does.contains(&at));
            let conditions: Vec<String> = under.map(|branch| branch.condition.words()).collect();
            match conditions.is_empty() {
                true => word.text.clone(),
                false => format!("if {}: {}", conditions.join(" and "), word.text),
            }
        });
        words.collect()
    }

    /// Whether another row says the same, wherever it stands.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let texts = |words: &[Word]| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
        let guard = |row: &Self| row.condition.as_ref().map(Condition::words);
        let excuse = |row: &Self| row.untaken.as_ref().map(|word| word.text.clone());
        texts(&self.from) == texts(&other.from)
            && self.to.text == other.to.text
            && texts(&self.event) == texts(&other.event)
            && guard(self) == guard(other)
            && self.does_words() == other.does_words()
            && excuse(self) == excuse(other)
    }
}

impl Condition {
    /// The condition in words, as reports show it.
    pub(crate) fn words(&self) -> String {
        let join = |parts: &[Condition], with: &str| {
            let texts: Vec<String> = parts.iter().map(Condition::inner).collect();
            texts.join(with)
        };
        match self {
            Self::Is(word) => word.text.clone(),
            Self::All(parts) => join(parts, " and "),
            Self::Any(parts) => join(parts, " or "),
            Self::Not(part) => format!("not {}", part.inner()),
        }
    }

    fn inner(&self) -> String {
        match self {
            Self::Is(_) | Self::Not(_) => self.words(),
            Self::All(_) | Self::Any(_) => format!("({})", self.words()),
        }
    }

    /// How many names and connectives it has.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Is(_) => 1,
            Self::All(parts) | Self::Any(parts) => 1 + parts.iter().map(Self::size).sum::<usize>(),
            Self::Not(part) => 1 + part.size(),
        }
    }

    /// The names that it asks.
    pub(crate) fn names(&self) -> Vec<&Word> {
        match self {
            Self::Is(word) => vec![word],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::names).collect(),
            Self::Not(part) => part.names(),
        }
    }
}
