//! `trait Rules`, and the table as plain data that runs by it: `Interpreted`.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::table::Vocabulary;

use crate::formula;

/// The trait, `Row`, `Cell`, `Place`, `Condition`, `Interpreted`, `Table`.
pub(crate) fn rules(words: &Vocabulary) -> TokenStream {
    let rules = trait_rules();
    let plain = plain();
    let condition = condition();
    let interpreted = interpreted(words);
    let table = table();
    let implementation = implementation();
    quote!(#rules #plain #condition #interpreted #table #implementation)
}

fn trait_rules() -> TokenStream {
    quote! {
        /// A table that can be run. A core is generic over it: the table baked in
        /// ([`Compiled`]) and any other one of the same names ([`Interpreted`]) run through the
        /// same core.
        pub trait Rules: Clone {
            /// Where a machine begins.
            fn initial(&self) -> State;

            /// What a state always holds.
            fn holds(&self, state: State) -> &[Resource];

            /// What a state holds only sometimes.
            fn may_hold(&self, state: State) -> &[Resource];

            /// Whether a machine ends in a state.
            fn is_final(&self, state: State) -> bool;

            /// What the table says of a state and an event; `guards` answers the named booleans.
            ///
            /// # Errors
            ///
            /// [`Unexpected`] where the table has no row.
            fn step(
                &self,
                state: State,
                event: Event,
                guards: &impl Fn(Guard) -> bool,
            ) -> ::core::result::Result<Step<'_>, Unexpected>;

            /// Whether some row may ask a guard. What is kept only to answer one need not be kept
            /// where none does.
            fn asks(&self, guard: Guard) -> bool {
                let _ = guard;
                true
            }

            /// The stable id of a row that a step takes. A table read at run time may have rows
            /// that the one baked in has not: their numbers lie behind those of
            /// [`RowId::ALL`], and whoever reads the table knows their ids.
            fn row_name(&self, row: RowId) -> &'static str {
                row.name()
            }
        }
    }
}

fn plain() -> TokenStream {
    quote! {
        /// What a state is in one table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Place<'t> {
            /// What it always holds.
            pub holds: &'t [Resource],
            /// What it holds only sometimes.
            pub may_hold: &'t [Resource],
            /// Whether a machine ends here.
            pub is_final: bool,
        }

        /// One source state, one event, one destination.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Row<'t> {
            /// The row as written.
            pub id: RowId,
            /// The state that it leaves.
            pub from: State,
            /// The state that it enters.
            pub to: State,
            /// The event that takes it.
            pub event: EventKind,
            /// The payload numbers that take it: ranges, both ends included.
            pub pattern: &'t [(u16, u16)],
            /// The condition beside the event.
            pub guard: Condition<'t>,
            /// What the event itself uses up.
            pub consumes: &'t [Resource],
            /// What is done, in order.
            pub does: &'t [Do<'t>],
        }

        /// What is said of a cell that has no row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Cell<'t> {
            /// The state.
            pub state: State,
            /// The event.
            pub event: EventKind,
            /// The payload numbers: ranges, both ends included.
            pub pattern: &'t [(u16, u16)],
            /// Claimed to be impossible; otherwise the event is ignored.
            pub impossible: bool,
        }

        /// Whether a number is in one of the ranges.
        fn matches(pattern: &[(u16, u16)], number: u16) -> bool {
            pattern.iter().any(|&(least, greatest)| least <= number && number <= greatest)
        }
    }
}

fn condition() -> TokenStream {
    quote! {
        /// A condition over named booleans.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Condition<'t> {
            /// A named boolean.
            Is(Guard),
            /// Every one of these; nothing means true.
            All(&'t [Condition<'t>]),
            /// At least one of these; nothing means false.
            Any(&'t [Condition<'t>]),
            /// The opposite.
            Not(&'t Condition<'t>),
        }

        impl Condition<'_> {
            /// Whether it is true under an answer for each guard.
            pub fn holds(&self, guards: &impl Fn(Guard) -> bool) -> bool {
                match self {
                    Self::Is(guard) => guards(*guard),
                    Self::All(parts) => parts.iter().all(|part| part.holds(guards)),
                    Self::Any(parts) => parts.iter().any(|part| part.holds(guards)),
                    Self::Not(part) => !part.holds(guards),
                }
            }

            /// Whether an answer for a guard is looked at.
            pub fn asks(&self, guard: Guard) -> bool {
                match self {
                    Self::Is(asked) => *asked == guard,
                    Self::All(parts) | Self::Any(parts) => {
                        parts.iter().any(|part| part.asks(guard))
                    }
                    Self::Not(part) => part.asks(guard),
                }
            }
        }
    }
}

