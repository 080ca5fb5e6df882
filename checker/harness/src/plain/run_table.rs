//! What is worked out once for a table that a plain core runs.

use turnstile_machine::{
    Dynamic, DynamicEvent, DynamicName, Interpreted, Name as _, ResourceKind, read,
};
use turnstile_plain::{Declared, Operand, Update, Variable, VariableChange, Wiring};
use turnstile_spec::cell_index::{CellEntry, CellIndex};
use turnstile_spec::formula::Formulas;
use turnstile_spec::guard_values::GuardValues;
use turnstile_spec::table::{
    self, ActionId, Comparison, EventId, PayloadDomain, StateId, Table, Vocabulary,
};

use super::cell::{self, CellOutcome, MAX_GUARDS, PayloadClass};
use crate::tables::reads::{Read, note};

/// A table with its names and its cells worked out.
#[derive(Debug)]
pub(crate) struct RunTable {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) table: Table,
    pub(crate) interpreted: Interpreted<Dynamic>,
    pub(crate) wiring: Wiring<Dynamic>,
    pub(crate) guards: Vec<DynamicName>,
    /// The numbers of each event's payload that are tried; `None`: one of each class of a cell,
    /// since nothing reads the payload but the patterns of the rows.
    pub(crate) tried: Vec<Option<Vec<u16>>>,
    /// The most outcomes of the rows without an event that may follow a step; 1 if there is no
    /// choice.
    pub(crate) settling: usize,
    /// By state, then event.
    cells: Vec<Vec<RunCell>>,
}

/// A cell of a table.
#[derive(Debug)]
pub(crate) struct RunCell {
    /// The rows, by their positions in the table.
    rows: Vec<usize>,
    /// The entries without a row, by their positions in the table.
    cells: Vec<usize>,
    /// The classes of payloads; where a guard compares variables, with outcomes that their values
    /// may rule out.
    pub(crate) classes: Vec<PayloadClass>,
    /// Whether a guard compares variables.
    pub(crate) compares: bool,
    /// The most outcomes of one event, whatever the values of the variables.
    most_outcomes: usize,
}

/// The most values of a payload that are tried one by one, and the most outcomes of one input.
const MOST: usize = 64;
/// The most outcomes of one input at the table level: their numbers are those of a World's choices.
const MOST_ALONE: usize = 255;

impl RunTable {
    /// Works out a table as one of a system.
    ///
    /// # Errors
    ///
    /// Why it cannot run, in one clause.
    pub(crate) fn new(vocabulary: &Vocabulary, table: &Table) -> Result<Self, String> {
        let tried = tried(vocabulary, table)?;
        let values = GuardValues::new(vocabulary, table);
        let run = Self::of(vocabulary.clone(), table.clone(), tried, &values)?;
        if run.most_outcomes() > MOST {
            return Err(format!(
                "one event of `{}` has more than {MOST} outcomes: give its guards formulas",
                vocabulary.machine
            ));
        }
        Ok(run)
    }

