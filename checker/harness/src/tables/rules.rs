//! A table chosen at run time: the compiled one, or another one with the same names, as plain data.
//!
//! So the table as written, an edited file and a mutant run in the shipped core without a rebuild.
//! A name that the core was not compiled with is refused.

use turnstile_machine::{
    Atom as _, Event as _, Facts, GuardFacts, Incompatible, Interpreted, Machine, Name, Rules,
    Signature, Step, TableData, Unexpected,
};
use turnstile_spec::diagnostic::Span;
use turnstile_spec::table::{COMPLETION, EventId, Row};

use crate::options::{Refusal, Replacement};
use crate::results::fault::FaultReport;
use crate::tables::choice::{chosen, note_matching};
use crate::tables::reads::{Read, note};

/// The most rows that may match one event: two machines of one core have fewer than 256 choices.
const CHOICES_MAX: u8 = 15;

/// The most rows of a table that may match one event: 1 unless rows overlap.
///
/// # Errors
///
/// More than [`CHOICES_MAX`].
pub(crate) fn choices(given: &Replacement) -> Result<u8, Refusal> {
    let rows = &given.table.rows;
    let rivals = |row: &Row| rows.iter().filter(|other| are_rivals(row, other)).count();
    let most = rows.iter().map(|row| (rivals(row), row)).max_by_key(|(rivals, _)| *rivals);
    let (most, row) = most.map_or((1, None), |(most, row)| (most.max(1), Some(row)));
    u8::try_from(most).ok().filter(|most| *most <= CHOICES_MAX).ok_or_else(|| {
        let span = row.map(|row| given.vocabulary.rows[row.id.index()].span).unwrap_or_default();
        let what = format!("{most} rows may take one event; the limit is {CHOICES_MAX}");
        let help = "give the rows of this event guards that exclude each other";
        Refusal::Faults(vec![FaultReport::not_runnable(&given.source, span, &what, help)])
    })
}

/// Whether some event matches both rows; a row overlaps itself.
fn are_rivals(one: &Row, other: &Row) -> bool {
    let is_here = one.from == other.from && one.event == other.event;
    is_here && one.pattern.meets(&other.pattern) && {
        let mut asked = Vec::new();
        [one, other].iter().for_each(|row| row.guard.asked(&mut asked));
        (0_u32..1 << asked.len().min(16)).any(|answers| {
            let mut answer = |guard| {
                asked
                    .iter()
                    .position(|one| *one == guard)
                    .is_some_and(|place| answers >> place & 1 == 1)
            };
            one.guard.holds(&mut answer) && other.guard.holds(&mut answer)
        })
    }
}

/// The replacement of a machine's table, if there is one.
pub(crate) fn replacement<'t>(tables: &'t [Replacement], machine: &str) -> Option<&'t Replacement> {
    tables.iter().find(|table| table.vocabulary.machine == machine)
}

/// A table chosen at run time: the compiled one, or another one with the same names.
#[derive(Clone, Debug)]
pub enum AnyTable<M: Machine> {
    /// The amended table that was compiled in.
    Compiled(M),
    /// Another one, as data.
    Interpreted {
        /// The table, with the choice among matching rows.
        table: Interpreted<M>,
        /// The most rows that may match one event; 1 if the choices are merged.
        choices: u8,
        /// Whether an event that several rows match is one choice.
        merges_choices: bool,
    },
}

impl<M: Machine + Rules<M> + Default> AnyTable<M> {
    /// The machine's table among the replacements, else the compiled one.
    ///
    /// # Errors
    ///
    /// Names that the core was not compiled with.
    pub fn among(tables: &[Replacement]) -> Result<Self, Refusal> {
        let Some(given) = replacement(tables, M::TABLE.machine) else {
            return Ok(Self::Compiled(M::default()));
        };
        let choices = choices(given)?;
        let data = turnstile_machine::read(&given.vocabulary, &given.table);
        let data = data.and_then(|data| without_absent(data, given));
        let data = data.map_err(|faults| refused(given, &faults))?;
        let table = Interpreted::new(data);
        let merges_choices = given.merges_choices;
        let choices = if merges_choices { 1 } else { choices };
        Ok(Self::Interpreted { table, choices, merges_choices })
    }

