//! One change of a table, as data and as text, and the table with it.

use turnstile_spec::formula::{Definition, Formula};
use turnstile_spec::table::{Cell, CellKind, Row, RowId, Table};

/// A table with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The part that is changed: `50`, `23 in WAITLOCK`, `rule may read`.
    pub row: String,
    /// The change: ``without `send POST` ``.
    pub change: String,
    /// The row, if a row is changed.
    pub id: Option<RowId>,
    /// Traces that take none of these rows are the same as before; `None`: any trace may differ.
    pub takers: Vec<RowId>,
    /// The change, as data.
    pub edit: Edit,
}

/// A change, with indices into the table's lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A row is replaced.
    Row(usize, Box<Row>),
    /// A row is removed, and its event is ignored.
    Ignored(usize),
    /// A row is removed, and its event is unhandled.
    Refused(usize),
    /// A rule's formula is replaced.
    Rule(usize, Formula),
    /// An invariant's formula is replaced.
    Invariant(usize, Formula),
    /// A guard's formula is replaced.
    Guard(usize, Formula),
}

impl Mutant {
    /// Whether it is the one with these names.
    pub(super) fn is(&self, row: &str, change: &str) -> bool {
        (self.row.as_str(), self.change.as_str()) == (row, change)
    }
}

impl Edit {
    /// Whether only actions differ that hold no resource, which the table level does not see.
    #[must_use]
    pub fn is_of_actions(&self, of: &Table) -> bool {
        let Self::Row(place, row) = self else { return false };
        let seen = |row: &Row| {
            let mut seen = row.clone();
            seen.actions.retain(|action| !action.ops.is_empty());
            seen
        };
        seen(row) == seen(&of.rows[*place])
    }

    /// The table with this change.
    #[must_use]
    pub fn table(&self, of: &Table) -> Table {
        let mut table = of.clone();
        match self {
            Self::Row(place, row) => table.rows[*place] = Row::clone(row),
            Self::Refused(place) => drop(table.rows.remove(*place)),
            Self::Ignored(place) => {
                let row = table.rows.remove(*place);
                // Before the others: those of the same event have other guards.
                table.cells.insert(0, ignored(row));
            }
            Self::Rule(place, formula) => {
                put(&mut table.formulas.rules[*place], formula);
            }
            Self::Invariant(place, formula) => {
                put(&mut table.formulas.invariants[*place], formula);
            }
            Self::Guard(place, formula) => {
                put(&mut table.formulas.guards[*place], formula);
            }
        }
        table
    }
}

fn put(stated: &mut Option<Definition>, formula: &Formula) {
    stated.as_mut().expect("a formula of this table is changed").formula = formula.clone();
}

fn ignored(row: Row) -> Cell {
    Cell {
        state: row.from,
        event: row.event,
        pattern: row.pattern,
        kind: CellKind::Ignore,
        because: String::new(),
        is_covered: false,
        span: turnstile_spec::diagnostic::Span::default(),
    }
}
