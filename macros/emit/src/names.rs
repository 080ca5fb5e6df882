//! Enums whose variants are the document's names: `State`, `Action`, `Resource`, `Guard`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use turnstile_spec::table::{Name, ResourceId, ResourceKind, StateId, Vocabulary};

use crate::text::document::{self, doc, ident};
use crate::{Machine, Options};

/// One variant: its identifier, the document's spelling, its rustdoc.
pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) about: Vec<String>,
}

impl Variant {
    pub(crate) fn new(name: &Name) -> Self {
        let about = document::name(name);
        Self { ident: ident(&name.ident), name: name.name.clone(), about }
    }
}

/// All name enums of a machine but those of its events.
pub(crate) fn names(machine: &Machine<'_>, options: Options) -> TokenStream {
    let words = machine.vocabulary;
    let states = words.states.iter().enumerate().map(|(index, name)| {
        let mut variant = Variant::new(name);
        variant.about.extend(about_state(machine, index));
        variant
    });
    let resources = words.resources.iter().map(|resource| {
        let mut variant = Variant::new(&resource.name);
        variant.about.push(format!("A {}.", kind(resource.kind)));
        variant
    });
    let state = named("State", "A state of the machine.", states.collect(), options);
    let action = named("Action", "An action of a row.", variants(&words.actions), options);
    let resource = named(
        "Resource",
        "A resource that states hold: a timer, a request or a note.",
        resources.collect(),
        options,
    );
    let guard = named(
        "Guard",
        "A guard: a named boolean of a row's condition.",
        variants(&words.guards),
        options,
    );
    let tells = tells(words);
    let of_state = of_state(machine);
    let of_resource = of_resource(words);
    quote!(#state #of_state #action #tells #resource #of_resource #guard)
}

/// The events that actions send to other instances; empty if there are none.
fn tells(words: &Vocabulary) -> Option<TokenStream> {
    let arms = words.tells.iter().map(|(action, event)| {
        let action = ident(&words.actions[action.index()].ident);
        let event = ident(&words.events[event.index()].name.ident);
        quote!(Self::#action => ::core::option::Option::Some(EventKind::#event))
    });
    let arms: Vec<TokenStream> = arms.collect();
    let rest =
        (arms.len() < words.actions.len()).then(|| quote!(_ => ::core::option::Option::None,));
    (!arms.is_empty()).then(|| {
        quote! {
            impl Action {
                /// The event that other instances of the machine receive in the same step.
                #[must_use]
                pub const fn tells(self) -> ::core::option::Option<EventKind> {
                    match self { #(#arms,)* #rest }
                }
            }
        }
    })
}

/// An enum with its spellings.
pub(crate) fn named(
    what: &str,
    about: &str,
    variants: Vec<Variant>,
    options: Options,
) -> TokenStream {
    let what = ident(what);
    let about = doc(&[about.to_owned()]);
    let serde = options.serde.then(|| quote!(#[derive(::serde::Serialize, ::serde::Deserialize)]));
    let body = variants.iter().map(|Variant { ident, name, about }| {
        let about = doc(about);
        let rename = options.serde.then(|| quote!(#[serde(rename = #name)]));
        quote!(#about #rename #ident)
    });
    let idents: Vec<&Ident> = variants.iter().map(|variant| &variant.ident).collect();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let parameter = ident(if variants.is_empty() { "_name" } else { "name" });
    let found = match variants.is_empty() {
        true => quote!(::core::option::Option::None),
        false => quote!(match name {
            #(#names => ::core::option::Option::Some(Self::#idents),)*
            _ => ::core::option::Option::None,
        }),
    };
    let trait_impl = implementation(&what, &quote!(self as usize));
    quote! {
        #about
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #serde
        pub enum #what { #(#body,)* }

        impl #what {
            /// All of them, in the document's order.
            pub const ALL: &'static [Self] = &[#(Self::#idents),*];

            /// The name as the document spells it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(Self::#idents => #names,)* }
            }

            /// The one that has this name in the document.
            #[must_use]
            pub fn from_name(#parameter: &str) -> ::core::option::Option<Self> {
                #found
            }
        }

        #trait_impl

        impl ::core::fmt::Display for #what {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.name())
            }
        }
    }
}

/// The implementation of `Name`, for a type with the same inherent items.
pub(crate) fn implementation(what: &Ident, index: &TokenStream) -> TokenStream {
    quote! {
        impl ::turnstile_machine::Name for #what {
            const ALL: &'static [Self] = Self::ALL;

            fn index(self) -> usize {
                #index
            }

            fn name(self) -> &'static str {
                self.name()
            }

            fn from_name(name: &str) -> ::core::option::Option<Self> {
                Self::from_name(name)
            }
        }
    }
}

fn variants(names: &[Name]) -> Vec<Variant> {
    names.iter().map(Variant::new).collect()
}

/// The declaration of a state, in words.
pub(crate) fn about_state(machine: &Machine<'_>, index: usize) -> Vec<String> {
    let Some(state) = machine.table.states.get(index).and_then(Option::as_ref) else {
        return vec!["Not a state of the amended table.".to_owned()];
    };
    let held = |ids: &[ResourceId]| {
        let names = ids.iter().map(|id| machine.vocabulary.resources[id.index()].name.name.clone());
        document::prose(&names.collect::<Vec<_>>().join(", "))
    };
    let mut lines = Vec::new();
    if !state.holds.is_empty() {
        lines.push(format!("Holds: {}.", held(&state.holds)));
    }
    if !state.may_hold.is_empty() {
        lines.push(format!("May hold: {}.", held(&state.may_hold)));
    }
    if state.initial {
        lines.push("Initial.".to_owned());
    }
    if state.is_final {
        lines.push("Final.".to_owned());
    }
    lines
}

/// The declaration of each state.
fn of_state(machine: &Machine<'_>) -> TokenStream {
    let resources = |ids: &[ResourceId]| {
        let names =
            ids.iter().map(|id| ident(&machine.vocabulary.resources[id.index()].name.ident));
        quote!(&[#(Resource::#names),*])
    };
    let states = &machine.vocabulary.states;
    let idents: Vec<Ident> = states.iter().map(|name| ident(&name.ident)).collect();
    let places = || machine.table.states.iter().map(Option::as_ref);
    let holds = places().map(|s| resources(s.map_or(&[], |s| &s.holds)));
    let may_hold = places().map(|s| resources(s.map_or(&[], |s| &s.may_hold)));
    let finals = places().map(|s| s.is_some_and(|s| s.is_final));
    let begins = initial_idents(machine);
    let initial = &begins[0];
    let transient = transient(machine, &idents);
    quote! {
        impl State {
            /// The initial state; the first one if there are several.
            pub const INITIAL: Self = Self::#initial;

            /// The states in which the machine may begin.
            pub const INITIAL_STATES: &'static [Self] = &[#(Self::#begins),*];

            /// The resources that the state always holds.
            #[must_use]
            pub const fn holds(self) -> &'static [Resource] {
                match self { #(Self::#idents => #holds,)* }
            }

            /// The resources that the state holds only sometimes.
            #[must_use]
            pub const fn may_hold(self) -> &'static [Resource] {
                match self { #(Self::#idents => #may_hold,)* }
            }

            /// Whether the state is final.
            #[must_use]
            pub const fn is_final(self) -> bool {
                match self { #(Self::#idents => #finals,)* }
            }

            #transient
        }
    }
}

/// `is_transient`, for a table with rows without an event.
fn transient(machine: &Machine<'_>, idents: &[Ident]) -> Option<TokenStream> {
    let completion = machine.vocabulary.completion()?;
    let is_left = (0..).map(StateId).take(idents.len()).map(|state| {
        machine.table.rows.iter().any(|row| row.from == state && row.event == completion)
    });
    Some(quote! {
        /// Whether rows without an event leave the state: after a step into it, [`settle`] has the
        /// next one.
        #[must_use]
        pub const fn is_transient(self) -> bool {
            match self { #(Self::#idents => #is_left,)* }
        }
    })
}

/// The initial states; the first state of a table that has none.
pub(crate) fn initial_idents(machine: &Machine<'_>) -> Vec<Ident> {
    let states = machine.table.states.iter().zip(&machine.vocabulary.states);
    let begins = states.filter(|(state, _)| state.as_ref().is_some_and(|state| state.initial));
    let begins: Vec<Ident> = begins.map(|(_, name)| ident(&name.ident)).collect();
    if begins.is_empty() { vec![ident(&machine.vocabulary.states[0].ident)] } else { begins }
}

fn of_resource(words: &Vocabulary) -> TokenStream {
    let idents: Vec<Ident> =
        words.resources.iter().map(|resource| ident(&resource.name.ident)).collect();
    let kinds = words.resources.iter().map(|resource| match resource.kind {
        ResourceKind::Timer => quote!(ResourceKind::Timer),
        ResourceKind::Request => quote!(ResourceKind::Request),
        ResourceKind::Note => quote!(ResourceKind::Note),
    });
    quote! {
        impl Resource {
            /// The kind of the resource.
            #[must_use]
            pub const fn kind(self) -> ResourceKind {
                match self { #(Self::#idents => #kinds,)* }
            }

            /// Whether the resource is a timer.
            #[must_use]
            pub const fn is_timer(self) -> bool {
                ::core::matches!(self.kind(), ResourceKind::Timer)
            }

            /// Whether the resource is a request.
            #[must_use]
            pub const fn is_request(self) -> bool {
                ::core::matches!(self.kind(), ResourceKind::Request)
            }
        }
    }
}

fn kind(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Timer => "timer",
        ResourceKind::Request => "request",
        ResourceKind::Note => "note",
    }
}
