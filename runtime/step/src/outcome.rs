//! What a table says of an event: the one function with which every machine of a core steps.

use turnstile_machine::{Event, Machine, Name, Rules, Step};

/// What a table said of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum RowOutcome {
    /// A row, by machine and the row's stable id.
    Row {
        /// `claim`.
        machine: &'static str,
        /// `50`.
        row: &'static str,
    },
    /// The cell is ignored by the table.
    Ignored {
        /// `claim`.
        machine: &'static str,
        /// The state's spelling.
        state: &'static str,
        /// The event's spelling.
        event: &'static str,
    },
    /// No row, or a cell that is said to be impossible: the core stays as it is.
    Unexpected {
        /// `claim`.
        machine: &'static str,
        /// The state's spelling.
        state: &'static str,
        /// The event's spelling.
        event: &'static str,
        /// The payload's number.
        number: u16,
    },
    /// An action that could not be carried out; the rest of the row was.
    ActionFailed {
        /// `claim`.
        machine: &'static str,
        /// The action's or the resource's spelling.
        action: &'static str,
        /// What it lacked.
        because: &'static str,
    },
}

/// What a table says of an event, and what there is to note of it in `Out::rows`. Every machine
/// of a core steps here. `None`: there is no row, and the machine stays as it is.
pub fn take<'r, M: Machine, R: Rules<M>>(
    rules: &'r R,
    at: M::State,
    event: M::Event,
    guards: &impl Fn(M::Guard) -> bool,
) -> (RowOutcome, Option<Step<'r, M>>) {
    let (machine, state, kind) = (M::TABLE.machine, at.name(), event.kind().name());
    match rules.step(at, event, guards) {
        Ok(step) => {
            let ignored = RowOutcome::Ignored { machine, state, event: kind };
            let row = |row| RowOutcome::Row { machine, row: rules.row_name(row) };
            (step.row.map_or(ignored, row), Some(step))
        }
        Err(_) => {
            (RowOutcome::Unexpected { machine, state, event: kind, number: event.number() }, None)
        }
    }
}
