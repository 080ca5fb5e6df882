//! Rules and invariants as code, with their symbols: those of the core, and those of the checker,
//! which sees the whole system. Emitted only if a table has any.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::formula::{Evaluator, Signature};
use turnstile_spec::table::{Name, Vocabulary};

use crate::names::{Variant, named};
use crate::text::document::ident;
use crate::{Machine, Options};

mod code;
mod evaluator;
mod names;
mod under;

pub(crate) use code::methods;

use evaluator::{CORE, EvaluatorNames, WHOLE};

/// The symbols of formulas, and the formulas as code; empty if the table has none.
pub(crate) fn formulas(machine: &Machine<'_>, options: Options) -> TokenStream {
    let words = machine.vocabulary;
    let core = CORE.has_any(words).then(|| {
        let (names, code) = (names::names(words, CORE, options), code::functions(machine, CORE));
        quote!(#names #code)
    });
    let loops: Vec<Variant> = loops(words).map(|one| Variant::new(&one.name)).collect();
    let loops = (!loops.is_empty()).then(|| {
        named(
            "Loop",
            "A collection that a loop of a row iterates over; the core lists it.",
            loops,
            options,
        )
    });
    let whole = WHOLE.has_any(words).then(|| {
        let (names, code) = (names::names(words, WHOLE, options), code::functions(machine, WHOLE));
        let types = signature(words, WHOLE);
        quote! {
            /// The symbols of the formulas that the checker evaluates over the whole system.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum Whole {}

            impl ::turnstile_machine::Signature for Whole { #types }

            #names
            #code
        }
    });
    let guards = guards(words, options);
    quote!(#guards #core #loops #whole)
}

/// The associated types of `Signature` for the core.
pub(crate) fn core_signature(words: &Vocabulary) -> TokenStream {
    signature(words, CORE)
}

fn signature(words: &Vocabulary, evaluator_names: EvaluatorNames) -> TokenStream {
    let never = quote!(::turnstile_machine::Never);
    let is_any = evaluator_names.has_any(words);
    let [predicate, collection, rule, invariant] = ["Predicate", "Collection", "Rule", "Invariant"]
        .map(|name| match is_any {
            true => {
                let name = evaluator_names.name(name);
                quote!(#name)
            }
            false => never.clone(),
        });
    let instance = match is_any && words.formulas.instances.has(evaluator_names.evaluator) {
        true => quote!(State),
        false => never,
    };
    quote! {
        type Predicate = #predicate;
        type Collection = #collection;
        type Rule = #rule;
        type Invariant = #invariant;
        type Instance = #instance;
    }
}

/// The associated types of a machine for its formulas and loops.
pub(crate) fn types(words: &Vocabulary) -> TokenStream {
    let whole = WHOLE.signature(words);
    let name = match loops(words).next() {
        Some(_) => quote!(Loop),
        None => quote!(::turnstile_machine::Never),
    };
    let open = if words.formulas.guards.is_empty() { "Guard" } else { "OpenGuard" };
    let open = ident(open);
    let subject = match words.formulas.subjects.is_empty() {
        true => quote!(::turnstile_machine::Never),
        false => quote!(Subject),
    };
    quote! {
        type OpenGuard = #open;
        type Subject = #subject;
        type Loop = #name;
        type Whole = #whole;
    }
}

/// The guards without a formula, and the parameters of the formulas of the others; empty if no
/// guard has a formula.
fn guards(words: &Vocabulary, options: Options) -> Option<TokenStream> {
    let of = &words.formulas;
    let has_formula = |name: &Name| of.guards.iter().any(|one| one.name.name == name.name);
    let open = words.guards.iter().filter(|name| !has_formula(name)).map(Variant::new).collect();
    let subjects: Vec<Variant> = of.subjects.iter().map(Variant::new).collect();
    let about = "A guard without a formula: the core computes it.";
    let open = (!of.guards.is_empty()).then(|| named("OpenGuard", about, open, options))?;
    let about = "A parameter of a guard's formula: the core provides its value.";
    let subject = (!subjects.is_empty()).then(|| named("Subject", about, subjects, options));
    Some(quote!(#open #subject))
}

/// The collections that rows may loop over.
fn loops(words: &Vocabulary) -> impl Iterator<Item = &Signature> {
    let all = words.formulas.collections.iter();
    all.filter(|one| one.evaluators.has(Evaluator::Row) && one.params.is_empty())
}
