//! Rules and invariants: their names, what a core answers for them, and their formulas, as
//! code. Emitted only where a table has any of these names.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use turnstile_spec::formula::{Signature, Words};
use turnstile_spec::table::Vocabulary;

use crate::document::snake;
use crate::{Extras, Machine};

mod code;
mod names;
mod under;

pub(crate) use code::methods;

/// The names of formulas, and their formulas as code; nothing where the table has none.
pub(crate) fn formulas(machine: &Machine<'_>, extras: Extras) -> Option<TokenStream> {
    any(machine.vocabulary).then(|| {
        let names = names::names(machine.vocabulary, extras);
        let functions = code::functions(machine);
        quote!(#names #functions)
    })
}

/// The names of formulas among the types of a machine.
pub(crate) fn types(words: &Vocabulary) -> TokenStream {
    match any(words) {
        true => quote! {
            type Predicate = Predicate;
            type Collection = Collection;
            type Rule = Rule;
            type Invariant = Invariant;
        },
        false => quote! {
            type Predicate = ::turnstile_machine::Never;
            type Collection = ::turnstile_machine::Never;
            type Rule = ::turnstile_machine::Never;
            type Invariant = ::turnstile_machine::Never;
        },
    }
}

/// Whether a table has rules, invariants, or anything that they or its loops ask.
fn any(words: &Vocabulary) -> bool {
    let Words { predicates, collections, rules, invariants } = &words.formulas;
    [predicates, collections, rules, invariants].iter().any(|list| !list.is_empty())
}

/// The fields of a name that speaks of things.
fn fields(one: &Signature) -> Vec<Ident> {
    one.of.iter().map(|word| snake(word)).collect()
}
