//! Converts a table that turnstile-spec has read into one over a machine's names.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use turnstile_spec::formula::{self, Evaluator, Evaluators};
use turnstile_spec::limit::VARIABLES;
use turnstile_spec::table::{self, CellKind, EventId, ResourceId, StateId, Table, Vocabulary};

use crate::data::{Cell, Condition, Row, StateInfo, TableData};
use crate::formula::{Domain, Formula, Formulas, GuardAnswer};
use crate::machine::{Machine, Name, RowId as _, RuleKind, Signature};
use crate::step::{ActionEntry, ForEach, Op};
use crate::term::MAX_TERMS;

const _: () = assert!(VARIABLES <= MAX_TERMS, "a formula may use more terms than `Terms` holds");

/// Why a table cannot run in place of a machine's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incompatible {
    /// The machine was not compiled with this name.
    Unknown {
        /// `state`, `event`, `guard`.
        what: &'static str,
        /// Its spelling.
        name: String,
    },
    /// The table has no initial state.
    NoInitialState,
}

/// Converts a table. Rows that the machine was not compiled with run, too.
///
/// # Errors
///
/// Every reason, each once; at least one.
pub fn read<M: Machine>(
    words: &Vocabulary,
    table: &Table,
) -> Result<TableData<M>, Vec<Incompatible>> {
    let mut reader = Reader { words, table, faults: Vec::new(), extra_rows: Vec::new() };
    match reader.data(table) {
        Some(data) if reader.faults.is_empty() => Ok(data),
        None if reader.faults.is_empty() => Err(Vec::from([Incompatible::NoInitialState])),
        _ => Err(reader.faults),
    }
}

struct Reader<'t> {
    words: &'t Vocabulary,
    table: &'t Table,
    faults: Vec<Incompatible>,
    extra_rows: Vec<&'static str>,
}

