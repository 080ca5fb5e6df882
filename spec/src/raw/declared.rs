//! States, sets, events, actions and resources as they are declared.

use super::about::{About, about};
use super::node::{flag, is_odd, word, words};
use super::variable::{Assignment, assignments};
use crate::diagnostic::Span;
use crate::language;
use crate::table::COMPLETION;
use crate::yaml::{Node, Value, Word};

/// A state's declaration. What is `None` is not written.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) about: About,
    pub(crate) holds: Option<Vec<Word>>,
    pub(crate) may_hold: Option<Vec<Word>>,
    pub(crate) initial: Option<bool>,
    pub(crate) is_final: Option<bool>,
    pub(crate) may_end: Option<bool>,
    /// The actions of rows that leave it.
    pub(crate) exit: Option<Vec<Word>>,
    /// The actions of rows that enter it.
    pub(crate) entry: Option<Vec<Word>>,
    pub(crate) invented: Option<Word>,
    pub(crate) undeclared: bool,
}

impl State {
    /// The actions of rows that leave it, then those of rows that enter it.
    pub(crate) fn actions(&self) -> impl Iterator<Item = &Word> {
        self.exit.iter().chain(&self.entry).flatten()
    }
}

/// A named set of states.
#[derive(Clone, Default)]
pub(crate) struct StateSet {
    pub(crate) about: About,
    pub(crate) states: Vec<Word>,
}

/// An event's declaration.
#[derive(Clone, Default)]
pub(crate) struct Event {
    pub(crate) about: About,
    pub(crate) kind: Option<Word>,
    pub(crate) payload: Option<(Word, Vec<Word>)>,
    /// More fields than one: an error.
    pub(crate) surplus: Option<Word>,
    /// Whether a comma cut the payload's values, or it is no mapping: reported already.
    pub(crate) is_cut: bool,
    /// Whether a key is unknown: reported already.
    pub(crate) is_odd: bool,
    /// Whether the payload's values are a list of words.
    pub(crate) is_words: bool,
    pub(crate) consumes: Option<Vec<Word>>,
}

impl Event {
    /// Whether the file declares it.
    pub(crate) fn is_declared(&self) -> bool {
        self.kind.as_ref().is_none_or(|kind| kind.text != COMPLETION)
    }

    /// The event of rows without one.
    pub(super) fn completion() -> Self {
        let kind = Word { text: COMPLETION.to_owned(), span: Span::default() };
        Self { kind: Some(kind), ..Self::default() }
    }
}

/// An action's declaration.
#[derive(Clone, Default)]
pub(crate) struct Action {
    pub(crate) about: About,
    pub(crate) creates: Option<Vec<Word>>,
    pub(crate) deletes: Option<Vec<Word>>,
    pub(crate) restarts: Option<Vec<Word>>,
    pub(crate) abandons: Option<Vec<Word>>,
    /// The event that another instance of the machine gets in the same step.
    pub(crate) tells: Option<Word>,
    /// The message that it sends.
    pub(crate) sends: Option<Word>,
    /// The values that variables get.
    pub(crate) sets: Option<Vec<Assignment>>,
    /// What is added to variables.
    pub(crate) adds: Option<Vec<Assignment>>,
    /// The variables that get their initial values.
    pub(crate) clears: Option<Vec<Word>>,
}

impl Action {
    /// What it creates, deletes, restarts and abandons.
    pub(crate) fn resources(&self) -> [&Option<Vec<Word>>; 4] {
        [&self.creates, &self.deletes, &self.restarts, &self.abandons]
    }
}

/// A resource, or a general word for several.
#[derive(Clone, Default)]
pub(crate) struct Resource {
    pub(crate) about: About,
    pub(crate) kind: Option<Word>,
    pub(crate) any_of: Option<Vec<Word>>,
    /// Whether a key is unknown: reported already.
    pub(crate) is_odd: bool,
}

pub(super) fn state(node: &Node) -> State {
    State {
        about: about(node),
        holds: words(node, "holds"),
        may_hold: words(node, "may hold"),
        initial: flag(node, "initial"),
        is_final: flag(node, "final"),
        may_end: flag(node, "may end"),
        exit: words(node, "exit"),
        entry: words(node, "entry"),
        invented: word(node, "invented"),
        undeclared: flag(node, "undeclared").unwrap_or(false),
    }
}

pub(super) fn set(node: &Node) -> StateSet {
    match node.value {
        Value::List(_) => StateSet { about: About::default(), states: node.words() },
        Value::Absent | Value::Refused | Value::Scalar(_) | Value::Map(_) => {
            StateSet { about: about(node), states: words(node, "states").unwrap_or_default() }
        }
    }
}

pub(super) fn event(node: &Node) -> Event {
    let fields = node.at("payload").map(Node::entries).unwrap_or_default();
    let (cut, surplus): (Vec<_>, Vec<_>) =
        fields.iter().skip(1).partition(|(_, values)| values.value == Value::Absent);
    Event {
        about: about(node),
        kind: word(node, "kind"),
        payload: fields.first().map(|(field, values)| (field.clone(), values.words())),
        surplus: surplus.first().map(|(field, _)| field.clone()),
        is_cut: !cut.is_empty() || (node.at("payload").is_some() && fields.is_empty()),
        is_odd: is_odd(node, &language::EVENT),
        is_words: fields.first().is_some_and(|(_, node)| matches!(node.value, Value::List(_))),
        consumes: words(node, "consumes"),
    }
}

pub(super) fn action(node: &Node) -> Action {
    Action {
        about: about(node),
        creates: words(node, "creates"),
        deletes: words(node, "deletes"),
        restarts: words(node, "restarts"),
        abandons: words(node, "abandons"),
        tells: word(node, "tells"),
        sends: word(node, "sends"),
        sets: assignments(node, "sets"),
        adds: assignments(node, "adds"),
        clears: words(node, "clears"),
    }
}

pub(super) fn resource(node: &Node) -> Resource {
    match node.value {
        Value::Scalar(_) => Resource { kind: Some(node.word()), ..Resource::default() },
        Value::List(_) => Resource { any_of: Some(node.words()), ..Resource::default() },
        Value::Absent | Value::Refused | Value::Map(_) => {
            let (kind, any_of) = (word(node, "kind"), words(node, "any of"));
            Resource {
                about: about(node),
                kind,
                any_of,
                is_odd: is_odd(node, &language::RESOURCE_MAP),
            }
        }
    }
}
