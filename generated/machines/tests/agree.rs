//! Three forms of every bundled machine agree on every cell: the compiled machine, the interpreted
//! table, and the reader's table of the file.

use turnstile_machine::Machine;
use turnstile_spec::table::{self, ActionCall, CellContent, CellKind, GuardId, Op};
use turnstile_spec::{Source, WrittenTable};

/// A bundled table as its module has it baked in.
fn read(name: &str) -> (WrittenTable, table::Table) {
    let file = turnstile_bundled::table(name).expect("it is bundled");
    let literal = WrittenTable::read(Source::new(file.file, file.text)).expect("it can be read");
    let table = literal.amended().expect("it is sound").table;
    (literal, table)
}

/// The content of a cell, in the document's words; `None` without a row.
#[derive(Debug, PartialEq, Eq)]
struct Words {
    row: String,
    to: String,
    consumes: Vec<String>,
    does: Vec<String>,
}

/// The content of a cell in the reader's table; the bits of `answers` are the values of the guards.
fn words(
    literal: &WrittenTable,
    table: &table::Table,
    (state, event, number): (usize, usize, u16),
    answers: u32,
) -> Option<Words> {
    let names = &literal.vocabulary;
    let index = |index: usize| u16::try_from(index).expect("a table is small");
    let (state, event) = (table::StateId(index(state)), table::EventId(index(event)));
    let mut answer = |guard: GuardId| answers >> guard.0 & 1 == 1;
    let resource = |id: table::ResourceId| names.resources[id.index()].name.name.clone();
    let op = |op: &Op| match *op {
        Op::Create(id) => format!("Create {}", resource(id)),
        Op::Delete(id) => format!("Delete {}", resource(id)),
        Op::Restart(id) => format!("Restart {}", resource(id)),
        Op::Abandon(id) => format!("Abandon {}", resource(id)),
    };
    let act = |entry: &ActionCall| {
        let ActionCall { action, ops, each: _ } = entry;
        let ops: Vec<String> = ops.iter().map(op).collect();
        format!("{} {ops:?}", names.actions[action.index()].name)
    };
    let here = names.states[state.index()].name.clone();
    let ignored = || Words { row: String::new(), to: here, consumes: vec![], does: vec![] };
    match table.at(state, event, number) {
        CellContent::Rows(rows) => {
            let Some(row) = rows.into_iter().find(|row| row.guard.holds(&mut answer)) else {
                // No condition is true: then the cell says what there is to say.
                let mut cells = table.cells.iter();
                let cell = cells.find(|cell| {
                    (cell.state, cell.event) == (state, event) && cell.pattern.matches(number)
                })?;
                return (cell.kind == CellKind::Ignore).then(ignored);
            };
            Some(Words {
                row: names.rows[row.id.index()].id.clone(),
                to: names.states[row.to.index()].name.clone(),
                consumes: row.consumes.iter().map(|id| resource(*id)).collect(),
                does: row.actions.iter().map(act).collect(),
            })
        }
        CellContent::Ignored(_) => Some(ignored()),
        CellContent::Impossible(_) | CellContent::Missing => None,
    }
}

