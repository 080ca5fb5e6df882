//! `TABLE`: the table as constant data, the same that `Compiled` has baked in.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::table::{
    CellKind, Do, Each, Guard, Lines, Op, Pattern, ResourceId, Row, State, Vocabulary,
};

use crate::document::{ident, number};
use crate::names::initial_ident;
use crate::row;
use crate::{Machine, formula};

/// The constant.
pub(crate) fn data(machine: &Machine<'_>) -> TokenStream {
    let words = machine.vocabulary;
    let constants = row::constants(words);
    let name = &words.machine;
    let hash = number(machine.hash);
    let initial = initial_ident(machine);
    let places = machine.table.states.iter().map(|state| place(words, state.as_ref()));
    let steps = row::steps(machine);
    let rows = machine.table.rows.iter().zip(&steps).map(|(row, step)| {
        let id = &constants[row.id.index()];
        let (from, to) = (state(words, row.from.index()), state(words, row.to.index()));
        let event = event(words, row.event.index());
        let pattern = pattern(&row.pattern);
        let guard = condition(words, &row.guard);
        quote!(Row {
            id: RowId::#id, from: #from, to: #to, event: #event, pattern: #pattern,
            guard: #guard, consumes: steps::#step.consumes, does: steps::#step.does,
        })
    });
    let cells = machine.table.cells.iter().map(|cell| {
        let (state, event) = (state(words, cell.state.index()), event(words, cell.event.index()));
        let pattern = pattern(&cell.pattern);
        let impossible = cell.kind == CellKind::Impossible;
        quote!(Cell { state: #state, event: #event, pattern: #pattern, impossible: #impossible })
    });
    let formulas = formula::any(words).then(|| {
        let formulas = formula::data(machine);
        quote!(formulas: #formulas,)
    });
    let cites = words.rows.iter().map(|row| lines(&row.cite));
    quote! {
        /// The table as data: what [`Compiled`] has baked in.
        pub const TABLE: Table<'static> = Table {
            machine: #name,
            hash: #hash,
            rules: Interpreted {
                initial: State::#initial,
                places: &[#(#places),*],
                rows: &[#(#rows),*],
                cells: &[#(#cells),*],
                choice: 0,
                #formulas
            },
            cites: &[#(#cites),*],
        };
    }
}

/// `State::Registering`.
pub(crate) fn state(words: &Vocabulary, index: usize) -> TokenStream {
    let name = ident(&words.states[index].ident);
    quote!(State::#name)
}

/// What a row consumes and what it does, as expressions.
pub(crate) fn effects(words: &Vocabulary, row: &Row) -> (TokenStream, TokenStream) {
    let does = row.does.iter().map(|entry| act(words, entry));
    (resources(words, &row.consumes), quote!(&[#(#does),*]))
}

/// One entry of `do`, as an expression.
pub(crate) fn act(words: &Vocabulary, entry: &Do) -> TokenStream {
    let Do::Act { action, ops, each } = entry;
    let action = ident(&words.actions[action.index()].ident);
    let ops = ops.iter().map(|op| {
        let (verb, resource) = match op {
            Op::Create(resource) => ("Create", resource),
            Op::Delete(resource) => ("Delete", resource),
            Op::Restart(resource) => ("Restart", resource),
            Op::Abandon(resource) => ("Abandon", resource),
        };
        let (verb, resource) = (ident(verb), resource_ident(words, *resource));
        quote!(Op::#verb(#resource))
    });
    let each = formula::any(words).then(|| match each {
        None => quote!(, each: ::core::option::Option::None),
        Some(Each { collection, number: turn }) => {
            let name = ident(&words.formulas.collections[collection.index()].name.ident);
            let turn = number(*turn);
            quote!(, each: ::core::option::Option::Some(
                Each { collection: CollectionKind::#name, number: #turn }
            ))
        }
    });
    quote!(Do { action: Action::#action, ops: &[#(#ops),*] #each })
}

fn resources(words: &Vocabulary, ids: &[ResourceId]) -> TokenStream {
    let names = ids.iter().map(|id| resource_ident(words, *id));
    quote!(&[#(#names),*])
}

fn resource_ident(words: &Vocabulary, id: ResourceId) -> TokenStream {
    let name = ident(&words.resources[id.index()].name.ident);
    quote!(Resource::#name)
}

fn event(words: &Vocabulary, index: usize) -> TokenStream {
    let name = ident(&words.events[index].name.ident);
    quote!(EventKind::#name)
}

fn place(words: &Vocabulary, state: Option<&State>) -> TokenStream {
    let holds = resources(words, state.map_or(&[], |state| &state.holds));
    let may_hold = resources(words, state.map_or(&[], |state| &state.may_hold));
    let is_final = state.is_some_and(|state| state.is_final);
    quote!(Place { holds: #holds, may_hold: #may_hold, is_final: #is_final })
}

fn pattern(pattern: &Pattern) -> TokenStream {
    let ranges = pattern.0.iter().map(|range| {
        let (least, greatest) = (number(*range.start()), number(*range.end()));
        quote!((#least, #greatest))
    });
    quote!(&[#(#ranges),*])
}

fn condition(words: &Vocabulary, guard: &Guard) -> TokenStream {
    match guard {
        Guard::Is(guard) => {
            let name = ident(&words.guards[guard.index()].ident);
            quote!(Condition::Is(Guard::#name))
        }
        Guard::All(parts) => {
            let parts = parts.iter().map(|part| condition(words, part));
            quote!(Condition::All(&[#(#parts),*]))
        }
        Guard::Any(parts) => {
            let parts = parts.iter().map(|part| condition(words, part));
            quote!(Condition::Any(&[#(#parts),*]))
        }
        Guard::Not(part) => {
            let part = condition(words, part);
            quote!(Condition::Not(&#part))
        }
    }
}

fn lines(cite: &[Lines]) -> TokenStream {
    let ranges = cite.iter().map(|lines| {
        let (first, last) = (number(*lines.start()), number(*lines.end()));
        quote!((#first, #last))
    });
    quote!(&[#(#ranges),*])
}
