//! The types that every machine has, for the names of this one: turnstile-machine's, by alias; and
//! the machine itself.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::table::{Lines, Vocabulary};

use crate::document::number;
use crate::{Machine, formula};

/// `Op`, `ActionCall`, `Step`, `Unexpected` and their like, of this machine.
pub(crate) fn aliases() -> TokenStream {
    quote! {
        pub use ::turnstile_machine::{ResourceKind, Term};

        /// What an action does to a resource.
        pub type Op = ::turnstile_machine::Op<Machine>;
        /// One action of a row, with what it does to resources.
        pub type ActionCall<'t> = ::turnstile_machine::ActionCall<'t, Machine>;
        /// What a row does, in order.
        pub type Actions<'t> = ::turnstile_machine::Actions<'t, Machine>;
        /// A loop of a row.
        pub type ForEach = ::turnstile_machine::ForEach<Machine>;
        /// Actions that are done one after the other: once, or once for each term.
        pub type Block<'t> = ::turnstile_machine::Block<'t, Machine>;
        /// What the table says of a state and an event.
        pub type Step<'t> = ::turnstile_machine::Step<'t, Machine>;
        /// A step without its actions, which went into a sink.
        pub type Transition = ::turnstile_machine::Transition<Machine>;
        /// An event that the table has no row for: the machine stays as it is.
        pub type Unexpected = ::turnstile_machine::Unexpected<Machine>;
    }
}

/// `Machine`: the types of the names, and the table baked in as rules.
pub(crate) fn machine(machine: &Machine<'_>) -> TokenStream {
    let words = machine.vocabulary;
    let (name, hash) = (&words.machine, number(machine.hash));
    let (formulas, methods) = (formula::types(words), formula::methods(machine));
    let (questions, cites) = (formula::core_questions(words), cites(words));
    quote! {
        /// The machine: its names as types, and the table baked in as rules.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Machine;

        impl ::turnstile_machine::Questions for Machine { #questions }

        impl ::turnstile_machine::Machine for Machine {
            type State = State;
            type Event = Event;
            type EventKind = EventKind;
            type Action = Action;
            type Resource = Resource;
            type Guard = Guard;
            type RowId = RowId;
            #formulas

            const TABLE: ::turnstile_machine::Table = ::turnstile_machine::Table {
                machine: #name,
                hash: #hash,
                cites: #cites,
            };
        }

        impl ::turnstile_machine::Rules<Machine> for Machine {
            fn initial(&self) -> State {
                State::INITIAL
            }

            fn holds(&self, state: State) -> &[Resource] {
                state.holds()
            }

            fn may_hold(&self, state: State) -> &[Resource] {
                state.may_hold()
            }

            fn is_final(&self, state: State) -> bool {
                state.is_final()
            }

            #[inline]
            fn step(
                &self,
                state: State,
                event: Event,
                guards: &impl Fn(Guard) -> bool,
            ) -> ::core::result::Result<Step<'_>, Unexpected> {
                step(state, event, guards)
            }

            #methods
        }
    }
}

/// The document's lines of each row.
fn cites(words: &Vocabulary) -> TokenStream {
    let cites = words.rows.iter().map(|row| lines(&row.cite));
    quote!(&[#(#cites),*])
}

fn lines(cite: &[Lines]) -> TokenStream {
    let ranges = cite.iter().map(|lines| {
        let (first, last) = (number(*lines.start()), number(*lines.end()));
        quote!((#first, #last))
    });
    quote!(&[#(#ranges),*])
}