    /// Works out a table that runs alone. Its environment gives every event: it fires timers, too,
    /// and sends no message in a state for which the table declares it impossible. There are no
    /// variables, since nothing bounds what such an environment counts: guards that compare them
    /// have any values that they can have together.
    ///
    /// # Errors
    ///
    /// Why it cannot run, in one clause.
    pub(crate) fn alone(vocabulary: &Vocabulary, table: &Table) -> Result<Self, String> {
        let words = Vocabulary { variables: Vec::new(), ..vocabulary.clone() };
        let bare = Table { comparisons: Vec::new(), updates: Vec::new(), ..table.clone() };
        let values = GuardValues::new(vocabulary, table);
        let mut run = Self::of(words, bare, vec![None; vocabulary.events.len()], &values)?;
        let Wiring { fired, answers, events, .. } = &mut run.wiring;
        fired.iter_mut().for_each(Vec::clear);
        *answers = events.iter().map(|event| event.consumes.clone()).collect();
        let is_message = |place: &usize| {
            let event = table.cells[*place].event;
            vocabulary.events[event.index()].kind == table::EventKind::Message
        };
        let classes = run.cells.iter_mut().flatten().flat_map(|cell| &mut cell.classes);
        for class in classes {
            let is_given = |outcome: &CellOutcome| match outcome {
                CellOutcome::Impossible(place) => !is_message(place),
                CellOutcome::Row(_) | CellOutcome::Ignored(_) | CellOutcome::Missing => true,
            };
            class.outcomes.retain(is_given);
        }
        for cell in run.cells.iter_mut().flatten() {
            let outcomes = cell.classes.iter().map(|class| class.outcomes.len());
            cell.most_outcomes = outcomes.max().unwrap_or(1);
        }
        if run.most_outcomes() > MOST_ALONE {
            return Err(format!(
                "one event of `{}` has more than {MOST_ALONE} outcomes in one state",
                vocabulary.machine
            ));
        }
        Ok(run)
    }

    fn of(
        vocabulary: Vocabulary,
        table: Table,
        tried: Vec<Option<Vec<u16>>>,
        values: &GuardValues<'_>,
    ) -> Result<Self, String> {
        let interpreted = interpreted(&vocabulary, &table)?;
        let wiring = wiring(&vocabulary, &table, &tried);
        let cells = cells(&vocabulary, &table, values);
        Ok(Self {
            settling: settling(&vocabulary, &table, &cells),
            wiring,
            tried,
            guards: names(vocabulary.guards.iter().map(|guard| &*guard.name)),
            cells,
            vocabulary,
            table,
            interpreted,
        })
    }

    /// The cell of a state and an event, after the note that it is read with all of its rows.
    pub(crate) fn cell(&self, state: DynamicName, event: DynamicName) -> &RunCell {
        let cell = &self.cells[state.index()][event.index()];
        let (state, event) = (state.name(), event.name());
        let Vocabulary { machine, rows, .. } = &self.vocabulary;
        note(|| Read::cell(machine, state, event));
        for place in &cell.rows {
            let row = &rows[self.table.rows[*place].id.index()].id;
            note(|| Read::row(machine, state, event, row));
        }
        cell
    }

    /// The most outcomes that an input may have in any state.
    pub(crate) fn most_outcomes(&self) -> usize {
        let most = self.cells.iter().flatten().map(|cell| cell.most_outcomes).max().unwrap_or(1);
        let events = self.wiring.fired.iter().map(Vec::len).max().unwrap_or(1).max(1);
        most.saturating_mul(events).saturating_mul(self.settling)
    }

    /// The event of rows without one.
    pub(crate) fn completion(&self) -> Option<DynamicEvent> {
        let id = self.vocabulary.completion()?;
        Some(DynamicEvent { kind: self.wiring.events[id.index()].kind, number: 0 })
    }

    /// The rows and entries of a cell.
    pub(crate) fn entry(&self, cell: &RunCell) -> CellEntry<'_> {
        CellEntry {
            rows: cell.rows.iter().map(|place| (*place, &self.table.rows[*place])).collect(),
            cells: cell.cells.iter().map(|place| (*place, &self.table.cells[*place])).collect(),
        }
    }

    /// The formula of a guard that compares variables.
    pub(crate) fn comparison(&self, guard: DynamicName) -> Option<&Comparison> {
        self.table.comparisons.get(guard.index())?.as_ref()
    }
}

