//! `Compiled`: the table as code, a match on the state, in it one on the event, in it one on what
//! the event carries.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::table::{
    CellKind, Domain, Event, EventId, Guard, Row, StateId, Table, Vocabulary,
};

use crate::data::{act, effects, state};
use crate::document::{ident, number};
use crate::event::{field, words_ident};
use crate::{Extras, Machine, row};

/// `step`, `step_into` and `Compiled`.
pub(crate) fn compiled(machine: &Machine<'_>, extras: Extras) -> TokenStream {
    let steps = Body { machine, sink: false }.states();
    let sunk = Body { machine, sink: true }.states();
    let trace = extras.tracing.then(|| trace(&machine.vocabulary.machine));
    let (step_name, sink_name) = match extras.tracing {
        true => (quote!(step_untraced), quote!(step_into_untraced)),
        false => (quote!(step), quote!(step_into)),
    };
    let seen = if extras.tracing { quote!() } else { quote!(pub) };
    let rules = rules();
    let asks = machine.table.rows.iter().any(|row| row.guard != Guard::default());
    let guards = ident(if asks { "guards" } else { "_guards" });
    quote! {
        /// What the table says of a state and an event; `guards` answers the named booleans.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] where the table has no row.
        #[inline]
        #seen fn #step_name(
            state: State,
            event: Event,
            #guards: &impl Fn(Guard) -> bool,
        ) -> ::core::result::Result<Step<'static>, Unexpected> {
            #steps
        }

        /// The same as [`step`], with the actions given to `sink` one by one.
        ///
        /// # Errors
        ///
        /// [`Unexpected`] where the table has no row; the sink has then seen nothing.
        #[inline]
        #seen fn #sink_name(
            state: State,
            event: Event,
            #guards: &impl Fn(Guard) -> bool,
            mut sink: impl FnMut(Do<'static>),
        ) -> ::core::result::Result<Moved, Unexpected> {
            #sunk
        }

        #trace
        #rules
    }
}

fn rules() -> TokenStream {
    quote! {
        const fn refused<T>(
            state: State,
            event: Event,
            impossible: bool,
        ) -> ::core::result::Result<T, Unexpected> {
            ::core::result::Result::Err(Unexpected { state, event, impossible })
        }

        /// The table baked in.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Compiled;

        impl Rules for Compiled {
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
        }
    }
}

/// The public steps where the call asked for `tracing`.
fn trace(machine: &str) -> TokenStream {
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
            trace(state, event, said.map(|step| Moved { row: step.row, to: step.to }));
            said
        }

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
            sink: impl FnMut(Do<'static>),
        ) -> ::core::result::Result<Moved, Unexpected> {
            let said = step_into_untraced(state, event, guards, sink);
            trace(state, event, said);
            said
        }

        fn trace(state: State, event: Event, said: ::core::result::Result<Moved, Unexpected>) {
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

/// The body of a step function.
struct Body<'a> {
    machine: &'a Machine<'a>,
    sink: bool,
}

/// What a table says of a range of payload numbers: rows to be tried in order, then the cell.
#[derive(Clone, PartialEq)]
struct Said<'a> {
    rows: Vec<&'a Row>,
    otherwise: Option<CellKind>,
}

type Ranges = Vec<(u16, u16)>;

