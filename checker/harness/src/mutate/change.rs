//! One change of a table, as data: what is changed, in words, and the table that it gives.

use turnstile_spec::formula::{Definition, Formula};
use turnstile_spec::table::{Cell, CellKind, Row, RowId, Table};

/// A table with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What is changed: `50`, `23 in WAITLOCK`, `rule may read`.
    pub row: String,
    /// How: ``without `send POST` ``.
    pub change: String,
    /// The written row, where it is one that is changed.
    pub id: Option<RowId>,
    /// Runs that take none of these rows run as before; nothing: any run may differ.
    pub takers: Vec<RowId>,
    /// What is changed, as data.
    pub edit: Edit,
}

/// What is changed. CellIndex are those in the table's lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A row is another one.
    Row(usize, Box<Row>),
    /// A row is gone, and its event is ignored.
    Ignored(usize),
    /// A row is gone, and nothing is said of its event.
    Refused(usize),
    /// A rule is another formula.
    Rule(usize, Formula),
    /// An invariant is another formula.
    Invariant(usize, Formula),
    /// A guard is another formula.
    Guard(usize, Formula),
}

impl Edit {
    /// The table with this change.
    #[must_use]
    pub fn table(&self, of: &Table) -> Table {
        let mut table = of.clone();
        match self {
            Self::Row(place, row) => table.rows[*place] = Row::clone(row),
            Self::Refused(place) => drop(table.rows.remove(*place)),
            Self::Ignored(place) => {
                let row = table.rows.remove(*place);
                // Before the others: what they say of the same event is said of other answers.
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