macro_rules! agree {
    ($module:ident, $name:literal, $file:literal) => {
        mod $module {
            use turnstile_machine::{Interpreted, Rules};
            use turnstile_machines::$module::{
                Action, ActionCall, EventKind, Guard, Machine, Op, Resource, RowId, State, Step,
                Transition,
            };

            use super::{Words, read, words};

            /// The table as data.
            fn interpreted() -> Interpreted<Machine> {
                let (literal, table) = read($name);
                let plain = turnstile_machine::read(&literal.vocabulary, &table);
                Interpreted::new(plain.expect("they are its names"))
            }

            /// The same machine with all that a call can ask for.
            mod asked {
                turnstile_machine::machine!($file, typestate, step_into);
                pub(super) use self::$module::*;
            }

            fn named(step: Step<'_>) -> Words {
                let verb = |op: &Op| match op {
                    Op::Create(_) => "Create",
                    Op::Delete(_) => "Delete",
                    Op::Restart(_) => "Restart",
                    Op::Abandon(_) => "Abandon",
                };
                let op = |op: &Op| format!("{} {}", verb(op), op.resource());
                let ops = |ops: &[Op]| ops.iter().map(op).collect::<Vec<_>>();
                Words {
                    row: step.row.map_or_else(String::new, |row| row.to_string()),
                    to: step.to.to_string(),
                    consumes: step.consumes.iter().map(Resource::to_string).collect(),
                    does: (step.actions.iter())
                        .map(|act| format!("{} {:?}", act.action, ops(act.ops)))
                        .collect(),
                }
            }

            #[test]
            fn compiled_and_interpreted_and_the_file_agree() {
                let (literal, table) = read($name);
                let (compiled, interpreted) = (Machine, interpreted());
                for (s, &state) in State::ALL.iter().enumerate() {
                    assert_eq!(compiled.holds(state), interpreted.holds(state), "{state}");
                    assert_eq!(compiled.may_hold(state), interpreted.may_hold(state), "{state}");
                    assert_eq!(compiled.is_final(state), interpreted.is_final(state), "{state}");
                    for (e, &kind) in EventKind::ALL.iter().enumerate() {
                        let (least, greatest) = kind.bounds();
                        for number in least..=greatest {
                            for answers in 0..1u32 << Guard::ALL.len() {
                                let event = kind.event(number);
                                assert_eq!((event.kind(), event.number()), (kind, number));
                                let guards = |guard: Guard| {
                                    let bit = Guard::ALL.iter().position(|it| *it == guard);
                                    answers >> bit.expect("it is listed") & 1 == 1
                                };
                                let said = compiled.step(state, event, &guards);
                                assert_eq!(said, interpreted.step(state, event, &guards));
                                let written = words(&literal, &table, (s, e, number), answers);
                                assert_eq!(said.ok().map(named), written, "{state} {event:?}");
                                let moved = format!("{:?}", said.map(Step::transition));
                                let does = said.ok().into_iter().flat_map(|step| step.actions);
                                let does: Vec<ActionCall<'_>> = does.collect();
                                let expected = (moved, format!("{does:?}"));
                                assert_eq!(into(s, e, number, answers), expected);
                                let runs = said.ok().map(|step| step.blocks().collect::<Vec<_>>());
                                let runs = runs.into_iter().flatten().flat_map(|run| run.actions);
                                assert_eq!(runs.collect::<Vec<_>>(), does);
                            }
                        }
                    }
                }
                assert_eq!(compiled.initial(), interpreted.initial());
            }

            /// The result of `step_into` for a cell, with what its sink receives.
            fn into(state: usize, event: usize, number: u16, answers: u32) -> (String, String) {
                use asked::{EventKind, Guard, State, step_into};

                let guards = |guard: Guard| answers >> guard as u32 & 1 == 1;
                let (mut does, event) = (Vec::new(), EventKind::ALL[event].event(number));
                let moved = step_into(State::ALL[state], event, &guards, |act| does.push(act));
                (format!("{moved:?}"), format!("{does:?}"))
            }

            #[test]
            fn names_round_trip() {
                macro_rules! round_trip {
                    ($type:ident, $names:expr) => {
                        let names: Vec<&str> = $type::ALL.iter().map(|it| it.name()).collect();
                        assert_eq!(names, $names);
                        for &it in $type::ALL {
                            assert_eq!($type::from_name(it.name()), Some(it));
                            assert_eq!(it.to_string(), it.name());
                        }
                        assert_eq!($type::from_name("no such name"), None);
                    };
                }
                let (literal, _) = read($name);
                let words = &literal.vocabulary;
                let name = |name: &turnstile_spec::table::Name| name.name.clone();
                round_trip!(State, words.states.iter().map(name).collect::<Vec<_>>());
                round_trip!(Action, words.actions.iter().map(name).collect::<Vec<_>>());
                round_trip!(Guard, words.guards.iter().map(name).collect::<Vec<_>>());
                let resources = words.resources.iter().map(|it| name(&it.name));
                round_trip!(Resource, resources.collect::<Vec<_>>());
                let events = words.events.iter().map(|it| name(&it.name));
                round_trip!(EventKind, events.collect::<Vec<_>>());
                round_trip!(RowId, words.rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>());
                assert_eq!(RowId(u16::MAX).name(), "", "a row of another table has no name");
            }

            #[test]
            fn a_row_that_is_taken_second_is_the_second_choice() {
                let second = interpreted().choosing(1);
                for (&state, &kind) in State::ALL
                    .iter()
                    .flat_map(|state| EventKind::ALL.iter().map(move |it| (state, it)))
                {
                    let (least, greatest) = kind.bounds();
                    for number in least..=greatest {
                        let event = kind.event(number);
                        let rows: Vec<_> = second.matching(state, event, &|_| true).collect();
                        let taken = second.step(state, event, &|_| true).ok().map(Step::transition);
                        let Some(row) = rows.get(1).or(rows.first()) else { continue };
                        assert_eq!(taken, Some(Transition { row: Some(row.id), to: row.to }));
                    }
                }
            }
        }
    };
}

macro_rules! every {
    ($($module:ident, $name:literal, $file:literal;)*) => {
        #[test]
        fn every_bundled_table_has_a_module() {
            let tables = turnstile_bundled::TABLES.iter().map(|table| table.name);
            let tables: Vec<&str> = tables.collect();
            let machines = [$(<turnstile_machines::$module::Machine as Machine>::TABLE.machine),*];
            assert_eq!(tables, machines);
        }

        $(agree!($module, $name, $file);)*
    };
}

turnstile_bundled::for_each_table!(every);
