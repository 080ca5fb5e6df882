//! The names of a machine, and their positions in its lists.

use std::ops::RangeInclusive;

use crate::span::Span;

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u16);
        impl $name {
            /// The position in the vocabulary's list.
            #[must_use]
            pub fn index(self) -> usize { usize::from(self.0) }
        }
    )*};
}

pub(crate) use indices;

indices! {
    /// A state, by its position in [`Vocabulary::states`](crate::table::Vocabulary::states).
    StateId,
    /// An event, by its position in [`Vocabulary::events`](crate::table::Vocabulary::events).
    EventId,
    /// An action, by its position in [`Vocabulary::actions`](crate::table::Vocabulary::actions).
    ActionId,
    /// A resource, by its position in
    /// [`Vocabulary::resources`](crate::table::Vocabulary::resources).
    ResourceId,
    /// A guard, by its position in [`Vocabulary::guards`](crate::table::Vocabulary::guards).
    GuardId,
    /// A row as written, by its position in [`Vocabulary::rows`](crate::table::Vocabulary::rows).
    RowId,
}

/// Lines of the document, both ends included.
pub type Lines = RangeInclusive<u32>;

/// A name as the document spells it and as Rust spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The document's spelling: `retrying abort`.
    pub name: String,
    /// CamelCase, unique in its list: `RetryingAbort`.
    pub ident: String,
    /// What the document says about it, or empty.
    pub about: String,
    /// The lines of the document that state it.
    pub cite: Vec<Lines>,
    /// False if the table as written uses the name without declaring it (a finding).
    pub declared: bool,
    /// Its position in the file.
    pub span: Span,
}