/// The most outcomes of one event of a cell, over all values of the guards that compare variables.
fn most_outcomes(
    entry: &CellEntry<'_>,
    classes: &[PayloadClass],
    compared: &[table::GuardId],
    values: &GuardValues<'_>,
) -> usize {
    let of_class = |class: &PayloadClass| {
        if compared.is_empty() || compared.len() > MAX_GUARDS {
            return class.outcomes.len();
        }
        let is_possible = values.possible(compared, &class.pattern);
        let with = |answers: usize| {
            let known = |guard| {
                let bit = compared.binary_search(&guard).ok()?;
                Some(answers >> bit & 1 == 1)
            };
            cell::outcomes(entry, class.number(), &known).len()
        };
        let answers = (0..1_usize << compared.len()).filter(|answers| is_possible(*answers));
        answers.map(with).max().unwrap_or(1)
    };
    classes.iter().map(of_class).max().unwrap_or(1)
}

/// The most outcomes of the rows without an event that may follow a step: along each path, which
/// no table without findings repeats, the product of those of its states.
fn settling(vocabulary: &Vocabulary, table: &Table, cells: &[Vec<RunCell>]) -> usize {
    let Some(completion) = vocabulary.completion() else { return 1 };
    let mut most = vec![1_usize; cells.len()];
    for _ in 0..cells.len() {
        let before = most.clone();
        for row in table.rows.iter().filter(|row| row.event == completion) {
            let from = row.from.index();
            let own = cells[from][completion.index()].most_outcomes;
            most[from] = most[from].max(own.saturating_mul(before[row.to.index()]));
        }
        if most == before || most.iter().any(|outcomes| *outcomes > MOST_ALONE) {
            break;
        }
    }
    most.into_iter().max().unwrap_or(1)
}

/// A table that interprets its rows.
fn interpreted(vocabulary: &Vocabulary, table: &Table) -> Result<Interpreted<Dynamic>, String> {
    // The formulas of a core are none of a plain core's.
    let mut words = vocabulary.clone();
    words.formulas.guards.clear();
    let bare = Table { formulas: Formulas::default(), ..table.clone() };
    let data = read::<Dynamic>(&words, &bare);
    let data = data.map_err(|_| format!("`{}` has no initial state", vocabulary.machine))?;
    if data.initial.len() > MOST_ALONE {
        return Err(format!("`{}` has more than {MOST_ALONE} initial states", vocabulary.machine));
    }
    Ok(Interpreted::new(data))
}

/// The payloads that are tried one by one: those of timers' events, and all if an action or a guard
/// reads payloads.
fn tried(vocabulary: &Vocabulary, table: &Table) -> Result<Vec<Option<Vec<u16>>>, String> {
    let copies = |update: &table::Update| {
        update.change == table::VariableChange::Set(table::Operand::Payload)
    };
    let sends = |sends: &table::Sends| sends.payload.as_deref() == Some("payload");
    let is_read = table.updates.iter().any(copies)
        || table.sends.iter().any(sends)
        || table.comparisons.iter().flatten().any(Comparison::reads_payload);
    let of = |event: &table::Event| {
        let Some(payload) = &event.payload else { return Ok(None) };
        let is_of_timer = event
            .consumes
            .iter()
            .any(|id| vocabulary.resources[id.index()].kind == table::ResourceKind::Timer);
        if !is_read && !is_of_timer {
            return Ok(None);
        }
        let (least, greatest) = payload.domain.bounds();
        if usize::from(greatest - least) >= MOST {
            let (machine, event) = (&vocabulary.machine, &event.name.name);
            return Err(format!(
                "`{machine}` reads payloads, and `{event}` has more than {MOST} values: give it \
                 fewer"
            ));
        }
        Ok(Some((least..=greatest).collect()))
    };
    vocabulary.events.iter().map(of).collect()
}

