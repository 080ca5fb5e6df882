//! A table chosen at run time: the compiled one, or any other of the same names as plain data.
//!
//! So the literal table, an edited file and a mutant run through the shipped core without a
//! rebuild. A name that the core was not compiled with is refused.

use std::collections::BTreeSet;

use turnstile_spec::table::{GuardId, Pattern, Row};

use crate::report::fault::FaultReport;
use crate::report::options::{Refusal, Replacement};
use crate::systems::unknown::Unknown;

/// Ranges of payload numbers as the machines have them.
#[must_use]
pub(crate) fn ranges(pattern: &Pattern) -> &'static [(u16, u16)] {
    keep(pattern.0.iter().map(|range| (*range.start(), *range.end())).collect())
}

/// Keeps a list until the process ends: a table that runs is never given back.
pub(crate) fn keep<T>(list: Vec<T>) -> &'static [T] {
    Vec::leak(list)
}

/// What is known of the rows of a table read at run time beside the rows.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// How many rows may match one event.
    pub(crate) choices: u8,
    /// The ids of those that the machine does not have, in the order of their numbers.
    pub(crate) rows: &'static [&'static str],
}

impl Given {
    /// Of a table whose rows were read.
    pub(crate) fn new(choices: u8, unknown: &mut Unknown) -> Self {
        let rows = std::mem::take(&mut unknown.rows).into_iter();
        let rows = rows.map(|id| -> &'static str { String::leak(id) });
        Self { choices, rows: keep(rows.collect()) }
    }
}

/// The most rows that may match one event: two machines of one core have fewer than 256 choices.
const CHOICES_MAX: u8 = 15;

/// How many rows of a table may match one event at most: 1 unless rows are in conflict.
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
        Refusal::Faults(vec![FaultReport::bad_setting(&given.source, span, &what)])
    })
}

