//! The types that every machine has: what a step is, what a refusal is.

use proc_macro2::TokenStream;
use quote::quote;

use turnstile_spec::table::Vocabulary;

use crate::{Extras, formula};

/// `ResourceKind`, `Op`, `Do`, `Step`, `Unexpected`.
pub(crate) fn types(words: &Vocabulary, extras: Extras) -> TokenStream {
    let serde = extras.serde.then(|| quote!(#[derive(::serde::Serialize, ::serde::Deserialize)]));
    let kind = resource_kind(serde.as_ref());
    let op = op(serde.as_ref());
    let step = step(words);
    let unexpected = unexpected(serde.as_ref());
    quote!(#kind #op #step #unexpected)
}

fn resource_kind(serde: Option<&TokenStream>) -> TokenStream {
    quote! {
        /// What sort of thing a state holds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #serde
        pub enum ResourceKind {
            /// Armed, then fires once or is disarmed.
            Timer,
            /// Sent, then answered once, lost or abandoned.
            Request,
            /// A fact that is remembered.
            Note,
        }
    }
}

fn op(serde: Option<&TokenStream>) -> TokenStream {
    quote! {
        /// What an action does to a resource.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #serde
        pub enum Op {
            /// It comes to be held.
            Create(Resource),
            /// It is held no longer.
            Delete(Resource),
            /// It is held and stays so, counted anew.
            Restart(Resource),
            /// An outstanding request is given up: its answer no longer comes here.
            Abandon(Resource),
        }

        impl Op {
            /// The resource that it is done to.
            #[must_use]
            pub const fn resource(self) -> Resource {
                match self {
                    Self::Create(resource)
                    | Self::Delete(resource)
                    | Self::Restart(resource)
                    | Self::Abandon(resource) => resource,
                }
            }
        }
    }
}

fn step(words: &Vocabulary) -> TokenStream {
    let each = formula::any(words).then(|| {
        quote! {
            /// The loop that it stands in, if it is done for each of several things.
            pub each: ::core::option::Option<Each>,
        }
    });
    quote! {
        /// One action of a row, with what it does to resources.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Do<'t> {
            /// The action.
            pub action: Action,
            /// What it does to resources, in order.
            pub ops: &'t [Op],
            #each
        }

        /// What the table says of a cell.
        #[must_use]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Step<'t> {
            /// The row that is taken. `None`: the event changes nothing here.
            pub row: ::core::option::Option<RowId>,
            /// The state that is entered; the same one where nothing changes.
            pub to: State,
            /// What the event itself uses up: the timer that fired, the request that is answered.
            pub consumes: &'t [Resource],
            /// What is done, in order.
            pub does: &'t [Do<'t>],
        }

        impl Step<'_> {
            /// The event changes nothing.
            const fn ignored(to: State) -> Self {
                Self { row: ::core::option::Option::None, to, consumes: &[], does: &[] }
            }

            /// The step without its actions.
            pub const fn moved(self) -> Moved {
                Moved { row: self.row, to: self.to }
            }
        }

        /// A step without its actions, which went into a sink.
        #[must_use]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Moved {
            /// The row that is taken. `None`: the event changes nothing here.
            pub row: ::core::option::Option<RowId>,
            /// The state that is entered; the same one where nothing changes.
            pub to: State,
        }
    }
}

fn unexpected(serde: Option<&TokenStream>) -> TokenStream {
    quote! {
        /// An event that the table has no row for: the machine stays as it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #serde
        pub struct Unexpected {
            /// Where the machine is.
            pub state: State,
            /// What happened.
            pub event: Event,
            /// Whether the table says that this cannot happen, and not merely nothing.
            pub impossible: bool,
        }

        impl ::core::fmt::Display for Unexpected {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let why = if self.impossible { "impossible" } else { "no row" };
                let (state, event) = (self.state.name(), self.event.kind().name());
                ::core::write!(f, "{state}: {event} ({}): {why}", self.event.number())
            }
        }

        impl ::core::error::Error for Unexpected {}
    }
}
