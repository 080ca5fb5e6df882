//! [`step_machine`] and [`settle_machine`], the functions by which a core steps a machine, and
//! their outcome.

use alloc::vec::Vec;

use turnstile_machine::{Event, Machine, Name, Rules, Step};

/// The outcome of one event at one machine, for coverage, logs and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum RowOutcome {
    /// A row was taken.
    Row {
        /// The machine's name: `claim`.
        machine: &'static str,
        /// The row's stable id: `50`.
        row: &'static str,
    },
    /// The table ignores the event in this state.
    Ignored {
        /// The machine's name: `claim`.
        machine: &'static str,
        /// The state's spelling.
        state: &'static str,
        /// The event's spelling.
        event: &'static str,
    },
    /// Unhandled event: no row applies, or the cell is declared impossible. The machine stays as it
    /// is.
    Unexpected {
        /// The machine's name: `claim`.
        machine: &'static str,
        /// The state's spelling.
        state: &'static str,
        /// The event's spelling.
        event: &'static str,
        /// The payload's number.
        number: u16,
    },
    /// An action of the row could not be carried out; the others were.
    ActionFailed {
        /// The machine's name: `claim`.
        machine: &'static str,
        /// The spelling of the action, the resource or the variable.
        action: &'static str,
        /// Why it failed.
        #[cfg_attr(feature = "serde", serde(rename = "because"))]
        reason: &'static str,
    },
}

/// Takes the row without an event that leaves a state, if one does: after each step and each such
/// row, once its actions are carried out, until it returns `None`.
pub fn settle_machine<'r, M: Machine, R: Rules<M>>(
    rules: &'r R,
    at: M::State,
    guards: &impl Fn(M::Guard) -> bool,
) -> Option<MachineStep<'r, M>> {
    let step = rules.settle(at, guards)?;
    let outcome = RowOutcome::Row { machine: rules.machine(), row: rules.row_name(step.row?) };
    Some(MachineStep { outcome, step: Some(step) })
}

/// The outcome of one event, or of a row without one, at one machine, and what is to be done.
#[must_use = "the outcome belongs to `Out::rows`, which the checker reads"]
#[derive(Clone, Debug)]
pub struct MachineStep<'r, M: Machine> {
    outcome: RowOutcome,
    step: Option<Step<'r, M>>,
}

impl<'r, M: Machine> MachineStep<'r, M> {
    /// Adds the outcome to `Out::rows`. Returns the row's destination and actions; `None` if no row
    /// applies, so that the machine stays as it is.
    #[must_use = "the machine goes where the row leads, and does its actions"]
    pub fn report(self, rows: &mut Vec<RowOutcome>) -> Option<Step<'r, M>> {
        rows.push(self.outcome);
        self.step
    }
}

/// Steps one machine by its table.
pub fn step_machine<'r, M: Machine, R: Rules<M>>(
    rules: &'r R,
    at: M::State,
    event: M::Event,
    guards: &impl Fn(M::Guard) -> bool,
) -> MachineStep<'r, M> {
    let (machine, state, kind) = (rules.machine(), at.name(), event.kind().name());
    match rules.step(at, event, guards) {
        Ok(step) => {
            let ignored = RowOutcome::Ignored { machine, state, event: kind };
            let row = |row| RowOutcome::Row { machine, row: rules.row_name(row) };
            MachineStep { outcome: step.row.map_or(ignored, row), step: Some(step) }
        }
        Err(_) => {
            let number = event.number();
            let outcome = RowOutcome::Unexpected { machine, state, event: kind, number };
            MachineStep { outcome, step: None }
        }
    }
}
