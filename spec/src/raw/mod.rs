//! A table file as it is written: words and places, names not yet looked up. Stands between the
//! YAML tree, whose shape is checked by then, and the reader. It finds no diagnostics.

mod amendment;
mod formula;
mod parts;
mod row;
mod variable;

use crate::diagnostic::Span;
use crate::language;
use crate::limit;
use crate::shape::{self, Shape};
use crate::table::{COMPLETION, Lines};
use crate::versions::{ExplainedMutant, Uncited};
use crate::yaml::{Node, Value, Word};

pub(crate) use amendment::{
    Amendment, CellSelector, Reading, Removal, RowChange, Selector, SetRow,
};
#[cfg(feature = "systems")]
pub(crate) use formula::formula;
pub(crate) use formula::{Connective, Formula, Quantifier, Rule, SymbolDecl};
pub(crate) use parts::{Declaration, SECTIONS, Sections, keys};
pub(crate) use row::{Actions, Branch, Cell, Condition, Loop, Row};
pub(crate) use variable::{Assignment, Variable};

/// A list of declarations, each under its name, in the order written.
pub(crate) type Named<T> = Vec<(Word, T)>;

/// A whole file.
#[derive(Clone, Default)]
pub(crate) struct Table {
    pub(crate) machine: Word,
    pub(crate) document: Option<Document>,
    pub(crate) parts: Sections,
    /// Who knows the instances, where that is written.
    pub(crate) instances: Option<Vec<Word>>,
    pub(crate) uncited: Vec<Uncited>,
    pub(crate) amendments: Vec<Amendment>,
    pub(crate) readings: Vec<Reading>,
    pub(crate) survivors: Vec<ExplainedMutant>,
}

/// The document that a table transcribes.
#[derive(Clone, Default)]
pub(crate) struct Document {
    pub(crate) file: String,
    pub(crate) title: String,
    pub(crate) section: String,
    pub(crate) sha256: String,
    pub(crate) cite: Vec<Lines>,
}