/// Whether some event takes both rows; a row is its own rival.
fn are_rivals(one: &Row, other: &Row) -> bool {
    let is_here = one.from == other.from && one.event == other.event;
    is_here && one.pattern.meets(&other.pattern) && {
        let mut asked = BTreeSet::new();
        [one, other].iter().for_each(|row| row.guard.asked(&mut asked));
        let asked: Vec<GuardId> = asked.into_iter().collect();
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

/// Makes `Chosen` for a machine's module: one type for the compiled table and for all others.
///
/// `chosen!(Name, machine, formulas)` for a machine with rules, invariants or loops.
macro_rules! chosen {
    ($name:ident, $machine:ident) => {
        $crate::systems::rules::chosen!($name, $machine, plain);
    };
    ($name:ident, $machine:ident, $kind:ident) => {
        /// The compiled table, or another one of the same names.
        #[derive(Clone, Copy, Debug)]
        pub enum $name {
            /// The amended table that was compiled in.
            Compiled,
            /// Another one.
            Interpreted(
                /// The table; its choice is set for each step.
                turnstile_machines::$machine::Interpreted<'static>,
                /// What is known of its rows beside them.
                $crate::systems::rules::Given,
            ),
        }

        impl $name {
            /// The table of this machine among the replacements, or else the compiled one.
            ///
            /// # Errors
            ///
            /// Names that the core was not compiled with.
            pub fn among(tables: &[Replacement]) -> Result<Self, Refusal> {
                let machine = turnstile_machines::$machine::TABLE.machine;
                match $crate::systems::rules::replacement(tables, machine) {
                    None => Ok(Self::Compiled),
                    Some(replacement) => {
                        let mut unknown = $crate::systems::unknown::Unknown::of(replacement);
                        let whole = $machine::interpreted(replacement, &mut unknown);
                        let choices = $crate::systems::rules::choices(replacement)?;
                        let given = $crate::systems::rules::Given::new(choices, &mut unknown);
                        let interpreted = unknown.end(whole)?;
                        $crate::systems::answers::answered(replacement)?;
                        let interpreted = interpreted.expect("a table begins in a known state");
                        Ok(Self::Interpreted(interpreted, given))
                    }
                }
            }

            /// How many rows may match one event.
            #[must_use]
            pub fn choices(&self) -> u8 {
                match self {
                    Self::Compiled => 1,
                    Self::Interpreted(_, given) => given.choices,
                }
            }

            /// The same table, taking the row of this number where several match.
            #[must_use]
            pub fn choosing(self, choice: u8) -> Self {
                match self {
                    Self::Compiled => self,
                    Self::Interpreted(table, given) => Self::Interpreted(
                        turnstile_machines::$machine::Interpreted { choice, ..table },
                        given,
                    ),
                }
            }
        }

        impl turnstile_machines::$machine::Rules for $name {
            fn initial(&self) -> turnstile_machines::$machine::State {
                match self {
                    Self::Compiled => turnstile_machines::$machine::Compiled.initial(),
                    Self::Interpreted(table, _) => table.initial(),
                }
            }

            fn holds(
                &self,
                state: turnstile_machines::$machine::State,
            ) -> &[turnstile_machines::$machine::Resource] {
                match self {
                    Self::Compiled => turnstile_machines::$machine::Compiled.holds(state),
                    Self::Interpreted(table, _) => table.holds(state),
                }
            }

            fn may_hold(
                &self,
                state: turnstile_machines::$machine::State,
            ) -> &[turnstile_machines::$machine::Resource] {
                match self {
                    Self::Compiled => turnstile_machines::$machine::Compiled.may_hold(state),
                    Self::Interpreted(table, _) => table.may_hold(state),
                }
            }

            fn is_final(&self, state: turnstile_machines::$machine::State) -> bool {
                match self {
                    Self::Compiled => turnstile_machines::$machine::Compiled.is_final(state),
                    Self::Interpreted(table, _) => table.is_final(state),
                }
            }

            fn step(
                &self,
                state: turnstile_machines::$machine::State,
                event: turnstile_machines::$machine::Event,
                guards: &impl Fn(turnstile_machines::$machine::Guard) -> bool,
            ) -> Result<
                turnstile_machines::$machine::Step<'_>,
                turnstile_machines::$machine::Unexpected,
            > {
                match self {
                    Self::Compiled => {
                        turnstile_machines::$machine::Compiled.step(state, event, guards)
                    }
                    Self::Interpreted(table, _) => table.step(state, event, guards),
                }
            }

            fn asks(&self, guard: turnstile_machines::$machine::Guard) -> bool {
                !matches!(self, Self::Interpreted(table, _) if !table.asks(guard))
            }

            fn row_name(&self, row: turnstile_machines::$machine::RowId) -> &'static str {
                let known = turnstile_machines::$machine::RowId::ALL.len();
                match self {
                    Self::Compiled => row.name(),
                    Self::Interpreted(_, given) => {
                        let more = usize::from(row.0).checked_sub(known);
                        more.map_or(row.name(), |more| given.rows.get(more).copied().unwrap_or(""))
                    }
                }
            }
        }

        $crate::systems::formulas::formulae!($kind, $name, $machine);

        mod $machine {
            //! The names of a table read at run time as those of the machine.

            use turnstile_machines::$machine::{
                Action, Cell, Condition, Do, EventKind, Guard, Interpreted, Op, Place, Resource,
                Row, RowId, State,
            };
            use turnstile_spec::table::{self, CellKind, Vocabulary};

            use crate::report::options::Replacement;
            use crate::systems::rules::{keep, ranges};
            use crate::systems::unknown::Unknown;

            $crate::systems::formulas::readers!($kind, $machine);

            /// Reads a table's names; what is not known is noted.
            pub(super) fn interpreted(
                replacement: &Replacement,
                unknown: &mut Unknown,
            ) -> Option<Interpreted<'static>> {
                let words = &replacement.vocabulary;
                let given = &replacement.table;
                let mut initial = None;
                let none = Place { holds: &[], may_hold: &[], is_final: false };
                let mut places = vec![none; State::ALL.len()];
                for (name, place) in words.states.iter().zip(&given.states) {
                    let Some(place) = place else { continue };
                    let found = State::from_name(&name.name);
                    let Some(state) = unknown.find("state", &name.name, found) else { continue };
                    if place.initial {
                        initial = Some(state);
                    }
                    let index = State::ALL.iter().position(|other| *other == state)?;
                    places[index] = Place {
                        holds: resources(words, &place.holds, unknown),
                        may_hold: resources(words, &place.may_hold, unknown),
                        is_final: place.is_final,
                    };
                }
                let rows = given.rows.iter().filter_map(|given| row(words, given, unknown));
                let rows = keep(rows.collect());
                let absent = $crate::systems::absent::cells(words, given);
                let cells = given.cells.iter().chain(&absent);
                let cells = keep(cells.filter_map(|it| cell(words, it, unknown)).collect());
                let (initial, places, choice) = (initial?, keep(places), 0);
                $crate::systems::formulas::interpreted!(
                    $kind,
                    (replacement, unknown),
                    { initial, places, rows, cells, choice }
                )
            }

            fn state(
                words: &Vocabulary,
                id: table::StateId,
                unknown: &mut Unknown,
            ) -> Option<State> {
                let name = &words.states[id.index()].name;
                unknown.find("state", name, State::from_name(name))
            }

            fn event(
                words: &Vocabulary,
                id: table::EventId,
                unknown: &mut Unknown,
            ) -> Option<EventKind> {
                let name = &words.events[id.index()].name.name;
                unknown.find("event", name, EventKind::from_name(name))
            }

            fn resource(
                words: &Vocabulary,
                id: table::ResourceId,
                unknown: &mut Unknown,
            ) -> Option<Resource> {
                let name = &words.resources[id.index()].name.name;
                unknown.find("resource", name, Resource::from_name(name))
            }

            fn resources(
                words: &Vocabulary,
                ids: &[table::ResourceId],
                unknown: &mut Unknown,
            ) -> &'static [Resource] {
                keep(ids.iter().filter_map(|id| resource(words, *id, unknown)).collect())
            }

            fn row(
                words: &Vocabulary,
                given: &table::Row,
                unknown: &mut Unknown,
            ) -> Option<Row<'static>> {
                let id = &words.rows[given.id.index()].id;
                let does = given.does.iter().filter_map(|entry| act(words, entry, unknown));
                let does = keep(does.collect());
                let id = RowId::from_name(id)
                    .unwrap_or_else(|| RowId(unknown.row(id, RowId::ALL.len())));
                Some(Row {
                    id,
                    from: state(words, given.from, unknown)?,
                    to: state(words, given.to, unknown)?,
                    event: event(words, given.event, unknown)?,
                    pattern: ranges(&given.pattern),
                    guard: condition(words, &given.guard, unknown)?,
                    consumes: resources(words, &given.consumes, unknown),
                    does,
                })
            }

            fn cell(
                words: &Vocabulary,
                given: &table::Cell,
                unknown: &mut Unknown,
            ) -> Option<Cell<'static>> {
                Some(Cell {
                    state: state(words, given.state, unknown)?,
                    event: event(words, given.event, unknown)?,
                    pattern: ranges(&given.pattern),
                    impossible: given.kind == CellKind::Impossible,
                })
            }

            fn act(
                words: &Vocabulary,
                given: &table::Do,
                unknown: &mut Unknown,
            ) -> Option<Do<'static>> {
                let table::Do::Act { action, ops, each } = given;
                let name = &words.actions[action.index()].name;
                let action = unknown.find("action", name, Action::from_name(name))?;
                let mut kept = Vec::new();
                for op in ops {
                    kept.push(match *op {
                        table::Op::Create(id) => Op::Create(resource(words, id, unknown)?),
                        table::Op::Delete(id) => Op::Delete(resource(words, id, unknown)?),
                        table::Op::Restart(id) => Op::Restart(resource(words, id, unknown)?),
                        table::Op::Abandon(id) => Op::Abandon(resource(words, id, unknown)?),
                    });
                }
                let ops = keep(kept);
                $crate::systems::formulas::done!($kind, (words, each, unknown), { action, ops })
            }

            fn condition(
                words: &Vocabulary,
                given: &table::Guard,
                unknown: &mut Unknown,
            ) -> Option<Condition<'static>> {
                let mut list = |parts: &[table::Guard]| {
                    let parts = parts.iter().map(|part| condition(words, part, unknown));
                    parts.collect::<Option<Vec<_>>>().map(keep)
                };
                match given {
                    table::Guard::All(parts) => list(parts).map(Condition::All),
                    table::Guard::Any(parts) => list(parts).map(Condition::Any),
                    table::Guard::Not(part) => {
                        let part: &'static _ =
                            Box::leak(Box::new(condition(words, part, unknown)?));
                        Some(Condition::Not(part))
                    }
                    table::Guard::Is(id) => {
                        let name = &words.guards[id.index()].name;
                        unknown.find("guard", name, Guard::from_name(name)).map(Condition::Is)
                    }
                }
            }
        }
    };
}
pub(crate) use chosen;
