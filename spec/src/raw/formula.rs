//! Rules and invariants as they are written.

use super::about::{About, about};
use super::node::words;
use crate::diagnostic::Span;
use crate::yaml::{Node, Value, Word};

/// The declaration of a predicate or a collection.
#[derive(Clone, Default)]
pub(crate) struct SymbolDecl {
    pub(crate) about: About,
    pub(crate) of: Vec<Word>,
    /// The evaluators, if they are given.
    pub(crate) asked: Option<Vec<Word>>,
}

/// A rule, an invariant, or the formula of a guard.
#[derive(Clone, Default)]
pub(crate) struct Rule {
    pub(crate) is_of_guard: bool,
    pub(crate) about: About,
    pub(crate) of: Vec<Word>,
    pub(crate) is: Formula,
    pub(crate) span: Span,
}

/// A formula, names not yet looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    /// `covers(lock, byte)` or `lock in ACTIVE`.
    Leaf(Word),
    /// `all`, `any`, `implies`, `iff`, over parts.
    Of(Connective, Vec<Formula>, Span),
    /// The opposite.
    Not(Box<Formula>),
    /// `every: lock in ACTIVE`, and its body.
    Quantified(Quantifier, Word, Box<Formula>),
}

/// How parts are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connective {
    All,
    Any,
    Implies,
    Iff,
}

/// The kinds of quantifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Every,
    Some,
    None,
}

impl Default for Formula {
    fn default() -> Self {
        Self::Of(Connective::All, Vec::new(), Span::default())
    }
}

pub(super) fn asked(node: &Node) -> SymbolDecl {
    let of = words(node, "of").unwrap_or_default();
    SymbolDecl { about: about(node), of, asked: words(node, "asked of") }
}

/// The formula of a guard.
pub(super) fn of_guard(node: &Node) -> Rule {
    Rule { is_of_guard: true, ..rule(node) }
}

pub(super) fn rule(node: &Node) -> Rule {
    Rule {
        is_of_guard: false,
        about: about(node),
        of: words(node, "of").unwrap_or_default(),
        is: node.at("is").map(formula).unwrap_or_default(),
        span: node.span,
    }
}

/// A leaf, or one of the connectives and quantifiers; several beside each other mean all of them.
pub(crate) fn formula(node: &Node) -> Formula {
    let Value::Map(entries) = &node.value else { return Formula::Leaf(node.word()) };
    let inner = || node.at("is").map(formula).unwrap_or_default();
    let mut parts: Vec<Formula> = entries
        .iter()
        .filter_map(|(key, value)| {
            let of = |how| {
                let parts = value.items().iter().map(formula).collect();
                Some(Formula::Of(how, parts, value.span))
            };
            let each = |how| Some(Formula::Quantified(how, value.word(), Box::new(inner())));
            match key.text.as_str() {
                "all" => of(Connective::All),
                "any" => of(Connective::Any),
                "implies" => of(Connective::Implies),
                "iff" => of(Connective::Iff),
                "not" => Some(Formula::Not(Box::new(formula(value)))),
                "every" => each(Quantifier::Every),
                "some" => each(Quantifier::Some),
                "none" => each(Quantifier::None),
                _ => None,
            }
        })
        .collect();
    if parts.len() == 1 { parts.remove(0) } else { Formula::Of(Connective::All, parts, node.span) }
}

impl Formula {
    /// How many names, connectives and quantifiers it has.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Leaf(_) => 1,
            Self::Of(_, parts, _) => 1 + parts.iter().map(Self::size).sum::<usize>(),
            Self::Not(part) | Self::Quantified(_, _, part) => 1 + part.size(),
        }
    }

    /// Its words for a page: a line a part, two spaces a level.
    pub(crate) fn lines(&self, level: usize, lines: &mut Vec<String>) {
        let mut put = |text: &str| lines.push(format!("{}{text}", "  ".repeat(level)));
        match self {
            Self::Leaf(word) => put(&word.text),
            Self::Of(how, parts, _) => {
                put(match how {
                    Connective::All => "all of",
                    Connective::Any => "any of",
                    Connective::Implies => "the first implies the second",
                    Connective::Iff => "both or neither",
                });
                parts.iter().for_each(|part| part.lines(level + 1, lines));
            }
            Self::Not(part) => {
                put("not");
                part.lines(level + 1, lines);
            }
            Self::Quantified(how, word, part) => {
                put(&match how {
                    Quantifier::Every => format!("for every {}", word.text),
                    Quantifier::Some => format!("for some {}", word.text),
                    Quantifier::None => format!("for no {}", word.text),
                });
                part.lines(level + 1, lines);
            }
        }
    }

    /// The leaves, then what the quantifiers go over.
    pub(crate) fn texts(&self) -> Vec<&Word> {
        self.leaves_and_lists().concat()
    }

    /// The leaves; and what the quantifiers go over, each with its variable.
    pub(crate) fn leaves_and_lists(&self) -> [Vec<&Word>; 2] {
        let mut all = [Vec::new(), Vec::new()];
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            let [leaves, lists] = &mut all;
            match formula {
                Self::Leaf(word) => leaves.push(word),
                Self::Of(_, parts, _) => open.extend(parts.iter().rev()),
                Self::Not(part) => open.push(part),
                Self::Quantified(_, word, part) => {
                    lists.push(word);
                    open.push(part);
                }
            }
        }
        all
    }
}

/// Splits `covers(lock, byte)` into its name and its arguments.
pub(crate) fn call(text: &str) -> (&str, Vec<&str>) {
    let Some((head, rest)) = text.split_once('(') else { return (text.trim(), Vec::new()) };
    let inner = rest.strip_suffix(')').unwrap_or(rest).trim();
    let arguments =
        if inner.is_empty() { Vec::new() } else { inner.split(',').map(str::trim).collect() };
    (head.trim(), arguments)
}
