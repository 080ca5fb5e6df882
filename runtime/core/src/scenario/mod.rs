//! How the inputs and effects of the cores read in scenarios, and which core a node of a trace is.

mod claim;
mod group;
mod ranges;
mod replicated;
mod stack;
mod view;

#[cfg(not(feature = "serde"))]
use turnstile_scenario::CoreNode as NodeOf;
use turnstile_scenario::Language;
#[cfg(feature = "serde")]
use turnstile_scenario::trace::TracedNode as NodeOf;

pub use claim::server_words;

/// What scenarios and traces of these cores may speak; the first also where no node says which.
pub const LANGUAGES: &[Language] = &[
    Language::of::<claim::ClaimNodes>(),
    Language::of::<view::ViewNodes>(),
    Language::of::<group::GroupNodes>(),
    Language::of::<stack::StackNodes>(),
    Language::of::<ranges::RangeNodes>(),
    Language::of::<replicated::ReplicatedNodes>(),
];
