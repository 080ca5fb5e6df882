//! The table as code: a match on the state, in it one on the event, in it one on what
//! the event carries.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use turnstile_spec::cell_index::CellIndex;
use turnstile_spec::table::{Condition, EventId, Row, StateId};

use crate::cell::{Leaf, arms, outcome, responses};
use crate::data::{act, state};
use crate::text::document::ident;
use crate::{Machine, Options, row};

/// `step` and, with that option, `step_into`.
pub(crate) fn compiled(machine: &Machine<'_>, options: Options) -> TokenStream {
    let names = row::steps(machine);
    let steps = states(machine, |from| ReturnLeaf { machine, names: &names, from });
    let into = match options.step_into {
        true => step_into(machine, &names, options),
        false => stub(),
    };
    let settle = machine.vocabulary.completion().map(|id| settle(machine, id));
    let trace = options.tracing.then(|| trace(&machine.vocabulary.machine, options));
    let name = ident(if options.tracing { "step_untraced" } else { "step" });
    let seen = seen(options);
    let refused = refused();
    let guards = guards(machine);
    quote! {
        /// Looks up the step for an event in a state; `guards` gives the value of each guard.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] if the table has no row.
        #[inline]
        #seen fn #name(
            state: State,
            event: Event,
            #guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'static>, Unexpected> {
            #steps
        }

        #settle
        #into
        #trace
        #refused
    }
}

/// `settle`, for a table with rows without an event.
fn settle(machine: &Machine<'_>, completion: EventId) -> TokenStream {
    let event = ident(&machine.vocabulary.events[completion.index()].name.ident);
    quote! {
        /// Looks up the row without an event that is taken in a state; `None`: the machine rests
        /// there. Call it after each step and each settled row, once the actions are carried out,
        /// until it returns `None`.
        #[inline]
        pub fn settle(
            state: State,
            guards: &impl Fn(Guard) -> bool,
        ) -> ::core::option::Option<Step<'static>> {
            if !state.is_transient() {
                return ::core::option::Option::None;
            }
            step(state, Event::#event, guards).ok()
        }
    }
}

/// The visibility of the step itself: private if a traced step wraps it.
fn seen(options: Options) -> TokenStream {
    if options.tracing { quote!() } else { quote!(pub) }
}

/// The parameter that evaluates guards.
fn guards(machine: &Machine<'_>) -> Ident {
    let asks = machine.table.rows.iter().any(|row| row.guard != Condition::default());
    ident(if asks { "guards" } else { "_guards" })
}

fn step_into(machine: &Machine<'_>, names: &[Ident], options: Options) -> TokenStream {
    let sunk = states(machine, |from| SinkLeaf { machine, names, from });
    let name = ident(if options.tracing { "step_into_untraced" } else { "step_into" });
    let (seen, guards) = (seen(options), guards(machine));
    quote! {
        /// As [`step`], but passes each action to `sink`.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] if the table has no row; `sink` is not called then.
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

/// A stub of `step_into` without that option: a call is a compile error that names the option.
fn stub() -> TokenStream {
    quote! {
        /// As [`step`], but passes each action to `sink`. Needs the option `step_into` of
        /// `machine!`.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] if the table has no row.
        pub fn step_into(
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
            _sink: impl FnMut(ActionCall<'static>),
        ) -> ::core::result::Result<Transition, Unexpected>
        where
            for<'a> Machine: ::turnstile_machine::option::StepInto<'a>,
        {
            step(state, event, guards).map(Step::transition)
        }
    }
}

/// The error where no row matches.
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

/// The public steps with the option `tracing`.
fn trace(machine: &str, options: Options) -> TokenStream {
    let into = options.step_into.then(traced_into);
    quote! {
        /// Looks up the step for an event in a state; `guards` gives the value of each guard.
        /// Each step is a `tracing` event.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] if the table has no row.
        #[inline]
        pub fn step(
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'static>, Unexpected> {
            let result = step_untraced(state, event, guards);
            trace(state, event, result.map(Step::transition));
            result
        }

        #into

        fn trace(
            state: State,
            event: Event,
            result: ::core::result::Result<Transition, Unexpected>,
        ) {
            let (number, event) = (event.number(), event.kind().name());
            match result {
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

/// `step_into` with the options `step_into` and `tracing`.
fn traced_into() -> TokenStream {
    quote! {
        /// As [`step`], but passes each action to `sink`.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] if the table has no row; `sink` is not called then.
        #[inline]
        pub fn step_into(
            state: State,
            event: Event,
            guards: &impl Fn(Guard) -> bool,
            sink: impl FnMut(ActionCall<'static>),
        ) -> ::core::result::Result<Transition, Unexpected> {
            let result = step_into_untraced(state, event, guards, sink);
            trace(state, event, result);
            result
        }
    }
}

/// The nested match of a step function.
fn states<'a, L: Leaf>(machine: &'a Machine<'a>, leaf: impl Fn(StateId) -> L) -> TokenStream {
    let places = CellIndex::new(machine.vocabulary, machine.table);
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
    places: &CellIndex<'_>,
    from: StateId,
    leaf: &dyn Leaf,
) -> TokenStream {
    let words = machine.vocabulary;
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for (index, event) in (0..).zip(&words.events) {
        let name = ident(&event.name.ident);
        let rest = event.payload.is_some().then(|| quote!({ .. }));
        let responses = responses(places.at(from, EventId(index)), event);
        match (responses.as_slice(), &event.payload) {
            ([(_, only)], _) if only.is_nothing() => missing.push(quote!(Event::#name #rest)),
            ([(_, only)], _) => {
                let outcome = outcome(words, only, leaf);
                found.push(quote!(Event::#name #rest => { #outcome }));
            }
            (responses, Some(payload)) => {
                let arms = arms(words, event, responses, leaf);
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
struct ReturnLeaf<'a> {
    machine: &'a Machine<'a>,
    /// The constant of each row.
    names: &'a [Ident],
    from: StateId,
}

impl Leaf for ReturnLeaf<'_> {
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
struct SinkLeaf<'a> {
    machine: &'a Machine<'a>,
    /// The constant of each row.
    names: &'a [Ident],
    from: StateId,
}

impl Leaf for SinkLeaf<'_> {
    fn taken(&self, index: usize, row: &Row) -> TokenStream {
        let acts = row.actions.iter().map(|entry| act(self.machine.vocabulary, entry));
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
