//! `system!`: the properties of a system file as a trait, so that one without a predicate does not
//! compile.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::system::{Property, PropertyKind, System};
use turnstile_spec::{camel, system};

use crate::Extras;
use crate::document::{self, cited, doc, ident, prose, snake};
use crate::names::{Variant, named};

/// A property or a premise: what is asked of a state.
struct Asked {
    name: String,
    about: Vec<String>,
}

/// The module of a system, named after it.
#[must_use]
pub fn emit(system: &System) -> TokenStream {
    let module = snake(&system.name);
    let asked = asked(system);
    let methods: Vec<_> = asked.iter().map(|it| snake(&it.name)).collect();
    let abouts = asked.iter().map(|it| doc(&it.about));
    let variants = asked.iter().map(|it| Variant {
        ident: ident(&camel(&it.name)),
        name: it.name.clone(),
        about: vec![format!("`{}`.", it.name.replace('`', "'"))],
    });
    let about = "A property or a premise of the system, by its name.";
    let predicate = named("Predicate", about, variants.collect(), Extras::default());
    let idents = asked.iter().map(|it| ident(&camel(&it.name)));
    let head = head(system);
    quote! {
        #head
        pub mod #module {
            #predicate

            /// What is asked of every state: one method for each property and each premise.
            pub trait Properties {
                /// A state, as the predicates see it.
                type View<'a>;

                #(#abouts fn #methods(&self, view: &Self::View<'_>) -> bool;)*

                /// Asks a predicate by its name.
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
fn asked(system: &System) -> Vec<Asked> {
    let mut seen = BTreeSet::new();
    let mut asked = Vec::new();
    for property in &system.properties {
        asked.push(Asked { name: property.name.clone(), about: about(property) });
    }
    for property in &system.properties {
        let about = vec![format!("The premise of “{}”.", prose(&property.name))];
        asked.push(Asked { name: property.premise.clone(), about });
    }
    asked.retain(|it| !it.name.is_empty() && seen.insert(it.name.clone()));
    asked
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
        Some(system::Only::AsWritten) => about.push("Of the table as written only.".to_owned()),
        Some(system::Only::Amended) => about.push("Of the amended table only.".to_owned()),
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
