//! The typestate form: `Machine<Registering>`, whose methods are the events that the state accepts.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use turnstile_spec::cell_index::{CellEntry, CellIndex};
use turnstile_spec::table::{CellKind, Condition, Event, EventId, Row, StateId};

use crate::Machine;
use crate::cell::{CellResponse, Leaf, Ranges, arms, outcome, responses};
use crate::data::state;
use crate::event::{field, payload_type};
use crate::row;
use crate::text::document::{self, cited, doc, ident, prose, snake};

/// The module `typestate`.
pub(crate) fn typestate(machine: &Machine<'_>) -> TokenStream {
    let words = machine.vocabulary;
    let is_here = |index: &usize| {
        let is_entered = machine.table.rows.iter().any(|row| row.to.index() == *index);
        is_entered || machine.table.states.get(*index).is_some_and(Option::is_some)
    };
    let here: Vec<usize> = (0..words.states.len()).filter(is_here).collect();
    let markers = here.iter().map(|&index| marker(machine, index));
    let (names, places) = (row::steps(machine), CellIndex::new(words, machine.table));
    let moves: Vec<EventMethod<'_>> = here
        .iter()
        .flat_map(|&index| (0..).zip(&words.events).map(move |(id, event)| (index, id, event)))
        .filter_map(|(from, id, event)| {
            let from = StateId(from as u16);
            EventMethod::new((machine, &names), from, places.at(from, EventId(id)), event)
        })
        .collect();
    let outcomes = moves.iter().map(EventMethod::outcomes);
    let methods = here.iter().map(|&index| {
        let name = marker_ident(&words.states[index].ident);
        let of_state = moves.iter().filter(|it| it.from.index() == index);
        let methods: Vec<TokenStream> = of_state.map(EventMethod::method).collect();
        (!methods.is_empty()).then(|| quote!(impl Machine<#name> { #(#methods)* }))
    });
    let frame = frame(machine);
    quote! {
        /// The typestate form: the state is part of the type, so an event that a state does not
        /// accept does not compile, and an unused outcome is a warning.
        pub mod typestate {
            #frame
            #(#markers)*
            #(#outcomes)*
            #(#methods)*
        }
    }
}

/// A stub without the option `typestate`: a call of `begin` is a compile error that names it.
pub(crate) fn stub() -> TokenStream {
    quote! {
        /// The typestate form: needs the option `typestate` of `machine!`.
        pub mod typestate {
            /// A machine in its initial state.
            pub const fn begin()
            where
                for<'a> super::Machine: ::turnstile_machine::option::Typestate<'a>,
            {
            }
        }
    }
}

fn frame(machine: &Machine<'_>) -> TokenStream {
    let begins = begins(machine);
    quote! {
        mod sealed {
            pub trait Sealed {}
        }

        /// A state as a type.
        pub trait Marker: sealed::Sealed {
            /// The same state as a value.
            const STATE: super::State;
        }

        /// A machine in the state `S`.
        #[must_use]
        #[derive(Debug, PartialEq, Eq)]
        pub struct Machine<S> {
            /// The last step: the row taken, and the actions to perform.
            pub step: super::Step<'static>,
            state: ::core::marker::PhantomData<S>,
        }

        #(#begins)*

        impl<S> Machine<S> {
            const fn after(step: super::Step<'static>) -> Self {
                Self { step, state: ::core::marker::PhantomData }
            }
        }

        impl<S: Marker> ::core::convert::From<Machine<S>> for super::State {
            fn from(_: Machine<S>) -> Self {
                S::STATE
            }
        }
    }
}

/// `begin`; for each of several initial states, `begin_in_STATE`.
fn begins(machine: &Machine<'_>) -> Vec<TokenStream> {
    let initial = crate::names::initial_idents(machine);
    let of = |state: &Ident| {
        let marker = marker_ident(&state.to_string());
        let (about, name) = match initial.len() {
            1 => ("A machine in its initial state.".to_owned(), ident("begin")),
            _ => (
                format!("A machine in its initial state `{state}`."),
                format_ident!("begin_in_{}", snake(&state.to_string()).to_string()),
            ),
        };
        let about = doc(&[about]);
        quote! {
            #about
            pub const fn #name() -> Machine<#marker> {
                Machine::after(super::Step::ignored(super::State::#state))
            }
        }
    };
    initial.iter().map(of).collect()
}

fn marker(machine: &Machine<'_>, index: usize) -> TokenStream {
    let words = machine.vocabulary;
    let name = marker_ident(&words.states[index].ident);
    let value = state(words, index);
    let mut about = document::name(&words.states[index]);
    about.extend(crate::names::about_state(machine, index));
    let about = doc(&about);
    quote! {
        #about
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct #name;

        impl sealed::Sealed for #name {}

        impl Marker for #name {
            const STATE: super::State = super::#value;
        }
    }
}

/// The type of a state: its variant's name, but for the two names that the module has itself.
fn marker_ident(name: &str) -> Ident {
    match name {
        "Machine" | "Marker" => format_ident!("{name}State"),
        name => ident(name),
    }
}

/// One event in one state that has a row for it.
struct EventMethod<'a> {
    machine: &'a Machine<'a>,
    /// The constant of each row.
    names: &'a [Ident],
    from: StateId,
    event: &'a Event,
    responses: Vec<(Ranges, CellResponse<'a>)>,
    /// The possible destinations, in table order.
    to: Vec<StateId>,
    refusable: bool,
}

impl<'a> EventMethod<'a> {
    fn new(
        (machine, names): (&'a Machine<'a>, &'a [Ident]),
        from: StateId,
        place: &CellEntry<'a>,
        event: &'a Event,
    ) -> Option<Self> {
        let responses = responses(place, event);
        let mut to = Vec::new();
        let mut refusable = false;
        let mut accepted = false;
        for (_, response) in &responses {
            accepted |= !response.rows.is_empty();
            let mut comes = |state| {
                if !to.contains(&state) {
                    to.push(state);
                }
            };
            response.rows.iter().for_each(|(_, row)| comes(row.to));
            if !response.is_decided() {
                let is_ignored = response.otherwise == Some(CellKind::Ignore);
                is_ignored.then(|| comes(from));
                refusable |= !is_ignored;
            }
        }
        accepted.then_some(Self { machine, names, from, event, responses, to, refusable })
    }

    fn state_ident(&self, state: StateId) -> Ident {
        marker_ident(&self.machine.vocabulary.states[state.index()].ident)
    }

    /// Whether there are several outcomes to match on.
    fn is_open(&self) -> bool {
        self.refusable || self.to.len() > 1
    }

    /// `RegisteringResponse`.
    fn outcome_ident(&self) -> Ident {
        let name = format_ident!("{}{}", self.state_ident(self.from), self.event.name.ident);
        match self.machine.vocabulary.states.iter().any(|state| name == state.ident) {
            true => format_ident!("{name}Outcome"),
            false => name,
        }
    }

    /// The variant for an event without a row: a name that no state has.
    fn refused_ident(&self) -> Ident {
        let taken = |name: &str| self.machine.vocabulary.states.iter().any(|it| it.ident == name);
        let names = ["Unexpected", "Refused", "WithoutRow"];
        ident(names.into_iter().find(|name| !taken(name)).unwrap_or("Unexpected_"))
    }

    fn outcomes(&self) -> Option<TokenStream> {
        if !self.is_open() {
            return None;
        }
        let words = self.machine.vocabulary;
        let name = self.outcome_ident();
        let (from, event) = (&words.states[self.from.index()].name, &self.event.name.name);
        let about = doc(&[format!("The outcomes of `{event}` in `{from}`.")]);
        let variants = self.to.iter().map(|&to| {
            let (about, to) = (doc(&self.rows_to(to)), self.state_ident(to));
            quote!(#about #to(Machine<#to>))
        });
        let refused = self.refusable.then(|| {
            let (variant, from) = (self.refused_ident(), self.state_ident(self.from));
            quote! {
                /// No row matches: the state does not change.
                #variant(Machine<#from>, super::Unexpected),
            }
        });
        Some(quote! {
            #about
            #[must_use]
            #[derive(Debug, PartialEq, Eq)]
            pub enum #name { #(#variants,)* #refused }
        })
    }

    /// The rows that lead to a state.
    fn rows_to(&self, to: StateId) -> Vec<String> {
        let words = self.machine.vocabulary;
        let mut ways: Vec<String> = Vec::new();
        for (_, row) in self.responses.iter().flat_map(|(_, response)| &response.rows) {
            let written = &words.rows[row.id.index()];
            let condition = match written.guard.as_str() {
                "" => written.event.clone(),
                guard => format!("{} if {guard}", written.event),
            };
            let way = format!("{}{}.", prose(&condition), cited(&written.cite));
            if row.to == to && !ways.contains(&way) {
                ways.push(way);
            }
        }
        if ways.is_empty() {
            ways.push("The event changes nothing.".to_owned());
        }
        ways
    }

    fn method(&self) -> TokenStream {
        let words = self.machine.vocabulary;
        let name = snake(&self.event.name.ident);
        let ways: Vec<String> = self
            .to
            .iter()
            .flat_map(|&to| {
                let to_name = prose(&words.states[to.index()].name);
                self.rows_to(to).into_iter().map(move |way| format!("→ {to_name}: {way}"))
            })
            .collect();
        let about = doc(&ways);
        let payload = self.event.payload.as_ref().map(|payload| {
            let (field, of_type) = (field(payload), payload_type(self.event, payload));
            let path = matches!(payload.domain, turnstile_spec::table::PayloadDomain::Words(_));
            let path = path.then(|| quote!(super::));
            quote!(#field: #path #of_type)
        });
        let mut rows = self.responses.iter().flat_map(|(_, response)| &response.rows);
        let asks = rows.any(|(_, row)| row.guard != Condition::default());
        let guards = asks.then(|| quote!(guards: &impl ::core::ops::Fn(super::Guard) -> bool));
        let parameters = payload.into_iter().chain(guards);
        let result = match (self.is_open(), self.to.as_slice()) {
            (false, [only]) => {
                let only = self.state_ident(*only);
                quote!(Machine<#only>)
            }
            _ => {
                let name = self.outcome_ident();
                quote!(#name)
            }
        };
        let body = match self.responses.as_slice() {
            [(_, only)] => outcome(words, only, self),
            several => arms(words, self.event, several, self),
        };
        quote! {
            #about
            pub fn #name(self, #(#parameters),*) -> #result { #body }
        }
    }

    fn entered(&self, to: StateId, machine: &TokenStream) -> TokenStream {
        if !self.is_open() {
            return machine.clone();
        }
        let (outcome, to) = (self.outcome_ident(), self.state_ident(to));
        quote!(#outcome::#to(#machine))
    }
}

impl Leaf for EventMethod<'_> {
    fn root(&self) -> TokenStream {
        quote!(super::)
    }

    fn taken(&self, index: usize, row: &Row) -> TokenStream {
        let name = &self.names[index];
        self.entered(row.to, &quote!(Machine::after(super::steps::#name)))
    }

    fn ignored(&self) -> TokenStream {
        let to = state(self.machine.vocabulary, self.from.index());
        let step = quote!(super::Step::ignored(super::#to));
        self.entered(self.from, &quote!(Machine::after(#step)))
    }

    fn refused(&self, impossible: bool) -> TokenStream {
        let (outcome, variant) = (self.outcome_ident(), self.refused_ident());
        let from = state(self.machine.vocabulary, self.from.index());
        let event = ident(&self.event.name.ident);
        let payload = self.event.payload.as_ref().map(|payload| {
            let field = field(payload);
            quote!({ #field })
        });
        quote! {
            #outcome::#variant(self, super::Unexpected {
                state: super::#from,
                event: super::Event::#event #payload,
                impossible: #impossible,
            })
        }
    }
}
