//! A table file as it is written: words and places, names not yet looked up. Stands between the
//! YAML tree, whose shape is checked by then, and the reader. It finds no diagnostics.

mod about;
mod amendment;
mod declared;
mod formula;
mod node;
mod parts;
mod row;
mod variable;

use crate::limit;
use crate::table::Lines;
use crate::versions::{ExplainedMutant, Uncited};
use crate::yaml::{Node, Word};

pub(crate) use about::About;
pub(crate) use amendment::{
    Amendment, CellSelector, Reading, Removal, RowChange, Selector, SetRow,
};
pub(crate) use declared::{Action, Event, Resource, State, StateSet};
#[cfg(feature = "systems")]
pub(crate) use formula::formula;
pub(crate) use formula::{Connective, Formula, Quantifier, Rule, call};
#[cfg(feature = "systems")]
pub(crate) use node::named;
pub(crate) use node::{Named, cite, flag, list, text, word, words};
pub(crate) use parts::{Declaration, SECTIONS, Sections, keys};
pub(crate) use row::{Actions, Branch, Cell, Condition, Loop, Row};

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
        parts: parts::parts(node),
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
