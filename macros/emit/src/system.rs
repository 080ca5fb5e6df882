//! `system!`: the properties of a system file as a trait, so that one without a predicate does not
//! compile.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::system::{Property, PropertyKind, System};
use turnstile_spec::{camel, system};

use crate::Options;
use crate::names::{Variant, named};
use crate::text::document::{self, cited, doc, ident, prose, snake};

/// A property or a premise: a method that evaluates one predicate of a state.
struct PredicateMethod {
    name: String,
    about: Vec<String>,
}

/// The module of a system, named after it.
#[must_use]
pub fn emit(system: &System) -> TokenStream {
    let module = snake(&system.name);
    let predicates = predicates(system);
    let methods: Vec<_> = predicates.iter().map(|it| snake(&it.name)).collect();
    let abouts = predicates.iter().map(|it| doc(&it.about));
    let variants = predicates.iter().map(|it| Variant {
        ident: ident(&camel(&it.name)),
        name: it.name.clone(),
        about: vec![format!("`{}`.", it.name.replace('`', "'"))],
    });
    let about = "A property or a premise of the system, by its name.";
    let predicate = named("Predicate", about, variants.collect(), Options::default());
    let idents = predicates.iter().map(|it| ident(&camel(&it.name)));
    let head = head(system);
    quote! {
        #head
        pub mod #module {
            #predicate

            /// The predicates of the properties: one method for each property and each premise.
            pub trait Properties {
                /// The view of a state that predicates evaluate.
                type View<'a>;

                #(#abouts fn #methods(&self, view: &Self::View<'_>) -> bool;)*

                /// Evaluates a predicate by its name.
                fn ask(&self, predicate: Predicate, view: &Self::View<'_>) -> bool {
                    match predicate {
                        #(Predicate::#idents => self.#methods(view),)*
                    }
                }
            }
        }
    }
}

/// Every property and every premise once, in the order of the file.
fn predicates(system: &System) -> Vec<PredicateMethod> {
    let mut seen = BTreeSet::new();
    let mut predicates = Vec::new();
    for property in &system.properties {
        predicates.push(PredicateMethod { name: property.name.clone(), about: about(property) });
    }
    for property in &system.properties {
        let about = vec![format!("The premise of “{}”.", prose(&property.name))];
        predicates.push(PredicateMethod { name: property.premise.clone(), about });
    }
    predicates.retain(|it| !it.name.is_empty() && seen.insert(it.name.clone()));
    predicates
}

fn about(property: &Property) -> Vec<String> {
    let kind = match property.kind {
        PropertyKind::Always => "Always",
        PropertyKind::Sometimes => "Sometimes",
        PropertyKind::LeadsTo => "Leads to",
        PropertyKind::CanReach => "Can reach",
    };
    let sentence = prose(&property.sentence);
    let mut about = vec![format!("{kind}: {sentence}{}.", cited(&property.cite))];
    match property.only {
        Some(system::TableVersion::AsWritten) => {
            about.push("Of the table as written only.".to_owned())
        }
        Some(system::TableVersion::Amended) => about.push("Of the amended table only.".to_owned()),
        None => {}
    }
    if !property.premise.is_empty() {
        about.push(format!("Premise: {}.", prose(&property.premise)));
    }
    about
}

fn head(system: &System) -> TokenStream {
    let first = format!("The system `{}`.", system.name);
    let mut lines = vec![first];
    if !system.about.is_empty() {
        lines.push(document::sentence(&system.about));
    }
    doc(&lines)
}
