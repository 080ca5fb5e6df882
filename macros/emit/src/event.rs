//! `Event`, which carries a payload, and `EventKind`, which does not.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use turnstile_spec::table::{Event, Payload, PayloadDomain, Vocabulary};

use crate::Options;
use crate::names::{Variant, named};
use crate::text::document::{self, doc, ident, number, snake};

/// Both enums, and one for each payload that is a list of words.
pub(crate) fn events(words: &Vocabulary, options: Options) -> TokenStream {
    let serde = options.serde.then(|| quote!(#[derive(::serde::Serialize, ::serde::Deserialize)]));
    let kinds = words.events.iter().map(|event| Variant::new(&event.name)).collect();
    let kind = named("EventKind", "An event without its payload.", kinds, options);
    let payloads = words.events.iter().filter_map(|event| payload_enum(event, options));
    let variants = words.events.iter().map(|event| variant(event, options));
    let of_event = of_event(words);
    let of_kind = of_kind(words);
    quote! {
        #kind
        #of_kind
        #(#payloads)*

        /// An event, with its payload.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #serde
        pub enum Event { #(#variants,)* }
        #of_event
    }
}

/// The Rust type of a payload.
pub(crate) fn payload_type(event: &Event, payload: &Payload) -> TokenStream {
    match &payload.domain {
        PayloadDomain::Number(_) => quote!(u16),
        PayloadDomain::Bool => quote!(bool),
        PayloadDomain::Words(_) => {
            let name = words_ident(event, payload);
            quote!(#name)
        }
    }
}

/// The field of a payload.
pub(crate) fn field(payload: &Payload) -> Ident {
    snake(&payload.field)
}

/// The enum of a payload that is a list of words: event and field, with a mark behind it where the
/// module has that name itself.
pub(crate) fn words_ident(event: &Event, payload: &Payload) -> Ident {
    let mut field = payload.field.chars().filter(|c| c.is_alphanumeric());
    let first: String = field.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let rest: String = field.collect();
    let name = format!("{}{first}{rest}", ident(&event.name.ident));
    let mark = if OWN.contains(&name.as_str()) { "_" } else { "" };
    format_ident!("{name}{mark}")
}

/// The names of a module, of two words each, that an event and its field can make, too.
const OWN: [&str; 13] = [
    "ActionCall",
    "CollectionKind",
    "EventKind",
    "ForEach",
    "OpenGuard",
    "PredicateKind",
    "ResourceKind",
    "RowId",
    "RuleKind",
    "WholeCollection",
    "WholeInvariant",
    "WholePredicate",
    "WholeRule",
];

fn payload_enum(event: &Event, options: Options) -> Option<TokenStream> {
    let payload = event.payload.as_ref()?;
    let PayloadDomain::Words(words) = &payload.domain else { return None };
    let name = words_ident(event, payload);
    let about = format!("The payload of `{}`.", event.name.name);
    let variants = words.iter().map(Variant::new).collect();
    Some(named(&name.to_string(), &about, variants, options))
}

fn variant(event: &Event, options: Options) -> TokenStream {
    let name = ident(&event.name.ident);
    let about = doc(&document::name(&event.name));
    let spelling = &event.name.name;
    let rename = options.serde.then(|| quote!(#[serde(rename = #spelling)]));
    let Some(payload) = &event.payload else { return quote!(#about #rename #name) };
    let field = field(payload);
    let of_type = payload_type(event, payload);
    let (least, greatest) = payload.domain.bounds();
    let about_field = match &payload.domain {
        PayloadDomain::Number(_) => format!("{least} to {greatest}."),
        PayloadDomain::Bool => "False is number 0, true is number 1.".to_owned(),
        PayloadDomain::Words(_) => "Numbered in the document's order.".to_owned(),
    };
    let about_field = doc(&[about_field]);
    quote!(#about #rename #name { #about_field #field: #of_type })
}

fn of_event(words: &Vocabulary) -> TokenStream {
    let kinds = words.events.iter().map(|event| {
        let name = ident(&event.name.ident);
        let rest = event.payload.is_some().then(|| quote!({ .. }));
        quote!(Self::#name #rest => EventKind::#name)
    });
    let numbers = words.events.iter().map(|event| {
        let name = ident(&event.name.ident);
        let Some(payload) = &event.payload else { return quote!(Self::#name => 0) };
        let field = field(payload);
        let number = match payload.domain {
            PayloadDomain::Number(_) => quote!(#field),
            PayloadDomain::Bool | PayloadDomain::Words(_) => quote!(#field as u16),
        };
        quote!(Self::#name { #field } => #number)
    });
    quote! {
        impl Event {
            /// The event without its payload.
            #[must_use]
            pub const fn kind(self) -> EventKind {
                match self { #(#kinds,)* }
            }

            /// The payload as a number; 0 for an event without a payload.
            #[must_use]
            pub const fn number(self) -> u16 {
                match self { #(#numbers,)* }
            }
        }

        impl ::turnstile_machine::Event for Event {
            type Kind = EventKind;

            fn kind(self) -> EventKind {
                self.kind()
            }

            fn number(self) -> u16 {
                self.number()
            }
        }
    }
}

fn of_kind(words: &Vocabulary) -> TokenStream {
    let idents: Vec<Ident> = words.events.iter().map(|event| ident(&event.name.ident)).collect();
    let bounds = words.events.iter().map(|event| {
        let (least, greatest) = event.payload.as_ref().map_or((0, 0), |it| it.domain.bounds());
        let (least, greatest) = (number(least), number(greatest));
        quote!((#least, #greatest))
    });
    let events = words.events.iter().map(with_number);
    quote! {
        impl EventKind {
            /// The range of payload numbers, both ends included; `(0, 0)` without a payload.
            #[must_use]
            pub const fn bounds(self) -> (u16, u16) {
                match self { #(Self::#idents => #bounds,)* }
            }

            /// The event with this payload number, clamped to [`Self::bounds`].
            #[must_use]
            pub const fn event(self, number: u16) -> Event {
                let (least, greatest) = self.bounds();
                let number = if number < least {
                    least
                } else if number > greatest {
                    greatest
                } else {
                    number
                };
                match self { #(Self::#idents => #events,)* }
            }
        }
    }
}

/// The event with the payload `number`, which is within bounds.
fn with_number(event: &Event) -> TokenStream {
    let name = ident(&event.name.ident);
    let Some(payload) = &event.payload else { return quote!(Event::#name) };
    let field = field(payload);
    match &payload.domain {
        PayloadDomain::Number(_) => quote!(Event::#name { #field: number }),
        PayloadDomain::Bool => quote!(Event::#name { #field: number != 0 }),
        PayloadDomain::Words(words) => {
            let of_type = words_ident(event, payload);
            let count = words.len();
            let arms = words.iter().enumerate().map(|(index, word)| {
                let word = ident(&word.ident);
                if index + 1 == count {
                    return quote!(_ => #of_type::#word);
                }
                let index = number(index as u64);
                quote!(#index => #of_type::#word)
            });
            quote!(Event::#name { #field: match number { #(#arms,)* } })
        }
    }
}