fn interpreted(words: &Vocabulary) -> TokenStream {
    let formulas = formula::any(words).then(|| {
        quote! {
            /// The rules and invariants.
            pub formulas: Formulas<'t>,
        }
    });
    quote! {
        /// A table as plain data: as written, edited, or mutated.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Interpreted<'t> {
            /// Where a machine begins.
            pub initial: State,
            /// What each state is, in the order of [`State::ALL`]; one that is missing holds
            /// nothing.
            pub places: &'t [Place<'t>],
            /// The rows, in the order written.
            pub rows: &'t [Row<'t>],
            /// What is said of the cells without a row.
            pub cells: &'t [Cell<'t>],
            /// Which one is taken of several rows that match, counted from 0; the last one where
            /// there are not so many.
            pub choice: u8,
            #formulas
        }

        impl<'t> Interpreted<'t> {
            /// The rows that an event takes in a state, in the order written.
            pub fn matching<'a>(
                &'a self,
                state: State,
                event: Event,
                guards: &'a impl Fn(Guard) -> bool,
            ) -> impl Iterator<Item = &'t Row<'t>> + 'a {
                let (kind, number) = (event.kind(), event.number());
                let rows: &'t [Row<'t>] = self.rows;
                rows.iter().filter(move |row| {
                    row.from == state
                        && row.event == kind
                        && matches(row.pattern, number)
                        && row.guard.holds(guards)
                })
            }

            fn place(&self, state: State) -> ::core::option::Option<&Place<'t>> {
                self.places.get(state as usize)
            }
        }
    }
}

fn table() -> TokenStream {
    quote! {
        /// A table with its name and origin.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Table<'t> {
            /// The machine's name.
            pub machine: &'t str,
            /// The content hash of the file that it was read from.
            pub hash: u64,
            /// The table itself.
            pub rules: Interpreted<'t>,
            /// The document's lines that each row cites, in the order of [`RowId::ALL`]: ranges,
            /// both ends included.
            pub cites: &'t [&'t [(u32, u32)]],
        }
    }
}

fn implementation() -> TokenStream {
    quote! {
        impl Rules for Interpreted<'_> {
            fn initial(&self) -> State {
                self.initial
            }

            fn holds(&self, state: State) -> &[Resource] {
                self.place(state).map_or(&[], |place| place.holds)
            }

            fn may_hold(&self, state: State) -> &[Resource] {
                self.place(state).map_or(&[], |place| place.may_hold)
            }

            fn is_final(&self, state: State) -> bool {
                self.place(state).is_some_and(|place| place.is_final)
            }

            fn asks(&self, guard: Guard) -> bool {
                self.rows.iter().any(|row| row.guard.asks(guard))
            }

            fn step(
                &self,
                state: State,
                event: Event,
                guards: &impl Fn(Guard) -> bool,
            ) -> ::core::result::Result<Step<'_>, Unexpected> {
                let mut taken = ::core::option::Option::None;
                for row in self.matching(state, event, guards).take(usize::from(self.choice) + 1) {
                    taken = ::core::option::Option::Some(row);
                }
                if let ::core::option::Option::Some(row) = taken {
                    return ::core::result::Result::Ok(Step {
                        row: ::core::option::Option::Some(row.id),
                        to: row.to,
                        consumes: row.consumes,
                        does: row.does,
                    });
                }
                let (kind, number) = (event.kind(), event.number());
                let said = self.cells.iter().find(|cell| {
                    cell.state == state && cell.event == kind && matches(cell.pattern, number)
                });
                match said {
                    ::core::option::Option::Some(cell) if cell.impossible => {
                        refused(state, event, true)
                    }
                    ::core::option::Option::Some(_) => {
                        ::core::result::Result::Ok(Step::ignored(state))
                    }
                    ::core::option::Option::None => refused(state, event, false),
                }
            }
        }
    }
}
