//! `RowId`: a row as written, with a constant for each.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use turnstile_spec::table::{Row, Vocabulary};

use crate::data::{effects, state};
use crate::text::document::{self, doc, ident, number, snake};
use crate::{Machine, Options, names};

/// The constant of each written row: `50` is `R50`, `claim-03.1` is `CLAIM_03_1`.
pub(crate) fn constants(words: &Vocabulary) -> Vec<Ident> {
    let mut taken = BTreeSet::new();
    let mut name = |id: &str| {
        let clean: String = id
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
            .collect();
        let lead = if clean.starts_with(|c: char| c.is_ascii_alphabetic()) { "" } else { "R" };
        let mut name = format!("{lead}{clean}");
        while name == "ALL" || !taken.insert(name.clone()) {
            name.push('_');
        }
        ident(&name)
    };
    words.rows.iter().map(|row| name(&row.id)).collect()
}

/// The constant of each row of the table: the written row's, with the source state and the event
/// where that row is several.
pub(crate) fn steps(machine: &Machine<'_>) -> Vec<Ident> {
    let words = machine.vocabulary;
    let constants = constants(words);
    let rows = &machine.table.rows;
    let mut counts = vec![0; words.rows.len()];
    rows.iter().for_each(|row| counts[row.id.index()] += 1);
    let mut taken = BTreeSet::new();
    let name = |row: &Row| {
        let mut name = constants[row.id.index()].clone();
        if counts[row.id.index()] > 1 {
            let from = snake(&words.states[row.from.index()].ident);
            let event = snake(&words.events[row.event.index()].name.ident);
            name = ident(&format!("{name}_{from}_{event}").to_uppercase());
        }
        while !taken.insert(name.to_string()) {
            name = ident(&format!("{name}_"));
        }
        name
    };
    rows.iter().map(name).collect()
}

/// What each row of the table says, as constants.
pub(crate) fn step_constants(machine: &Machine<'_>) -> TokenStream {
    let words = machine.vocabulary;
    let constants = constants(words);
    let steps = machine.table.rows.iter().zip(steps(machine)).map(|(row, name)| {
        let id = &constants[row.id.index()];
        let to = state(words, row.to.index());
        let (consumes, actions) = effects(words, row);
        quote! {
            pub(super) const #name: Step<'static> = Step {
                row: ::core::option::Option::Some(RowId::#id),
                to: #to,
                consumes: #consumes,
                actions: #actions,
            };
        }
    });
    quote! {
        /// The step of each row.
        mod steps {
            use super::*;

            #(#steps)*
        }
    }
}

/// The newtype with its constants and names.
pub(crate) fn ids(words: &Vocabulary, options: Options) -> TokenStream {
    let constants = constants(words);
    let spelt: Vec<&str> = words.rows.iter().map(|row| row.id.as_str()).collect();
    let abouts = words.rows.iter().map(|row| doc(&document::row(row)));
    let indices = (0..constants.len() as u64).map(number);
    let count = number(constants.len() as u64);
    let serde = options.serde.then(serde);
    let names_impl = names::implementation(&ident("RowId"), &quote!(usize::from(self.0)));
    quote! {
        /// A row of the table, by its position in the file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct RowId(pub u16);

        impl RowId {
            #(#abouts pub const #constants: Self = Self(#indices);)*

            /// All rows, in the order of the file.
            pub const ALL: &'static [Self] = &[#(Self::#constants),*];

            const NAMES: [&'static str; #count] = [#(#spelt),*];

            /// The row's stable id: the lines that it cites; empty for a row of another table.
            #[must_use]
            pub const fn name(self) -> &'static str {
                if (self.0 as usize) < Self::NAMES.len() {
                    Self::NAMES[self.0 as usize]
                } else {
                    ""
                }
            }

            /// The row with this id.
            #[must_use]
            pub fn from_name(name: &str) -> ::core::option::Option<Self> {
                Self::ALL.iter().copied().find(|row| row.name() == name)
            }
        }

        #names_impl

        impl ::turnstile_machine::RowId for RowId {
            fn at(place: u16) -> Self {
                Self(place)
            }
        }

        impl ::core::fmt::Display for RowId {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.name())
            }
        }

        #serde
    }
}

/// A row is written by its id, since its place moves when the table is edited.
fn serde() -> TokenStream {
    quote! {
        impl ::serde::Serialize for RowId {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for RowId {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                struct ById;

                impl ::serde::de::Visitor<'_> for ById {
                    type Value = RowId;

                    fn expecting(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.write_str("the id of a row")
                    }

                    fn visit_str<E: ::serde::de::Error>(
                        self,
                        id: &str,
                    ) -> ::core::result::Result<RowId, E> {
                        RowId::from_name(id).ok_or_else(|| {
                            E::invalid_value(::serde::de::Unexpected::Str(id), &self)
                        })
                    }
                }

                deserializer.deserialize_str(ById)
            }
        }
    }
}