fn cells(vocabulary: &Vocabulary, table: &Table, values: &GuardValues<'_>) -> Vec<Vec<RunCell>> {
    let index = CellIndex::new(vocabulary, table);
    let compared = |entry: &CellEntry<'_>| {
        let mut asked = Vec::new();
        entry.rows.iter().for_each(|(_, row)| row.guard.asked(&mut asked));
        asked.retain(|guard| table.comparisons.get(guard.index()).is_some_and(Option::is_some));
        asked
    };
    let of_state = |state| {
        let cell = |event| {
            let entry = index.at(StateId(state), EventId(event));
            let classes = cell::classes(entry, &vocabulary.events[usize::from(event)], values);
            let compared = compared(entry);
            RunCell {
                rows: entry.rows.iter().map(|(place, _)| *place).collect(),
                cells: entry.cells.iter().map(|(place, _)| *place).collect(),
                most_outcomes: most_outcomes(entry, &classes, &compared, values),
                classes,
                compares: !compared.is_empty(),
            }
        };
        ids(vocabulary.events.len()).map(cell).collect()
    };
    ids(vocabulary.states.len()).map(of_state).collect()
}

fn names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<DynamicName> {
    (0..).zip(names).map(|(place, name)| DynamicName::new(place, name)).collect()
}

/// How the events, resources and variables of a table belong together. A timer's event has the
/// numbers that are tried.
fn wiring(vocabulary: &Vocabulary, table: &Table, tried: &[Option<Vec<u16>>]) -> Wiring<Dynamic> {
    let resources = names(vocabulary.resources.iter().map(|one| &*one.name.name));
    let kinds = vocabulary.resources.iter().map(|one| match one.kind {
        table::ResourceKind::Timer => ResourceKind::Timer,
        table::ResourceKind::Request => ResourceKind::Request,
        table::ResourceKind::Note => ResourceKind::Note,
    });
    let kinds = resources.iter().copied().zip(kinds).collect();
    let events = names(vocabulary.events.iter().map(|one| &*one.name.name));
    let fired = |place: usize| {
        let is_declared = table.events.iter().any(|event| event.index() == place);
        let numbers = tried[place].clone().unwrap_or_else(|| vec![0]).into_iter();
        let numbers = numbers.filter(|_| is_declared);
        numbers.map(|number| DynamicEvent { kind: events[place], number }).collect()
    };
    let declared = events.iter().zip(&vocabulary.events).map(|(kind, event)| Declared {
        kind: *kind,
        is_completion: event.kind == table::EventKind::Completion,
        payload: event.payload.as_ref().map(|one| variable(kind.name(), 0, &one.domain)),
        consumes: event.consumes.iter().map(|id| resources[id.index()]).collect(),
    });
    let variables = vocabulary
        .variables
        .iter()
        .map(|one| variable(DynamicName::new(0, &one.name.name).name(), one.initial, &one.domain));
    let updates = ids(vocabulary.actions.len()).map(ActionId).map(|action| {
        let own = table.updates.iter().filter(|update| update.action == action);
        own.map(update).collect()
    });
    Wiring::new(kinds, declared.collect(), (variables.collect(), updates.collect()), fired)
}

fn variable(name: &'static str, initial: u16, domain: &PayloadDomain) -> Variable {
    let words = match domain {
        PayloadDomain::Number(_) => Vec::new(),
        PayloadDomain::Bool => vec!["false".into(), "true".into()],
        PayloadDomain::Words(words) => words.iter().map(|word| word.name.as_str().into()).collect(),
    };
    Variable { name, initial, bounds: domain.bounds(), words: words.into() }
}

fn update(given: &table::Update) -> Update {
    let change = match given.change {
        table::VariableChange::Set(to) => VariableChange::Set(operand(to)),
        table::VariableChange::Add(number) => VariableChange::Add(number),
    };
    Update { variable: given.variable.index(), change }
}

/// An operand of a table as one of the core.
pub(crate) fn operand(given: table::Operand) -> Operand {
    match given {
        table::Operand::Number(number) => Operand::Number(number),
        table::Operand::Variable(id) => Operand::Variable(id.index()),
        table::Operand::Payload => Operand::Payload,
    }
}

/// The indices of a list of the vocabulary.
fn ids(len: usize) -> std::ops::Range<u16> {
    0..u16::try_from(len).expect("the reader's limits keep every list within u16")
}