impl Body<'_> {
    fn words(&self) -> &Vocabulary {
        self.machine.vocabulary
    }

    fn states(&self) -> TokenStream {
        let arms = self.words().states.iter().enumerate().map(|(index, _)| {
            let id = StateId(index as u16);
            let name = state(self.words(), index);
            let body = self.events(id);
            quote!(#name => #body)
        });
        quote!(match state { #(#arms,)* })
    }

    fn events(&self, from: StateId) -> TokenStream {
        let mut arms = Vec::new();
        let mut missing = Vec::new();
        for (index, event) in self.words().events.iter().enumerate() {
            let name = ident(&event.name.ident);
            let said = said(self.machine.table, from, EventId(index as u16), event);
            match said.as_slice() {
                [(_, only)] if event.payload.is_none() || only.is_nothing() => {
                    let rest = event.payload.is_some().then(|| quote!({ .. }));
                    if only.is_nothing() {
                        missing.push(quote!(Event::#name #rest));
                    } else {
                        let outcome = self.outcome(only, from);
                        arms.push(quote!(Event::#name #rest => #outcome));
                    }
                }
                several => arms.push(self.payloads(event, several, from)),
            }
        }
        match (arms.is_empty(), missing.is_empty()) {
            (true, _) => quote!(refused(state, event, false)),
            (false, true) => quote!(match event { #(#arms,)* }),
            (false, false) => {
                quote!(match event { #(#arms,)* #(#missing)|* => refused(state, event, false), })
            }
        }
    }

    fn payloads(&self, event: &Event, said: &[(Ranges, Said<'_>)], from: StateId) -> TokenStream {
        let name = ident(&event.name.ident);
        let Some(payload) = &event.payload else { return quote!() };
        let field = field(payload);
        let patterns = |ranges: &Ranges| match &payload.domain {
            Domain::Number(_) => numbers(ranges),
            Domain::Bool => {
                let each = each(ranges).map(|number| number != 0);
                quote!(#(#each)|*)
            }
            Domain::Words(words) => {
                let of_type = words_ident(event, payload);
                let each = each(ranges).map(|number| ident(&words[usize::from(number)].ident));
                quote!(#(#of_type::#each)|*)
            }
        };
        let is_number = matches!(payload.domain, Domain::Number(_));
        let arms = said.iter().filter(|(_, said)| !is_number || !said.is_nothing());
        let arms = arms.map(|(ranges, said)| {
            let (pattern, outcome) = (patterns(ranges), self.outcome(said, from));
            quote!(#pattern => #outcome)
        });
        let rest = is_number && said.iter().any(|(_, said)| said.is_nothing());
        let rest = rest.then(|| quote!(_ => refused(state, event, false),));
        quote!(Event::#name { #field } => match #field { #(#arms,)* #rest })
    }

    fn outcome(&self, said: &Said<'_>, from: StateId) -> TokenStream {
        let otherwise = match said.otherwise {
            None => quote!(refused(state, event, false)),
            Some(CellKind::Impossible) => quote!(refused(state, event, true)),
            Some(CellKind::Ignore) => self.ignored(from),
        };
        let mut chain = Vec::new();
        for row in &said.rows {
            let taken = self.taken(row);
            if row.guard == Guard::default() {
                return match (chain.is_empty(), self.sink && !row.does.is_empty()) {
                    (true, false) => taken,
                    (true, true) => quote!({ #taken }),
                    (false, _) => quote!({ #(#chain else)* { #taken } }),
                };
            }
            let condition = condition(self.words(), &row.guard, false);
            chain.push(quote!(if #condition { #taken }));
        }
        if chain.is_empty() { otherwise } else { quote!({ #(#chain else)* { #otherwise } }) }
    }

    fn taken(&self, row: &Row) -> TokenStream {
        let id = &row::constants(self.words())[row.id.index()];
        let to = state(self.words(), row.to.index());
        let row_field = quote!(row: ::core::option::Option::Some(RowId::#id));
        if self.sink {
            let acts = row.does.iter().map(|entry| act(self.words(), entry));
            let moved = quote!(::core::result::Result::Ok(Moved { #row_field, to: #to }));
            return quote!(#(sink(#acts);)* #moved);
        }
        let (consumes, does) = effects(self.words(), row);
        quote!(::core::result::Result::Ok(Step {
            #row_field, to: #to, consumes: #consumes, does: #does,
        }))
    }

    fn ignored(&self, from: StateId) -> TokenStream {
        let to = state(self.words(), from.index());
        let row = quote!(row: ::core::option::Option::None);
        if self.sink {
            return quote!(::core::result::Result::Ok(Moved { #row, to: #to }));
        }
        quote!(::core::result::Result::Ok(Step { #row, to: #to, consumes: &[], does: &[] }))
    }
}

impl Said<'_> {
    fn is_nothing(&self) -> bool {
        self.rows.is_empty() && self.otherwise.is_none()
    }
}

/// What a table says of each payload of a cell: equal answers together, in the order of the
/// smallest number of each. A number is any of 16 bits, whatever the domain: the type admits it.
fn said<'a>(
    table: &'a Table,
    from: StateId,
    id: EventId,
    event: &Event,
) -> Vec<(Ranges, Said<'a>)> {
    let (least, greatest) = match event.payload.as_ref().map(|payload| &payload.domain) {
        Some(Domain::Number(_)) => (0, u16::MAX),
        Some(domain) => domain.bounds(),
        None => (0, 0),
    };
    let rows: Vec<&Row> =
        table.rows.iter().filter(|row| row.from == from && row.event == id).collect();
    let cells = || table.cells.iter().filter(|cell| cell.state == from && cell.event == id);
    let patterns = rows.iter().map(|row| &row.pattern).chain(cells().map(|cell| &cell.pattern));
    let mut starts = vec![least];
    for range in patterns.flat_map(|pattern| &pattern.0) {
        starts.push(*range.start());
        starts.extend(range.end().checked_add(1));
    }
    starts.retain(|start| (least..=greatest).contains(start));
    starts.sort_unstable();
    starts.dedup();
    let mut found: Vec<(Ranges, Said<'a>)> = Vec::new();
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(greatest, |next| next - 1);
        let matching = rows.iter().copied().filter(|row| row.pattern.matches(start)).collect();
        let cell = cells().find(|cell| cell.pattern.matches(start)).map(|cell| cell.kind);
        let said = Said { rows: matching, otherwise: cell };
        match found.iter_mut().find(|(_, other)| *other == said) {
            Some((ranges, _)) => ranges.push((start, end)),
            None => found.push((vec![(start, end)], said)),
        }
    }
    found
}

fn condition(words: &Vocabulary, guard: &Guard, inner: bool) -> TokenStream {
    let join = |parts: &[Guard], sign: TokenStream| {
        let mut parts = parts.iter().map(|part| condition(words, part, true));
        let first = parts.next();
        let joined = quote!(#first #(#sign #parts)*);
        if inner { quote!((#joined)) } else { joined }
    };
    match guard {
        Guard::Is(guard) => {
            let name = ident(&words.guards[guard.index()].ident);
            quote!(guards(Guard::#name))
        }
        Guard::All(parts) if parts.is_empty() => quote!(true),
        Guard::Any(parts) if parts.is_empty() => quote!(false),
        Guard::All(parts) | Guard::Any(parts) if parts.len() == 1 => {
            condition(words, &parts[0], inner)
        }
        Guard::All(parts) => join(parts, quote!(&&)),
        Guard::Any(parts) => join(parts, quote!(||)),
        Guard::Not(part) => {
            let part = condition(words, part, true);
            quote!(!#part)
        }
    }
}

fn numbers(ranges: &Ranges) -> TokenStream {
    let parts = ranges.iter().map(|(least, greatest)| match least == greatest {
        true => number(*least),
        false => {
            let (least, greatest) = (number(*least), number(*greatest));
            quote!(#least..=#greatest)
        }
    });
    quote!(#(#parts)|*)
}

fn each(ranges: &Ranges) -> impl Iterator<Item = u16> {
    ranges.iter().flat_map(|&(least, greatest)| least..=greatest)
}