    /// The most rows that may match one event.
    #[must_use]
    pub const fn choices(&self) -> u8 {
        match self {
            Self::Compiled(_) => 1,
            Self::Interpreted { choices, .. } => *choices,
        }
    }

    /// The same table, which takes the row with this number if several match.
    #[must_use]
    pub fn choosing(&self, choice: u8) -> Self {
        match self {
            Self::Compiled(machine) => Self::Compiled(*machine),
            Self::Interpreted { table, choices, merges_choices } => Self::Interpreted {
                table: table.choosing(choice),
                choices: *choices,
                merges_choices: *merges_choices,
            },
        }
    }

    /// The same table, which takes the row with this number if several match, and leaves no choice
    /// to the computation: one that replicas run, since they must agree.
    #[must_use]
    pub fn taking(&self, choice: u8) -> Self {
        match self {
            Self::Compiled(machine) => Self::Compiled(*machine),
            Self::Interpreted { table, .. } => {
                let table = table.choosing(choice);
                Self::Interpreted { table, choices: 1, merges_choices: false }
            }
        }
    }

    /// The number of the row that a computation takes if several match: the one given, or with
    /// merged choices that of the thread.
    #[must_use]
    pub fn choice(&self, given: u8) -> u8 {
        match self {
            Self::Interpreted { merges_choices: true, .. } => chosen(),
            Self::Interpreted { .. } | Self::Compiled(_) => given,
        }
    }
}

/// Makes events that the table does not have, those of removed amendments, have no effect: a core
/// may still give them.
fn without_absent<M: Machine>(
    mut data: TableData<M>,
    given: &Replacement,
) -> Result<TableData<M>, Vec<Incompatible>> {
    let mut faults = Vec::new();
    let events = (0..).map(EventId).zip(&given.vocabulary.events);
    for (_, event) in events.filter(|(id, _)| !given.table.events.contains(id)) {
        let bounds = event.payload.as_ref().map_or((0, 0), |payload| payload.domain.bounds());
        match M::EventKind::from_name(&event.name.name) {
            Some(kind) => data.ignore(kind, bounds),
            None => {
                faults.push(Incompatible::Unknown { what: "event", name: event.name.name.clone() });
            }
        }
    }
    if faults.is_empty() { Ok(data) } else { Err(faults) }
}

/// The reason why a table cannot run in the core, with its place in the file.
fn refused(given: &Replacement, faults: &[Incompatible]) -> Refusal {
    let of = &given.vocabulary;
    let names = || {
        let events = of.events.iter().map(|event| &event.name);
        let resources = of.resources.iter().map(|resource| &resource.name);
        let names = of.states.iter().chain(&of.actions).chain(&of.guards);
        names.chain(events).chain(resources).chain(of.formulas.names())
    };
    let fault = |one: &Incompatible| match one {
        Incompatible::Unknown { what, name } => {
            let known = names().find(|known| known.name == *name);
            let span = known.map_or_else(Span::default, |it| it.span);
            let text = format!("the core that was compiled in knows no {what} `{name}`");
            FaultReport::not_compiled(&given.source, span, &text)
        }
        Incompatible::NoInitialState => {
            let text = "no state is initial: the core has none to begin in";
            let help = "write `initial: true` at a state";
            FaultReport::not_runnable(&given.source, Span::default(), text, help)
        }
    };
    Refusal::Faults(faults.iter().map(fault).collect())
}

