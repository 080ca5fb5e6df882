//! Amendments and readings as they are written: what they add, change and remove, and why.

use super::node::{cite, is_odd, list, text, word, words};
use super::parts::{Sections, parts};
use super::row::{Actions, Condition, actions, condition};
use crate::diagnostic::Span;
use crate::language;
use crate::table::Lines;
use crate::yaml::{Node, Word};

/// One amendment.
#[derive(Clone, Default)]
pub(crate) struct Amendment {
    pub(crate) id: Word,
    pub(crate) because: String,
    pub(crate) shown_by: Vec<Word>,
    pub(crate) needs: Vec<Word>,
    pub(crate) rows: Vec<RowChange>,
    pub(crate) add: Sections,
    pub(crate) change: Sections,
    pub(crate) remove: Removal,
    /// Whether it is a reading, put last in the table that is read so.
    pub(crate) is_reading: bool,
    pub(crate) span: Span,
}

/// What else the document may mean: a change of the table after the amendments, except for those
/// that have no place in it.
#[derive(Clone, Default)]
pub(crate) struct Reading {
    /// Its `because` is the reading in one sentence, its `shown-by` are the checks that differ.
    pub(crate) change: Amendment,
    pub(crate) without: Vec<Word>,
    pub(crate) cite: Vec<Lines>,
}

/// A row and its new values.
#[derive(Clone, Default)]
pub(crate) struct RowChange {
    pub(crate) row: Selector,
    pub(crate) set: SetRow,
    /// Whether a key of the amendment is unknown: reported already.
    pub(crate) is_odd: bool,
}

/// Which row of those that an amendment is put to.
#[derive(Clone, Default)]
pub(crate) struct Selector {
    pub(crate) cite: Vec<Lines>,
    pub(crate) from: Option<Word>,
    pub(crate) event: Option<Word>,
    pub(crate) condition: Option<Condition>,
    pub(crate) span: Span,
}

/// The values that replace a row's own.
#[derive(Clone, Default)]
pub(crate) struct SetRow {
    pub(crate) from: Option<Vec<Word>>,
    pub(crate) to: Option<Word>,
    pub(crate) event: Option<Vec<Word>>,
    pub(crate) condition: Option<Condition>,
    pub(crate) actions: Option<Actions>,
    pub(crate) untaken: Option<Word>,
    pub(crate) span: Span,
}

/// What an amendment removes.
#[derive(Clone, Default)]
pub(crate) struct Removal {
    pub(crate) rows: Vec<Selector>,
    pub(crate) states: Vec<Word>,
    pub(crate) sets: Vec<Word>,
    pub(crate) events: Vec<Word>,
    pub(crate) actions: Vec<Word>,
    pub(crate) resources: Vec<Word>,
    pub(crate) guards: Vec<Word>,
    pub(crate) rules: Vec<Word>,
    pub(crate) invariants: Vec<Word>,
    pub(crate) ignore: Vec<CellSelector>,
    pub(crate) impossible: Vec<CellSelector>,
    pub(crate) unspecified: Vec<CellSelector>,
}

/// Which entry of `ignore`, `impossible` or `unspecified`.
#[derive(Clone, Default)]
pub(crate) struct CellSelector {
    pub(crate) states: Vec<Word>,
    pub(crate) events: Vec<Word>,
    pub(crate) span: Span,
}

impl Amendment {
    /// What diagnostics call it.
    pub(crate) fn noun(&self) -> &'static str {
        if self.is_reading { "reading" } else { "amendment" }
    }

    /// Whether it says why, and not what.
    pub(crate) fn is_empty(&self) -> bool {
        let cells = self.remove.cell_sections();
        self.rows.is_empty()
            && self.add.is_empty()
            && self.change.is_empty()
            && self.remove.rows.is_empty()
            && self.remove.names().iter().all(|(_, words)| words.is_empty())
            && cells.iter().all(|(_, cells)| cells.is_empty())
    }
}

