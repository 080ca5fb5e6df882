//! Rows, cells and conditions as they are written.

use std::ops::Range;

use super::node::{cite, text, word, words};
use crate::diagnostic::Span;
use crate::table::{COMPLETION, Lines};
use crate::yaml::{Node, Value, Word};

/// A row of `transitions`.
#[derive(Clone, Default)]
pub(crate) struct Row {
    pub(crate) from: Vec<Word>,
    pub(crate) to: Word,
    pub(crate) event: Vec<Word>,
    pub(crate) condition: Option<Condition>,
    /// Every action, in order, also those that are done only sometimes.
    pub(crate) actions: Vec<Word>,
    /// What is done only sometimes.
    pub(crate) branches: Vec<Branch>,
    /// The loops.
    pub(crate) loops: Vec<Loop>,
    /// Entries of `do` that cannot be, and why.
    pub(crate) faulty: Vec<(Span, &'static str)>,
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
    pub(crate) actions: Range<usize>,
}

/// Actions of a row that run once for each element of a collection:
/// `{ for each: COLLECTION, do: [...] }`.
#[derive(Clone)]
pub(crate) struct Loop {
    pub(crate) collection: Word,
    /// Which of the row's actions.
    pub(crate) actions: Range<usize>,
}

/// What a row does.
#[derive(Clone, Default)]
pub(crate) struct Actions {
    /// Every action, in order, also those that are done only sometimes or several times.
    pub(crate) words: Vec<Word>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) faulty: Vec<(Span, &'static str)>,
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

/// The actions of a row, with its conditional blocks and loops.
pub(super) fn actions(node: &Node) -> Actions {
    let mut actions = Actions::default();
    put(node, false, &mut actions);
    actions
}

fn put(node: &Node, in_loop: bool, actions: &mut Actions) {
    for item in node.items() {
        let Value::Map(_) = item.value else {
            actions.words.push(item.word());
            continue;
        };
        let Some(inner) = item.at("do") else { continue };
        let (first, branch, turn) =
            (actions.words.len(), actions.branches.len(), actions.loops.len());
        let (guard, each) = (item.at("if"), item.at("for each"));
        match (guard, each) {
            (None, None) => actions.faulty.push((item.span, "has neither `if` nor `for each`")),
            (Some(_), Some(_)) => actions.faulty.push((item.span, "has both `if` and `for each`")),
            (Some(_), None) if in_loop => {
                actions.faulty.push((item.span, "`if` inside `for each` is not supported"));
            }
            (None, Some(_)) if in_loop => {
                actions.faulty.push((item.span, "nested `for each` is not supported"))
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
        if let Some(guard) = guard {
            actions.branches.push(Branch { condition: condition(guard), actions: first..first });
        }
        if let Some(each) = each {
            actions.loops.push(Loop { collection: each.word(), actions: first..first });
        }
        let (branches, loops) = (actions.branches.len(), actions.loops.len());
        put(inner, in_loop || each.is_some(), actions);
        let end = actions.words.len();
        actions.branches[branch..branches].iter_mut().for_each(|one| one.actions.end = end);
        actions.loops[turn..loops].iter_mut().for_each(|one| one.actions.end = end);
    }
}

pub(super) fn row(node: &Node) -> Row {
    let Actions { words: actions, branches, loops, faulty } =
        node.at("do").map(actions).unwrap_or_default();
    Row {
        from: words(node, "from").unwrap_or_default(),
        to: word(node, "to").unwrap_or_default(),
        event: words(node, "event").unwrap_or_else(|| vec![completion(node)]),
        condition: node.at("if").map(condition),
        actions,
        branches,
        loops,
        faulty,
        untaken: word(node, "untaken"),
        cite: cite(node, "cite"),
        span: node.span,
    }
}

/// The event of a row that has none.
fn completion(row: &Node) -> Word {
    Word { text: COMPLETION.to_owned(), span: row.span }
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
    /// Whether the row has no event.
    pub(crate) fn is_completion(&self) -> bool {
        matches!(&self.event[..], [word] if word.text == COMPLETION && word.span == self.span)
    }

    /// Every guard that the row asks, in its condition and in its branches.
    pub(crate) fn guards(&self) -> Vec<&Word> {
        let mut guards = self.condition.as_ref().map(Condition::names).unwrap_or_default();
        self.branches.iter().for_each(|branch| guards.extend(branch.condition.names()));
        guards
    }

    /// The actions in words, each with the condition that it has to itself.
    pub(crate) fn action_words(&self) -> Vec<String> {
        let words = self.actions.iter().enumerate().map(|(at, word)| {
            let under = self.branches.iter().filter(|branch| branch.actions.contains(&at));
            let conditions: Vec<String> = under.map(|branch| branch.condition.words()).collect();
            let turns = self.loops.iter().filter(|one| one.actions.contains(&at));
            let turns: Vec<String> =
                turns.map(|one| format!("for each {}: ", one.collection.text)).collect();
            let text = format!("{}{}", turns.concat(), word.text);
            match conditions.is_empty() {
                true => text,
                false => format!("if {}: {text}", conditions.join(" and ")),
            }
        });
        words.collect()
    }

    /// Whether another row is equal, apart from its position.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let texts = |words: &[Word]| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
        let guard = |row: &Self| row.condition.as_ref().map(Condition::words);
        let excuse = |row: &Self| row.untaken.as_ref().map(|word| word.text.clone());
        texts(&self.from) == texts(&other.from)
            && self.to.text == other.to.text
            && texts(&self.event) == texts(&other.event)
            && guard(self) == guard(other)
            && self.action_words() == other.action_words()
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

    /// The names that it asks, to be changed.
    pub(crate) fn names_mut(&mut self) -> Vec<&mut Word> {
        match self {
            Self::Is(word) => vec![word],
            Self::All(parts) | Self::Any(parts) => {
                let mut names = Vec::new();
                parts.iter_mut().for_each(|part| names.extend(part.names_mut()));
                names
            }
            Self::Not(part) => part.names_mut(),
        }
    }

    /// The names that it asks.
    pub(crate) fn names(&self) -> Vec<&Word> {
        match self {
            Self::Is(word) => vec![word],
            Self::All(parts) | Self::Any(parts) => {
                let mut names = Vec::new();
                parts.iter().for_each(|part| names.extend(part.names()));
                names
            }
            Self::Not(part) => part.names(),
        }
    }
}
