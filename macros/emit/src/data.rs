//! Parts of a row as expressions.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::table::{ActionCall, ForEach, Op, ResourceId, Row, Vocabulary};

use crate::text::document::{ident, number};

/// `State::Registering`.
pub(crate) fn state(words: &Vocabulary, index: usize) -> TokenStream {
    let name = ident(&words.states[index].ident);
    quote!(State::#name)
}

/// What a row consumes and what it does.
pub(crate) fn effects(words: &Vocabulary, row: &Row) -> (TokenStream, TokenStream) {
    let consumes = row.consumes.iter().map(|id| resource(words, *id));
    let entries = row.actions.iter().map(|entry| {
        let ActionCall { ops, .. } = entry;
        let (action, each) = (action(words, entry), each(words, entry));
        let count = number(ops.len() as u64);
        quote!(::turnstile_machine::ActionEntry { action: #action, ops: #count, each: #each })
    });
    let ops = row.actions.iter().flat_map(|ActionCall { ops, .. }| ops).map(|one| op(words, one));
    let does = match row.actions.is_empty() {
        true => quote!(::turnstile_machine::Actions::NOTHING),
        false => quote!(::turnstile_machine::Actions::new(&[#(#entries),*], &[#(#ops),*])),
    };
    (quote!(&[#(#consumes),*]), does)
}

/// One entry of `do`, as it goes into a sink.
pub(crate) fn act(words: &Vocabulary, entry: &ActionCall) -> TokenStream {
    let ActionCall { ops, .. } = entry;
    let (action, each) = (action(words, entry), each(words, entry));
    let ops = ops.iter().map(|one| op(words, one));
    quote!(ActionCall { action: #action, ops: &[#(#ops),*], each: #each })
}

fn action(words: &Vocabulary, entry: &ActionCall) -> TokenStream {
    let ActionCall { action, .. } = entry;
    let action = ident(&words.actions[action.index()].ident);
    quote!(Action::#action)
}

fn each(words: &Vocabulary, entry: &ActionCall) -> TokenStream {
    let ActionCall { each, .. } = entry;
    match each {
        None => quote!(::core::option::Option::None),
        Some(ForEach { collection, number: turn }) => {
            let name = ident(&words.formulas.collections[collection.index()].name.ident);
            let turn = number(*turn);
            quote!(::core::option::Option::Some(
                ForEach { collection: Loop::#name, number: #turn }
            ))
        }
    }
}

fn op(words: &Vocabulary, op: &Op) -> TokenStream {
    let (verb, of) = match op {
        Op::Create(resource) => ("Create", resource),
        Op::Delete(resource) => ("Delete", resource),
        Op::Restart(resource) => ("Restart", resource),
        Op::Abandon(resource) => ("Abandon", resource),
    };
    let (verb, of) = (ident(verb), resource(words, *of));
    quote!(Op::#verb(#of))
}

fn resource(words: &Vocabulary, id: ResourceId) -> TokenStream {
    let name = ident(&words.resources[id.index()].name.ident);
    quote!(Resource::#name)
}
