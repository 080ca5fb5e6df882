//! The table as code: a match on the state, in it one on the event, in it one on what
//! the event carries.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use turnstile_spec::places::Places;
use turnstile_spec::table::{EventId, Guard, Row, StateId};

use crate::cell::{Leaf, arms, outcome, said};
use crate::data::{act, state};
use crate::document::ident;
use crate::{Extras, Machine, row};

/// `step` and, where the call asks for it, `step_into`.
pub(crate) fn compiled(machine: &Machine<'_>, extras: Extras) -> TokenStream {
    let names = row::steps(machine);
    let steps = states(machine, |from| Returned { machine, names: &names, from });
    let into = match extras.step_into {
        true => step_into(machine, &names, extras),
        false => unasked(),
    };
    let trace = extras.tracing.then(|| trace(&machine.vocabulary.machine, extras));
    let name = ident(if extras.tracing { "step_untraced" } else { "step" });
    let seen = seen(extras);
    let refused = refused();
    let guards = guards(machine);
    quote! {
        /// What the table says of a state and an event; `guards` answers the named booleans.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] where the table has no row.
        #[inline]
        #seen fn #name(
            state: State,
            event: Event,
            #guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'static>, Unexpected> {
            #steps
        }

        #into
        #trace
        #refused
    }
}

/// Who sees the step itself: nobody else, where those that are traced stand before it.
fn seen(extras: Extras) -> TokenStream {
    if extras.tracing { quote!() } else { quote!(pub) }
}

/// The parameter that answers guards.
fn guards(machine: &Machine<'_>) -> Ident {
    let asks = machine.table.rows.iter().any(|row| row.guard != Guard::default());
    ident(if asks { "guards" } else { "_guards" })
}

fn step_into(machine: &Machine<'_>, names: &[Ident], extras: Extras) -> TokenStream {
    let sunk = states(machine, |from| Sunk { machine, names, from });
    let name = ident(if extras.tracing { "step_into_untraced" } else { "step_into" });
    let (seen, guards) = (seen(extras), guards(machine));
    quote! {
        /// The same as [`step`], with the actions given to `sink` one by one.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] where the table has no row; the sink has then seen nothing.
        #[inline]
        #seen fn #name(
            state: State,
            event: Event,
            #guards: &impl Fn(Guard) -> bool,
            mut sink: impl FnMut(ActionCall<'static>),
        ) -> ::core::result::Result<Transition, Unexpected> {
            #sunk
        }
    }
}