impl<M: Machine + Rules<M>> Rules<M> for AnyTable<M> {
    fn machine(&self) -> &'static str {
        match self {
            Self::Compiled(machine) => machine.machine(),
            Self::Interpreted { table, .. } => table.machine(),
        }
    }

    fn initial(&self) -> M::State {
        match self {
            Self::Compiled(machine) => machine.initial(),
            Self::Interpreted { table, .. } => table.initial(),
        }
    }

    fn initial_states(&self) -> &[M::State] {
        match self {
            Self::Compiled(machine) => machine.initial_states(),
            Self::Interpreted { table, .. } => table.initial_states(),
        }
    }

    fn holds(&self, state: M::State) -> &[M::Resource] {
        match self {
            Self::Compiled(machine) => machine.holds(state),
            Self::Interpreted { table, .. } => table.holds(state),
        }
    }

    fn may_hold(&self, state: M::State) -> &[M::Resource] {
        match self {
            Self::Compiled(machine) => machine.may_hold(state),
            Self::Interpreted { table, .. } => table.may_hold(state),
        }
    }

    fn is_final(&self, state: M::State) -> bool {
        match self {
            Self::Compiled(machine) => machine.is_final(state),
            Self::Interpreted { table, .. } => table.is_final(state),
        }
    }

    fn step(
        &self,
        state: M::State,
        event: M::Event,
        guards: &impl Fn(M::Guard) -> bool,
    ) -> Result<Step<'_, M>, Unexpected<M>> {
        match self {
            Self::Compiled(machine) => machine.step(state, event, guards),
            Self::Interpreted { table, merges_choices, .. } => {
                let of = (table.machine(), state.name(), event.kind().name());
                note(|| Read::cell(of.0, of.1, of.2));
                let step = if *merges_choices {
                    note_matching(table.matching(state, event, guards).count());
                    table.step_by(chosen(), (state, event), guards)
                } else {
                    table.step(state, event, guards)
                };
                let row = step.as_ref().ok().and_then(|step| step.row);
                row.inspect(|row| note(|| Read::row(of.0, of.1, of.2, table.row_name(*row))));
                step
            }
        }
    }

    fn is_transient(&self, state: M::State) -> bool {
        match self {
            Self::Compiled(machine) => machine.is_transient(state),
            Self::Interpreted { table, .. } => {
                note(|| Read::cell(table.machine(), state.name(), COMPLETION));
                table.is_transient(state)
            }
        }
    }

    fn settle(&self, state: M::State, guards: &impl Fn(M::Guard) -> bool) -> Option<Step<'_, M>> {
        match self {
            Self::Compiled(machine) => machine.settle(state, guards),
            Self::Interpreted { table, .. } => {
                note(|| Read::cell(table.machine(), state.name(), COMPLETION));
                table.settle(state, guards)
            }
        }
    }

    fn guard(&self, guard: M::Guard, facts: &impl GuardFacts<M>) -> bool {
        match self {
            Self::Compiled(machine) => machine.guard(guard, facts),
            Self::Interpreted { table, .. } => {
                note(|| Read::formula(table.machine(), guard.name()));
                table.guard(guard, facts)
            }
        }
    }

    fn asks(&self, guard: M::Guard) -> bool {
        match self {
            Self::Compiled(machine) => machine.asks(guard),
            Self::Interpreted { table, .. } => {
                note(|| Read::is_asked(table.machine(), guard.name()));
                table.asks(guard)
            }
        }
    }

    fn row_name(&self, row: M::RowId) -> &'static str {
        match self {
            Self::Compiled(machine) => machine.row_name(row),
            Self::Interpreted { table, .. } => table.row_name(row),
        }
    }

    fn rule(&self, rule: M::Rule, facts: &impl Facts<M>) -> bool {
        match self {
            Self::Compiled(machine) => machine.rule(rule, facts),
            Self::Interpreted { table, .. } => {
                note(|| Read::formula(table.machine(), rule.kind().name()));
                table.rule(rule, facts)
            }
        }
    }

    fn invariant(&self, invariant: M::Invariant, facts: &impl Facts<M>) -> bool {
        match self {
            Self::Compiled(machine) => machine.invariant(invariant, facts),
            Self::Interpreted { table, .. } => {
                note(|| Read::formula(table.machine(), invariant.name()));
                table.invariant(invariant, facts)
            }
        }
    }

    fn whole_rule(
        &self,
        rule: <M::Whole as Signature>::Rule,
        facts: &impl Facts<M::Whole>,
    ) -> bool {
        match self {
            Self::Compiled(machine) => machine.whole_rule(rule, facts),
            Self::Interpreted { table, .. } => {
                note(|| Read::formula(table.machine(), rule.kind().name()));
                table.whole_rule(rule, facts)
            }
        }
    }

    fn whole_invariant(
        &self,
        invariant: <M::Whole as Signature>::Invariant,
        facts: &impl Facts<M::Whole>,
    ) -> bool {
        match self {
            Self::Compiled(machine) => machine.whole_invariant(invariant, facts),
            Self::Interpreted { table, .. } => {
                note(|| Read::formula(table.machine(), invariant.name()));
                table.whole_invariant(invariant, facts)
            }
        }
    }
}