impl Removal {
    /// The cells without a row that are removed, by section.
    pub(crate) fn cell_sections(&self) -> [(&'static str, &[CellSelector]); 3] {
        [
            ("ignore", &self.ignore),
            ("impossible", &self.impossible),
            ("unspecified", &self.unspecified),
        ]
    }

    /// The names that are removed, by section.
    pub(crate) fn names(&self) -> [(&'static str, &[Word]); 8] {
        [
            ("states", &self.states),
            ("sets", &self.sets),
            ("events", &self.events),
            ("actions", &self.actions),
            ("resources", &self.resources),
            ("guards", &self.guards),
            ("rules", &self.rules),
            ("invariants", &self.invariants),
        ]
    }
}

impl Selector {
    /// Whether it says anything.
    pub(crate) fn is_written(&self) -> bool {
        !self.cite.is_empty() || self.from.is_some() || self.event.is_some()
    }
}

impl SetRow {
    /// Whether it says anything.
    pub(crate) fn is_written(&self) -> bool {
        let words = self.from.is_some() || self.event.is_some() || self.actions.is_some();
        words || self.to.is_some() || self.condition.is_some() || self.untaken.is_some()
    }
}

pub(super) fn amendment(node: &Node) -> Amendment {
    let mut rows = node.at("change").map(|node| list(node, "rows", change)).unwrap_or_default();
    if node.at("row").is_some() || node.at("set").is_some() {
        rows.insert(0, change(node));
    }
    Amendment {
        id: word(node, "id").unwrap_or_default(),
        because: text(node, "because"),
        shown_by: words(node, "shown-by").unwrap_or_default(),
        needs: words(node, "needs").unwrap_or_default(),
        rows,
        add: node.at("add").map(parts).unwrap_or_default(),
        change: node.at("change").map(parts).unwrap_or_default(),
        remove: node.at("remove").map(removal).unwrap_or_default(),
        is_reading: false,
        span: node.span,
    }
}

pub(super) fn reading(node: &Node) -> Reading {
    let change = Amendment {
        because: text(node, "is"),
        shown_by: words(node, "differs").unwrap_or_default(),
        ..amendment(node)
    };
    Reading {
        change,
        without: words(node, "without").unwrap_or_default(),
        cite: cite(node, "cite"),
    }
}

fn change(node: &Node) -> RowChange {
    let unset = SetRow { span: node.span, ..SetRow::default() };
    let missing = Selector { span: node.span, ..Selector::default() };
    RowChange {
        row: node.at("row").map_or(missing, selector),
        set: node.at("set").map_or(unset, set_row),
        is_odd: is_odd(node, &language::AMENDMENT) && is_odd(node, &language::READING),
    }
}

fn selector(node: &Node) -> Selector {
    Selector {
        cite: cite(node, "cite"),
        from: word(node, "from"),
        event: word(node, "event"),
        condition: node.at("if").map(condition),
        span: node.span,
    }
}

fn set_row(node: &Node) -> SetRow {
    SetRow {
        from: words(node, "from"),
        to: word(node, "to"),
        event: words(node, "event"),
        condition: node.at("if").map(condition),
        actions: node.at("do").map(actions),
        untaken: word(node, "untaken"),
        span: node.span,
    }
}

fn removal(node: &Node) -> Removal {
    let words = |key| words(node, key).unwrap_or_default();
    Removal {
        rows: list(node, "rows", selector),
        states: words("states"),
        sets: words("sets"),
        events: words("events"),
        actions: words("actions"),
        resources: words("resources"),
        guards: words("guards"),
        rules: words("rules"),
        invariants: words("invariants"),
        ignore: list(node, "ignore", cell_selector),
        impossible: list(node, "impossible", cell_selector),
        unspecified: list(node, "unspecified", cell_selector),
    }
}

fn cell_selector(node: &Node) -> CellSelector {
    CellSelector {
        states: words(node, "state").unwrap_or_default(),
        events: words(node, "event").unwrap_or_default(),
        span: node.span,
    }
}