/// What stands for `step_into` where the call did not ask: a call of it is an error that says so.
fn unasked() -> TokenStream {
    quote! {
        /// The same as [`step`], with the actions given to `sink` one by one: only where the call
        /// of `machine!` asks for it.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] where the table has no row.
        pub fn step_into(
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
            _sink: impl FnMut(ActionCall<'static>),
        ) -> ::core::result::Result<Transition, Unexpected>
        where
            for<'a> Machine: ::turnstile_machine::asked::StepInto<'a>,
        {
            step(state, event, guards).map(Step::transition)
        }
    }
}

/// Where there is no row.
fn refused() -> TokenStream {
    quote! {
        const fn refused<T>(
            state: State,
            event: Event,
            impossible: bool,
        ) -> ::core::result::Result<T, Unexpected> {
            ::core::result::Result::Err(Unexpected { state, event, impossible })
        }
    }
}

/// The public steps where the call asked for `tracing`.
fn trace(machine: &str, extras: Extras) -> TokenStream {
    let into = extras.step_into.then(traced_into);
    quote! {
        /// What the table says of a state and an event; `guards` answers the named booleans.
        /// Each step is a `tracing` event.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] where the table has no row.
        #[inline]
        pub fn step(
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'static>, Unexpected> {
            let said = step_untraced(state, event, guards);
            trace(state, event, said.map(Step::transition));
            said
        }

        #into

        fn trace(state: State, event: Event, said: ::core::result::Result<Transition, Unexpected>) {
            let (number, event) = (event.number(), event.kind().name());
            match said {
                ::core::result::Result::Ok(moved) => ::tracing::trace!(
                    machine = #machine,
                    state = state.name(),
                    event,
                    number,
                    row = moved.row.map_or("ignored", RowId::name),
                    to = moved.to.name(),
                ),
                ::core::result::Result::Err(refusal) => ::tracing::debug!(
                    machine = #machine,
                    state = state.name(),
                    event,
                    number,
                    impossible = refusal.impossible,
                    "no row"
                ),
            }
        }
    }
}

/// `step_into` where the call asks for it and for `tracing`.
fn traced_into() -> TokenStream {
    quote! {
        /// The same as [`step`], with the actions given to `sink` one by one.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] where the table has no row; the sink has then seen nothing.
        #[inline]
        pub fn step_into(
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
            sink: impl FnMut(ActionCall<'static>),
        ) -> ::core::result::Result<Transition, Unexpected> {
            let said = step_into_untraced(state, event, guards, sink);
            trace(state, event, said);
            said
        }
    }
}

/// The nested match of a step function.
fn states<'a, L: Leaf>(machine: &'a Machine<'a>, leaf: impl Fn(StateId) -> L) -> TokenStream {
    let places = Places::new(machine.table);
    let arms = (0..).zip(&machine.vocabulary.states).map(|(index, _)| {
        let from = StateId(index);
        let name = state(machine.vocabulary, from.index());
        let body = events(machine, &places, from, &leaf(from));
        quote!(#name => #body)
    });
    quote!(match state { #(#arms,)* })
}

fn events(
    machine: &Machine<'_>,
    places: &Places<'_>,
    from: StateId,
    leaf: &dyn Leaf,
) -> TokenStream {
    let words = machine.vocabulary;
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for (index, event) in (0..).zip(&words.events) {
        let name = ident(&event.name.ident);
        let rest = event.payload.is_some().then(|| quote!({ .. }));
        let said = said(places.at(from, EventId(index)), event);
        match (said.as_slice(), &event.payload) {
            ([(_, only)], _) if only.is_nothing() => missing.push(quote!(Event::#name #rest)),
            ([(_, only)], _) => {
                let outcome = outcome(words, only, leaf);
                found.push(quote!(Event::#name #rest => { #outcome }));
            }
            (said, Some(payload)) => {
                let arms = arms(words, event, said, leaf);
                let field = crate::event::field(payload);
                found.push(quote!(Event::#name { #field } => #arms));
            }
            (_, None) => {}
        }
    }
    match (found.is_empty(), missing.is_empty()) {
        (true, _) => quote!(refused(state, event, false)),
        (false, true) => quote!(match event { #(#found,)* }),
        (false, false) => {
            quote!(match event { #(#found,)* #(#missing)|* => refused(state, event, false), })
        }
    }
}

/// The leaf of `step`: the step is returned.
struct Returned<'a> {
    machine: &'a Machine<'a>,
    /// The constant of each row.
    names: &'a [Ident],
    from: StateId,
}

impl Leaf for Returned<'_> {
    fn taken(&self, index: usize, _: &Row) -> TokenStream {
        let name = &self.names[index];
        quote!(::core::result::Result::Ok(steps::#name))
    }

    fn ignored(&self) -> TokenStream {
        let to = state(self.machine.vocabulary, self.from.index());
        quote!(::core::result::Result::Ok(Step::ignored(#to)))
    }

    fn refused(&self, impossible: bool) -> TokenStream {
        quote!(refused(state, event, #impossible))
    }
}

/// The leaf of `step_into`: each action goes into the sink.
struct Sunk<'a> {
    machine: &'a Machine<'a>,
    /// The constant of each row.
    names: &'a [Ident],
    from: StateId,
}

impl Leaf for Sunk<'_> {
    fn taken(&self, index: usize, row: &Row) -> TokenStream {
        let acts = row.does.iter().map(|entry| act(self.machine.vocabulary, entry));
        let name = &self.names[index];
        quote!(#(sink(#acts);)* ::core::result::Result::Ok(steps::#name.transition()))
    }

    fn ignored(&self) -> TokenStream {
        let to = state(self.machine.vocabulary, self.from.index());
        quote!(::core::result::Result::Ok(Step::ignored(#to).transition()))
    }

    fn refused(&self, impossible: bool) -> TokenStream {
        quote!(refused(state, event, #impossible))
    }
}
