//! The names of one's formulas: `Predicate`, `Collection`, `Rule` with the things they speak of,
//! and `Invariant`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use turnstile_spec::formula::{Asker, Signature};
use turnstile_spec::table::Vocabulary;

use super::{Whose, fields};
use crate::Extras;
use crate::document::{self, doc, ident, number};
use crate::names::{Variant, named};

/// Of one: `Predicate`, `Collection`, `Rule` with the things they speak of, and `Invariant`.
pub(super) fn names(words: &Vocabulary, whose: Whose, extras: Extras) -> TokenStream {
    let of = &words.formulas;
    let who = match whose.asker {
        Asker::Whole => "who sees the whole system",
        Asker::Core | Asker::Row => "the core",
    };
    let signatures = |name: &str, about: &str, list: &[Signature]| {
        let list: Vec<&Signature> = whose.of(list).collect();
        let (name, kind) = (whose.name(name), whose.name(&format!("{name}Kind")));
        let variants = list.iter().map(|one| Variant::new(&one.name)).collect();
        let about_kind = format!("{about} Without its arguments.");
        let kinds = named(&kind.to_string(), &about_kind, variants, extras);
        let of_things = of_things(&name, about, &list);
        let conversions = conversions(&name, &kind, &list);
        quote!(#kinds #of_things #conversions)
    };
    let asked = signatures("Predicate", &format!("What {who} answers."), &of.predicates);
    let listed = signatures("Collection", &format!("What {who} lists."), &of.collections);
    let stated = signatures("Rule", "A formula of some things, by its name.", &of.rules);
    let variants = whose.of(&of.invariants).map(|one| Variant::new(&one.name)).collect();
    let name = whose.name("Invariant").to_string();
    let invariant = named(&name, "What must always be so.", variants, extras);
    quote!(#asked #listed #stated #invariant)
}

/// The enumeration whose variants carry the things that they speak of.
fn of_things(name: &Ident, about: &str, list: &[&Signature]) -> TokenStream {
    let about = doc(&[about.to_owned()]);
    let variants = list.iter().map(|one| {
        let (name, about) = (ident(&one.name.ident), doc(&document::name(&one.name)));
        let docs = one.of.iter().map(|of| doc(&[document::prose(of)]));
        let fields = fields(one);
        match one.of.is_empty() {
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

/// From a name with its things to the bare one and back.
fn conversions(name: &Ident, kind: &Ident, list: &[&Signature]) -> TokenStream {
    let kinds = list.iter().map(|one| {
        let name = ident(&one.name.ident);
        let rest = (!one.of.is_empty()).then(|| quote!({ .. }));
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
        match one.of.is_empty() {
            true => quote!(#kind::#variant => Self::#variant),
            false => quote!(#kind::#variant => Self::#variant { #(#given),* }),
        }
    });
    let speak = list.iter().any(|one| !one.of.is_empty());
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
