//! What is worked out once for a table that a plain core runs.

use turnstile_machine::{Dynamic, DynamicEvent, DynamicName, Interpreted, Name as _, read};
use turnstile_plain::{Change, Operand, Update, Variable};
use turnstile_spec::cell_index::{CellEntry, CellIndex};
use turnstile_spec::formula::Formulas;
use turnstile_spec::table::{
    self, ActionId, Comparison, EventId, PayloadDomain, ResourceId, StateId, Table, Vocabulary,
};

use crate::table::cell::{self, PayloadClass};

/// A table with its names and its cells worked out.
#[derive(Debug)]
pub(super) struct RunTable {
    pub(super) vocabulary: Vocabulary,
    pub(super) table: Table,
    pub(super) interpreted: Interpreted<Dynamic>,
    pub(super) resources: Vec<DynamicName>,
    pub(super) events: Vec<DynamicName>,
    pub(super) guards: Vec<DynamicName>,
    pub(super) variables: Vec<Variable>,
    /// What each action does to variables.
    pub(super) updates: Vec<Vec<Update>>,
    /// The requests that each event may answer.
    pub(super) answers: Vec<Vec<DynamicName>>,
    /// The events that the firing of each resource may be.
    pub(super) fired: Vec<Vec<DynamicEvent>>,
    /// By state, then event.
    cells: Vec<Vec<RunCell>>,
}

/// A cell of a table.
#[derive(Debug)]
pub(super) struct RunCell {
    /// The rows, by their positions in the table.
    rows: Vec<usize>,
    /// The entries without a row, by their positions in the table.
    cells: Vec<usize>,
    /// The classes of payloads; where a guard compares variables, with outcomes that their values
    /// may rule out.
    pub(super) classes: Vec<PayloadClass>,
    /// Whether a guard compares variables.
    pub(super) compares: bool,
}

impl RunTable {
    /// `None`: the table has no initial state.
    pub(super) fn new(vocabulary: &Vocabulary, table: &Table) -> Option<Self> {
        // The formulas of a core are none of a plain core's.
        let mut words = vocabulary.clone();
        words.formulas.guards.clear();
        let bare = Table { formulas: Formulas::default(), ..table.clone() };
        let interpreted = Interpreted::new(read::<Dynamic>(&words, &bare).ok()?);
        let resources: Vec<DynamicName> =
            names(vocabulary.resources.iter().map(|one| &*one.name.name));
        let events: Vec<DynamicName> = names(vocabulary.events.iter().map(|one| &*one.name.name));
        let kind = |id: &ResourceId| vocabulary.resources[id.index()].kind;
        let answers = vocabulary.events.iter().map(|event| {
            let requests = event.consumes.iter();
            let requests = requests.filter(|id| kind(id) != table::ResourceKind::Timer);
            requests.map(|id| resources[id.index()]).collect()
        });
        let fired = ids(resources.len()).map(ResourceId).map(|id| {
            let is_of = |event: &&EventId| {
                let consumes = &vocabulary.events[event.index()].consumes;
                kind(&id) == table::ResourceKind::Timer && consumes.contains(&id)
            };
            let fired = table.events.iter().filter(is_of).map(|event| {
                let payload = vocabulary.events[event.index()].payload.as_ref();
                let number = payload.map_or(0, |payload| payload.domain.bounds().0);
                DynamicEvent { kind: events[event.index()], number }
            });
            fired.collect()
        });
        let updates = ids(vocabulary.actions.len()).map(ActionId).map(|action| {
            let own = table.updates.iter().filter(|update| update.action == action);
            own.map(update).collect()
        });
        Some(Self {
            answers: answers.collect(),
            fired: fired.collect(),
            updates: updates.collect(),
            guards: names(vocabulary.guards.iter().map(|guard| &*guard.name)),
            variables: vocabulary.variables.iter().map(variable).collect(),
            cells: cells(vocabulary, table),
            vocabulary: vocabulary.clone(),
            table: table.clone(),
            interpreted,
            resources,
            events,
        })
    }

    pub(super) fn cell(&self, state: DynamicName, event: DynamicName) -> &RunCell {
        &self.cells[state.index()][event.index()]
    }

    /// Every cell.
    pub(super) fn cells(&self) -> impl Iterator<Item = &RunCell> {
        self.cells.iter().flatten()
    }

    /// The rows and entries of a cell.
    pub(super) fn entry(&self, cell: &RunCell) -> CellEntry<'_> {
        CellEntry {
            rows: cell.rows.iter().map(|place| (*place, &self.table.rows[*place])).collect(),
            cells: cell.cells.iter().map(|place| (*place, &self.table.cells[*place])).collect(),
        }
    }

    /// The formula of a guard that compares variables.
    pub(super) fn comparison(&self, guard: DynamicName) -> Option<&Comparison> {
        self.table.comparisons.get(guard.index())?.as_ref()
    }
}

fn cells(vocabulary: &Vocabulary, table: &Table) -> Vec<Vec<RunCell>> {
    let index = CellIndex::new(table);
    let compares = |entry: &CellEntry<'_>| {
        let mut asked = Vec::new();
        entry.rows.iter().for_each(|(_, row)| row.guard.asked(&mut asked));
        let mut comparisons = asked.iter().map(|guard| table.comparisons.get(guard.index()));
        comparisons.any(|one| one.is_some_and(Option::is_some))
    };
    let of_state = |state| {
        let cell = |event| {
            let entry = index.at(StateId(state), EventId(event));
            RunCell {
                rows: entry.rows.iter().map(|(place, _)| *place).collect(),
                cells: entry.cells.iter().map(|(place, _)| *place).collect(),
                classes: cell::classes(entry, &vocabulary.events[usize::from(event)]),
                compares: compares(entry),
            }
        };
        ids(vocabulary.events.len()).map(cell).collect()
    };
    ids(vocabulary.states.len()).map(of_state).collect()
}

fn names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<DynamicName> {
    (0..).zip(names).map(|(place, name)| DynamicName::new(place, name)).collect()
}

fn variable(given: &table::Variable) -> Variable {
    let words = match &given.domain {
        PayloadDomain::Number(_) => Vec::new(),
        PayloadDomain::Bool => vec!["false".into(), "true".into()],
        PayloadDomain::Words(words) => words.iter().map(|word| word.name.as_str().into()).collect(),
    };
    Variable {
        name: DynamicName::new(0, &given.name.name).name(),
        initial: given.initial,
        bounds: given.domain.bounds(),
        words: words.into(),
    }
}

fn update(given: &table::Update) -> Update {
    let change = match given.change {
        table::VariableChange::Set(to) => Change::Set(operand(to)),
        table::VariableChange::Add(number) => Change::Add(number),
    };
    Update { variable: given.variable.index(), change }
}

/// An operand of a table as one of the core.
pub(super) fn operand(given: table::Operand) -> Operand {
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
