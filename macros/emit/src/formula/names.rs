//! The symbols of one evaluator: `Predicate`, `Collection` and `Rule` with their arguments,
//! and `Invariant`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use turnstile_spec::formula::{Evaluator, Signature};
use turnstile_spec::table::Vocabulary;

use super::evaluator::{EvaluatorNames, fields};
use crate::Options;
use crate::names::{Variant, named};
use crate::text::document::{self, doc, ident, number};

/// The enums of one evaluator: `Predicate`, `Collection`, `Rule` and `Invariant`.
pub(super) fn names(
    words: &Vocabulary,
    evaluator_names: EvaluatorNames,
    options: Options,
) -> TokenStream {
    let of = &words.formulas;
    let who = match evaluator_names.evaluator {
        Evaluator::Whole => "the checker",
        Evaluator::Core | Evaluator::Row => "the core",
    };
    let signatures = |name: &str, about: &str, list: &[Signature]| {
        let list: Vec<&Signature> = evaluator_names.of(list).collect();
        let (name, kind) =
            (evaluator_names.name(name), evaluator_names.name(&format!("{name}Kind")));
        let variants = list.iter().map(|one| Variant::new(&one.name)).collect();
        let about_kind = format!("{about} Without its arguments.");
        let kinds = named(&kind.to_string(), &about_kind, variants, options);
        let of_things = of_things(&name, about, &list);
        let conversions = conversions(&name, &kind, &list);
        quote!(#kinds #of_things #conversions)
    };
    let asked = signatures(
        "Predicate",
        &format!("A boolean for formulas, answered by {who}."),
        &of.predicates,
    );
    let listed = signatures(
        "Collection",
        &format!("A list of terms for formulas and loops, provided by {who}."),
        &of.collections,
    );
    let stated = signatures("Rule", "A named formula (rule), with its arguments.", &of.rules);
    let variants = evaluator_names.of(&of.invariants).map(|one| Variant::new(&one.name)).collect();
    let name = evaluator_names.name("Invariant").to_string();
    let invariant =
        named(&name, "A named formula that must hold in every reachable state.", variants, options);
    quote!(#asked #listed #stated #invariant)
}

/// The enum whose variants carry the arguments.
fn of_things(name: &Ident, about: &str, list: &[&Signature]) -> TokenStream {
    let about = doc(&[about.to_owned()]);
    let variants = list.iter().map(|one| {
        let (name, about) = (ident(&one.name.ident), doc(&document::name(&one.name)));
        let docs = one.params.iter().map(|of| doc(&[document::prose(of)]));
        let fields = fields(one);
        match one.params.is_empty() {
            true => quote!(#about #name),
            false => quote!(#about #name { #(#docs #fields: Term),* }),
        }
    });
    quote! {
        #about
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum #name { #(#variants,)* }
    }
}

/// The conversions between an atom and its kind.
fn conversions(name: &Ident, kind: &Ident, list: &[&Signature]) -> TokenStream {
    let kinds = list.iter().map(|one| {
        let name = ident(&one.name.ident);
        let rest = (!one.params.is_empty()).then(|| quote!({ .. }));
        quote!(Self::#name #rest => #kind::#name)
    });
    let lists = list.iter().map(|one| {
        let name = ident(&one.name.ident);
        match fields(one) {
            fields if fields.is_empty() => quote!(Self::#name => Terms::of(&[])),
            fields => quote!(Self::#name { #(#fields),* } => Terms::of(&[#(#fields),*])),
        }
    });
    let made = list.iter().map(|one| {
        let variant = ident(&one.name.ident);
        let given = fields(one).into_iter().enumerate().map(|(at, field)| {
            let at = number(at as u64);
            quote!(#field: terms.get(#at).copied().unwrap_or_default())
        });
        match one.params.is_empty() {
            true => quote!(#kind::#variant => Self::#variant),
            false => quote!(#kind::#variant => Self::#variant { #(#given),* }),
        }
    });
    let speak = list.iter().any(|one| !one.params.is_empty());
    let terms = ident(if speak { "terms" } else { "_terms" });
    quote! {
        impl #name {
            /// The name without its arguments.
            #[must_use]
            pub const fn kind(self) -> #kind {
                match self { #(#kinds,)* }
            }
        }

        impl ::turnstile_machine::Atom for #name {
            type Kind = #kind;

            fn kind(self) -> #kind {
                self.kind()
            }

            fn terms(self) -> ::turnstile_machine::Terms {
                use ::turnstile_machine::Terms;
                match self { #(#lists,)* }
            }

            fn of(kind: #kind, #terms: &[Term]) -> Self {
                match kind { #(#made,)* }
            }
        }
    }
}
