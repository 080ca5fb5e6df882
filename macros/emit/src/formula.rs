//! Rules and invariants: their names, what a core answers for them, and their formulas, as code and
//! as data. Emitted only where a table has any of these names.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use turnstile_spec::formula::{Signature, Words};
use turnstile_spec::table::Vocabulary;

use crate::document::snake;
use crate::{Extras, Machine};

mod code;
mod data;
mod names;
mod shapes;
mod under;

pub(crate) use data::data;

/// Everything about formulas; nothing where the table has none.
pub(crate) fn formulas(machine: &Machine<'_>, extras: Extras) -> Option<TokenStream> {
    any(machine.vocabulary).then(|| {
        let names = names::names(machine.vocabulary, extras);
        let shapes = shapes::shapes();
        let compiled = code::compiled(machine);
        quote!(#names #shapes #compiled)
    })
}

/// Whether a table has rules, invariants, or anything that they or its loops ask.
pub(crate) fn any(words: &Vocabulary) -> bool {
    let Words { predicates, collections, rules, invariants } = &words.formulas;
    [predicates, collections, rules, invariants].iter().any(|list| !list.is_empty())
}

/// The fields of a name that speaks of things.
fn fields(one: &Signature) -> Vec<Ident> {
    one.of.iter().map(|word| snake(word)).collect()
}