/// `None` means that a fault was noted: the conversion continues, to find the others.
impl Reader<'_> {
    fn data<M: Machine>(&mut self, table: &Table) -> Option<TableData<M>> {
        let mut initial = Vec::new();
        let none = || StateInfo { holds: Vec::new(), may_hold: Vec::new(), is_final: false };
        let count = M::State::ALL.len().max(self.words.states.len());
        let mut states: Vec<StateInfo<M>> = (0..count).map(|_| none()).collect();
        for (id, info) in (0..).map(StateId).zip(&table.states) {
            let Some(info) = info else { continue };
            let Some(state) = self.state::<M>(id) else { continue };
            if info.initial {
                initial.push(state);
            }
            states[state.index()] = StateInfo {
                holds: self.resources::<M>(&info.holds),
                may_hold: self.resources::<M>(&info.may_hold),
                is_final: info.is_final,
            };
        }
        let completion = self.words.completion().and_then(|id| self.event::<M>(id));
        let rows = table.rows.iter().filter_map(|row| self.row(row)).collect();
        let cells = table.cells.iter().filter_map(|cell| self.cell(cell)).collect();
        let guards = self.guards::<M>();
        let formulas = self.formulas::<M, M::Whole>(table, Evaluator::Core);
        let whole = self.formulas::<M::Whole, M>(table, Evaluator::Whole);
        let extra_rows = core::mem::take(&mut self.extra_rows);
        Some(TableData {
            machine: interned(&self.words.machine),
            initial: (!initial.is_empty()).then_some(initial)?,
            completion,
            states,
            rows,
            cells,
            extra_rows,
            guards,
            formulas,
            whole,
        })
    }

    fn find<N: Name>(&mut self, what: &'static str, (place, name): (u16, &str)) -> Option<N> {
        let found = N::resolve(place, name);
        if found.is_none() {
            self.unknown(what, name);
        }
        found
    }

    fn unknown(&mut self, what: &'static str, name: &str) {
        let unknown = Incompatible::Unknown { what, name: name.to_owned() };
        if !self.faults.contains(&unknown) {
            self.faults.push(unknown);
        }
    }

    fn state<M: Machine>(&mut self, id: StateId) -> Option<M::State> {
        self.find("state", (id.0, &self.words.states[id.index()].name))
    }

    fn event<M: Machine>(&mut self, id: EventId) -> Option<M::EventKind> {
        self.find("event", (id.0, &self.words.events[id.index()].name.name))
    }

    fn resource<M: Machine>(&mut self, id: ResourceId) -> Option<M::Resource> {
        self.find("resource", (id.0, &self.words.resources[id.index()].name.name))
    }

    fn resources<M: Machine>(&mut self, ids: &[ResourceId]) -> Vec<M::Resource> {
        ids.iter().filter_map(|id| self.resource::<M>(*id)).collect()
    }

    fn row<M: Machine>(&mut self, given: &table::Row) -> Option<Row<M>> {
        let mut ops = Vec::new();
        let actions =
            given.actions.iter().filter_map(|entry| self.entry(entry, &mut ops)).collect();
        Some(Row {
            id: self.row_id::<M>(given.id),
            from: self.state::<M>(given.from)?,
            to: self.state::<M>(given.to)?,
            event: self.event::<M>(given.event)?,
            pattern: ranges(&given.pattern),
            guard: self.condition(&given.guard)?,
            consumes: self.resources::<M>(&given.consumes),
            actions,
            ops,
        })
    }

    fn row_id<M: Machine>(&mut self, id: table::RowId) -> M::RowId {
        let name = &self.words.rows[id.index()].id;
        M::RowId::from_name(name).unwrap_or_else(|| {
            let known = self.extra_rows.iter().position(|row| row == name);
            let place = known.unwrap_or_else(|| {
                self.extra_rows.push(interned(name));
                self.extra_rows.len() - 1
            });
            M::RowId::at(u16::try_from(M::RowId::ALL.len() + place).unwrap_or(u16::MAX))
        })
    }

    /// A cell; `None`: of names that the machine does not have, or unspecified, as if it had none.
    fn cell<M: Machine>(&mut self, given: &table::Cell) -> Option<Cell<M>> {
        if given.kind == CellKind::Unspecified {
            return None;
        }
        Some(Cell {
            state: self.state::<M>(given.state)?,
            event: self.event::<M>(given.event)?,
            pattern: ranges(&given.pattern),
            impossible: given.kind == CellKind::Impossible,
        })
    }

    fn entry<M: Machine>(
        &mut self,
        given: &table::ActionCall,
        ops: &mut Vec<Op<M>>,
    ) -> Option<ActionEntry<M>> {
        let table::ActionCall { action, ops: own, each } = given;
        let action = self.find("action", (action.0, &self.words.actions[action.index()].name))?;
        let before = ops.len();
        for op in own {
            ops.push(match *op {
                table::Op::Create(id) => Op::Create(self.resource::<M>(id)?),
                table::Op::Delete(id) => Op::Delete(self.resource::<M>(id)?),
                table::Op::Restart(id) => Op::Restart(self.resource::<M>(id)?),
                table::Op::Abandon(id) => Op::Abandon(self.resource::<M>(id)?),
            });
        }
        let each = match each {
            None => None,
            Some(each) => {
                let place = each.collection;
                let name = &self.words.formulas.collections[place.index()].name.name;
                let collection = self.find("collection of a row", (place.0, name))?;
                Some(ForEach { collection, number: each.number })
            }
        };
        let ops = u16::try_from(ops.len() - before).expect("an action has few operations");
        Some(ActionEntry { action, ops, each })
    }

    fn condition<M: Machine>(&mut self, given: &table::Condition) -> Option<Condition<M>> {
        Some(match given {
            table::Condition::All(parts) => Condition::All(self.conditions(parts)?),
            table::Condition::Any(parts) => Condition::Any(self.conditions(parts)?),
            table::Condition::Not(part) => Condition::Not(Box::new(self.condition(part)?)),
            table::Condition::Is(id) => {
                let name = &self.words.guards[id.index()].name;
                if guard_definition(self.words, self.table, name).is_none() {
                    self.find::<M::OpenGuard>("guard without a formula", (id.0, name))?;
                }
                Condition::Is(self.find("guard", (id.0, name))?)
            }
        })
    }

    fn conditions<M: Machine>(&mut self, parts: &[table::Condition]) -> Option<Vec<Condition<M>>> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    /// How each guard is computed.
    fn guards<M: Machine>(&mut self) -> Vec<GuardAnswer<M>> {
        let answer = |guard: &M::Guard| match guard_definition(self.words, self.table, guard.name())
        {
            // A core that computes it itself would ignore the formula.
            Some(_) if M::OpenGuard::from_name(guard.name()).is_some() => {
                self.unknown("formula for the guard", guard.name());
                GuardAnswer::Nothing
            }
            Some((of, definition)) => {
                let of =
                    of.iter().filter_map(|one| self.find("subject of a guard", (0, one))).collect();
                self.formula(&definition.formula)
                    .map_or(GuardAnswer::Nothing, |it| GuardAnswer::Formula(of, it))
            }
            None => M::OpenGuard::from_name(guard.name())
                .map_or(GuardAnswer::Nothing, GuardAnswer::Core),
        };
        M::Guard::ALL.iter().map(answer).collect()
    }

    /// The formulas of one evaluator; `Other` evaluates the others.
    fn formulas<Q: Signature, Other: Signature>(
        &mut self,
        table: &Table,
        by: Evaluator,
    ) -> Formulas<Q> {
        let words = &self.words.formulas;
        let [rule, invariant] = match by {
            Evaluator::Whole => ["rule of the whole system", "invariant of the whole system"],
            Evaluator::Core | Evaluator::Row => ["rule", "invariant"],
        };
        let rules = words.rules.iter().zip(&table.formulas.rules);
        let invariants = words.invariants.iter().zip(&table.formulas.invariants);
        Formulas {
            rules: self.definitions::<Q, RuleKind<Q>, RuleKind<Other>>(rules, by, rule),
            invariants: self
                .definitions::<Q, Q::Invariant, Other::Invariant>(invariants, by, invariant),
        }
    }

    /// The formulas of a list in the order of the machine's names. A formula compiled for this
    /// evaluator must still be one that it can compute; one that either evaluator can compute
    /// stays with the one it was compiled for.
    fn definitions<'a, Q: Signature, N: Name, O: Name>(
        &mut self,
        list: impl Iterator<Item = (&'a formula::Signature, &'a Option<formula::Definition>)>,
        by: Evaluator,
        what: &'static str,
    ) -> Vec<Option<Formula<Q>>> {
        let mut found: Vec<Option<Formula<Q>>> = N::ALL.iter().map(|_| None).collect();
        for (one, definition) in list {
            let Some(definition) = definition else { continue };
            let name = one.name.name.as_str();
            match (one.evaluators.has(by), N::from_name(name)) {
                (true, Some(known)) => {
                    let formula = self.formula(&definition.formula);
                    if let Some(place) = found.get_mut(known.index()) {
                        *place = formula;
                    }
                }
                (true, None)
                    if one.evaluators == Evaluators::OF_FORMULAS
                        && O::from_name(name).is_some() => {}
                (false, None) => {}
                (true, None) | (false, Some(_)) => self.unknown(what, name),
            }
        }
        found
    }

    fn formula<Q: Signature>(&mut self, given: &formula::Formula) -> Option<Formula<Q>> {
        let words = &self.words.formulas;
        Some(match given {
            formula::Formula::Is { predicate, args } => {
                let name = &words.predicates[predicate.index()].name.name;
                Formula::Is(self.find("predicate", (predicate.0, name))?, vars(args))
            }
            formula::Formula::In { term, states } => {
                Formula::In(term.0, self.instances::<Q>(states))
            }
            formula::Formula::Rule { rule, args } => {
                let name = &words.rules[rule.index()].name.name;
                Formula::Rule(self.find("rule", (rule.0, name))?, vars(args))
            }
            formula::Formula::All(parts) => Formula::All(self.parts(parts)?),
            formula::Formula::Any(parts) => Formula::Any(self.parts(parts)?),
            formula::Formula::Not(part) => Formula::Not(self.part(part)?),
            formula::Formula::Iff(a, b) => Formula::Iff(self.part(a)?, self.part(b)?),
            formula::Formula::Every(over, part) => {
                Formula::Every(self.domain(over)?, self.part(part)?)
            }
            formula::Formula::Some(over, part) => {
                Formula::Some(self.domain(over)?, self.part(part)?)
            }
        })
    }

    fn parts<Q: Signature>(&mut self, parts: &[formula::Formula]) -> Option<Vec<Formula<Q>>> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn part<Q: Signature>(&mut self, part: &formula::Formula) -> Option<Box<Formula<Q>>> {
        self.formula(part).map(Box::new)
    }

    fn domain<Q: Signature>(&mut self, given: &formula::Domain) -> Option<Domain<Q>> {
        Some(match given {
            formula::Domain::States(ids) => Domain::States(self.instances::<Q>(ids)),
            formula::Domain::Collection { collection, args } => {
                let name = &self.words.formulas.collections[collection.index()].name.name;
                Domain::Collection(self.find("collection", (collection.0, name))?, vars(args))
            }
        })
    }

    fn instances<Q: Signature>(&mut self, ids: &[StateId]) -> Vec<Q::Instance> {
        let name = |id: &StateId| (id.0, self.words.states[id.index()].name.as_str());
        ids.iter().map(name).filter_map(|name| self.find("state of a formula", name)).collect()
    }
}

/// The formula of a guard, and its parameters.
fn guard_definition<'t>(
    words: &'t Vocabulary,
    table: &'t Table,
    name: &str,
) -> Option<(&'t [String], &'t formula::Definition)> {
    let guards = words.formulas.guards.iter().zip(&table.formulas.guards);
    let (one, definition) = guards.into_iter().find(|(one, _)| one.name.name == name)?;
    Some((&one.params, definition.as_ref()?))
}

fn vars(of: &[formula::Var]) -> Vec<u8> {
    of.iter().map(|var| var.0).collect()
}

fn ranges(pattern: &table::Pattern) -> Vec<(u16, u16)> {
    pattern.0.iter().map(|range| (*range.start(), *range.end())).collect()
}

/// Interns a name for the life of the process, as those of compiled rows are in traces and logs.
/// Each name is leaked once, however many tables are read.
pub(crate) fn interned(id: &str) -> &'static str {
    static INTERNED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut all = INTERNED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(id) {
        return known;
    }
    let new: &'static str = String::leak(id.to_owned());
    all.insert(new);
    new
}
