//! The types that every machine has, for the names of this one: turnstile-machine's, by alias; and
//! the machine itself.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::table::{Lines, Vocabulary};

use crate::text::document::number;
use crate::{Machine, formula};

/// `Op`, `ActionCall`, `Step`, `Unexpected` and their like, of this machine.
pub(crate) fn aliases() -> TokenStream {
    quote! {
        pub use ::turnstile_machine::{ResourceKind, Term};

        /// An operation of an action on a resource.
        pub type Op = ::turnstile_machine::Op<Machine>;
        /// One action of a row, with what it does to resources.
        pub type ActionCall<'t> = ::turnstile_machine::ActionCall<'t, Machine>;
        /// The actions of a row, in order.
        pub type Actions<'t> = ::turnstile_machine::Actions<'t, Machine>;
        /// A loop of a row (`for each`).
        pub type ForEach = ::turnstile_machine::ForEach<Machine>;
        /// Consecutive actions of a row, done once or once for each element of a collection.
        pub type Block<'t> = ::turnstile_machine::Block<'t, Machine>;
        /// The outcome of an event in a state: the row taken, the next state and the actions.
        pub type Step<'t> = ::turnstile_machine::Step<'t, Machine>;
        /// The row taken and the next state, without the actions.
        pub type Transition = ::turnstile_machine::Transition<Machine>;
        /// The error for an event without a row: the state does not change.
        pub type Unexpected = ::turnstile_machine::Unexpected<Machine>;
    }
}

/// `Machine`: the types of the names, and the compiled table as `Rules`.
pub(crate) fn machine(machine: &Machine<'_>) -> TokenStream {
    let words = machine.vocabulary;
    let (name, hash) = (&words.machine, number(machine.hash));
    let (formulas, rules) = (formula::types(words), rules(machine));
    let (signature, cites) = (formula::core_signature(words), cites(words));
    quote! {
        /// The machine: its names as types, and its compiled table as `Rules`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Machine;

        impl ::turnstile_machine::Signature for Machine { #signature }

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

        #rules
    }
}

/// The compiled table as `Rules`.
fn rules(machine: &Machine<'_>) -> TokenStream {
    let methods = formula::methods(machine);
    let settle = machine.vocabulary.completion().map(|_| settle());
    quote! {
        impl ::turnstile_machine::Rules<Machine> for Machine {
            fn initial(&self) -> State {
                State::INITIAL
            }

            fn initial_states(&self) -> &[State] {
                State::INITIAL_STATES
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

            #settle

            #methods
        }
    }
}

/// What follows a step of a table with rows without an event.
fn settle() -> TokenStream {
    quote! {
        fn is_transient(&self, state: State) -> bool {
            state.is_transient()
        }

        fn settle(
            &self,
            state: State,
            guards: &impl Fn(Guard) -> bool,
        ) -> ::core::option::Option<Step<'_>> {
            settle(state, guards)
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
