//! Row coverage of a system: the rows taken, and the cells declared impossible that were reached.

use std::collections::BTreeSet;

use turnstile_spec::table::{Cell, CellKind, Table, Vocabulary};
use turnstile_step::RowOutcome;

use crate::options::Replacement;
use crate::plain;
use crate::results::result::{Coverage, RowCoverage, RowRef};
use crate::tables::machine_table::MachineTable;
use crate::tables::rules::replacement;

/// The coverage of the machines' tables, replaced or bundled.
pub(crate) fn coverage(
    compiled: &[MachineTable],
    tables: &[Replacement],
    taken: &BTreeSet<RowOutcome>,
) -> Coverage {
    let mut coverage = Coverage::default();
    for table in compiled {
        if let Some(given) = replacement(tables, &table.machine) {
            add(&mut coverage, (&given.vocabulary, &given.table), taken, |_| true);
        } else if let Ok(sound) = table.file.amended() {
            add(&mut coverage, (&sound.vocabulary, &sound.table), taken, |_| true);
        }
    }
    coverage
}

/// Adds the coverage of a table; of the cells declared impossible, those that can be reached.
pub(crate) fn add(
    coverage: &mut Coverage,
    (words, table): (&Vocabulary, &Table),
    taken: &BTreeSet<RowOutcome>,
    is_checked: impl Fn(&Cell) -> bool,
) {
    let ran: BTreeSet<_> = table.rows.iter().map(|row| row.id).collect();
    for id in ran {
        let row = &words.rows[id.index()];
        let is_taken = taken.iter().any(|taken| {
            matches!(taken, RowOutcome::Row { machine, row: id }
                if *machine == words.machine && *id == row.id)
        });
        coverage.rows += 1;
        let reached = if is_taken {
            coverage.rows_taken += 1;
            RowCoverage::Taken
        } else if row.waived.is_some() {
            coverage.excused.push(row.id.clone());
            RowCoverage::Waived
        } else {
            coverage.not_taken.push(row.id.clone());
            RowCoverage::NotTaken
        };
        let row = RowRef { machine: words.machine.clone(), id: row.id.clone() };
        coverage.by_row.insert(row, reached);
    }
    let impossible = table.cells.iter().filter(|cell| cell.kind == CellKind::Impossible);
    for cell in impossible.filter(|cell| is_checked(cell)) {
        coverage.impossible += 1;
        let state = &words.states[cell.state.index()].name;
        let event = &words.events[cell.event.index()].name.name;
        let is_reached = taken.iter().any(|taken| {
            matches!(taken, RowOutcome::Unexpected { machine, state: at, event: what, number }
                if *machine == words.machine
                    && at == state
                    && what == event
                    && cell.pattern.matches(*number))
        });
        if is_reached {
            let cell = plain::words::cell(words, cell.state, cell.event, &cell.pattern);
            coverage.impossible_reached.push(cell);
        }
    }
}