/// What every declaration may have.
#[derive(Clone, Default)]
pub(crate) struct About {
    pub(crate) about: String,
    pub(crate) ident: Option<Word>,
    pub(crate) cite: Vec<Lines>,
}

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
    fn completion() -> Self {
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

/// Reads a tree whose shape is right.
pub(crate) fn table(node: &Node) -> Table {
    let mut table = sections(node);
    table.declare_completion();
    table
}

impl Table {
    /// Declares the event of rows without one, if there are any.
    fn declare_completion(&mut self) {
        let added = self.amendments.iter().flat_map(|amendment| &amendment.add.rows);
        let first = self.parts.rows.iter().chain(added).find(|row| row.is_completion());
        let Some(word) = first.map(|row| row.event[0].clone()) else { return };
        if self.parts.events.iter().all(|(_, event)| event.is_declared()) {
            self.parts.events.push((word, Event::completion()));
        }
    }

    /// The table in a reading, which is the last of its amendments.
    pub(crate) fn in_reading(&self, reading: &Reading) -> Self {
        let mut table = self.clone();
        let is_without = |one: &Amendment| reading.without.iter().any(|id| id.text == one.id.text);
        table.amendments.retain(|amendment| !is_without(amendment));
        table.amendments.push(Amendment { is_reading: true, ..reading.change.clone() });
        table.readings.clear();
        table.declare_completion();
        table
    }

    /// The position of the reading, in a table that is in one.
    pub(crate) fn reading(&self) -> Option<usize> {
        let last = self.amendments.len().checked_sub(1)?;
        self.amendments[last].is_reading.then_some(last)
    }
}

fn sections(node: &Node) -> Table {
    Table {
        machine: word(node, "machine").unwrap_or_default(),
        document: node.at("document").map(document),
        parts: parts(node),
        instances: node.at("instances").and_then(|node| words(node, "asked of")),
        uncited: list(node, "uncited", |node| Uncited {
            lines: cite(node, "lines"),
            because: text(node, "because"),
            span: node.span,
        }),
        amendments: list(node, "amendments", amendment::amendment),
        readings: list(node, "readings", amendment::reading),
        survivors: list(node, "survivors", survivors).into_iter().flatten().collect(),
    }
}

/// Each change of each row of an entry; no more than are allowed, and one that is too many.
fn survivors(node: &Node) -> Vec<ExplainedMutant> {
    let (rows, changes) = (words(node, "row"), words(node, "change"));
    let (rows, changes) = (rows.unwrap_or_default(), changes.unwrap_or_default());
    let each = rows.iter().flat_map(|row| changes.iter().map(move |change| (row, change)));
    let survivor = |(row, change): (&Word, &Word)| ExplainedMutant {
        row: row.text.clone(),
        change: change.text.clone(),
        because: text(node, "because"),
        is_equivalent: flag(node, "equivalent").unwrap_or(true),
        span: if changes.len() > 1 { change.span } else { row.span },
    };
    each.take(limit::SURVIVORS + 1).map(survivor).collect()
}

/// The declarations, rows and cells of a file or of an amendment's `add` and `change`.
pub(crate) fn parts(node: &Node) -> Sections {
    Sections {
        states: named(node, "states", state),
        sets: named(node, "sets", set),
        events: named(node, "events", event),
        actions: named(node, "actions", action),
        resources: named(node, "resources", resource),
        guards: named(node, "guards", guard),
        guard_formulas: guard_formulas(node, false),
        guard_comparisons: guard_formulas(node, true),
        variables: named(node, "variables", variable::variable),
        predicates: named(node, "predicates", formula::asked),
        collections: named(node, "collections", formula::asked),
        rules: named(node, "rules", formula::rule),
        invariants: named(node, "invariants", formula::rule),
        rows: list(node, "transitions", row::row),
        ignore: list(node, "ignore", row::cell),
        impossible: list(node, "impossible", row::cell),
        unspecified: list(node, "unspecified", row::cell),
    }
}

/// The document of a table or a system.
pub(crate) fn document(node: &Node) -> Document {
    Document {
        file: text(node, "file"),
        title: text(node, "title"),
        section: text(node, "section"),
        sha256: text(node, "sha256"),
        cite: cite(node, "cite"),
    }
}

fn about(node: &Node) -> About {
    About { about: text(node, "about"), ident: word(node, "ident"), cite: cite(node, "cite") }
}

fn state(node: &Node) -> State {
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

fn set(node: &Node) -> StateSet {
    match node.value {
        Value::List(_) => StateSet { about: About::default(), states: node.words() },
        Value::Absent | Value::Refused | Value::Scalar(_) | Value::Map(_) => {
            StateSet { about: about(node), states: words(node, "states").unwrap_or_default() }
        }
    }
}

fn event(node: &Node) -> Event {
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

fn action(node: &Node) -> Action {
    Action {
        about: about(node),
        creates: words(node, "creates"),
        deletes: words(node, "deletes"),
        restarts: words(node, "restarts"),
        abandons: words(node, "abandons"),
        tells: word(node, "tells"),
        sends: word(node, "sends"),
        sets: variable::assignments(node, "sets"),
        adds: variable::assignments(node, "adds"),
        clears: words(node, "clears"),
    }
}

fn resource(node: &Node) -> Resource {
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

fn guard(node: &Node) -> About {
    match &node.value {
        Value::Scalar(text) => About { about: text.clone(), ..About::default() },
        Value::Absent | Value::Refused | Value::List(_) | Value::Map(_) => about(node),
    }
}

/// The guards that are formulas: those that compare variables, or the others.
fn guard_formulas(node: &Node, compare: bool) -> Named<Rule> {
    let guards = node.at("guards").map(Node::entries).unwrap_or_default();
    let of_formulas = guards.iter().filter(|(_, guard)| guard.at("is").is_some());
    let rules = of_formulas.map(|(name, guard)| (name.clone(), formula::of_guard(guard)));
    rules.filter(|(_, rule)| variable::is_comparison(&rule.is) == compare).collect()
}

/// Whether a mapping has keys that its shape does not know.
fn is_odd(node: &Node, shape: &Shape) -> bool {
    let is_known = |word: &Word| shape.keys.iter().any(|key| key.name == word.text);
    node.entries().iter().any(|(word, _)| !is_known(word))
}

/// The text under a key, or empty.
pub(crate) fn text(node: &Node, key: &str) -> String {
    word(node, key).map(|word| word.text).unwrap_or_default()
}

/// The word under a key.
pub(crate) fn word(node: &Node, key: &str) -> Option<Word> {
    node.at(key).map(Node::word)
}

/// The word or words under a key.
pub(crate) fn words(node: &Node, key: &str) -> Option<Vec<Word>> {
    node.at(key).map(Node::words)
}

/// The lines under a key.
pub(crate) fn cite(node: &Node, key: &str) -> Vec<Lines> {
    let words = words(node, key).unwrap_or_default();
    words.iter().filter_map(|word| shape::lines(&word.text)).collect()
}

/// The items of the list under a key.
pub(crate) fn list<T>(node: &Node, key: &str, read: fn(&Node) -> T) -> Vec<T> {
    node.at(key).map(|list| list.items().iter().map(read).collect()).unwrap_or_default()
}

/// The entries of the mapping under a key.
pub(crate) fn named<T>(node: &Node, key: &str, read: fn(&Node) -> T) -> Named<T> {
    let entries = node.at(key).map(Node::entries).unwrap_or_default();
    entries.iter().map(|(name, node)| (name.clone(), read(node))).collect()
}

/// The flag under a key.
pub(crate) fn flag(node: &Node, key: &str) -> Option<bool> {
    word(node, key).map(|word| word.text == "true")
}
