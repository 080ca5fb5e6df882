//! How the inputs and effects of the cores read in scenarios and traces.

mod claim;
mod group;
mod ranges;
mod read;
mod replicated;
mod stack;
mod view;

use turnstile_scenario::Language;

pub use claim::server_words;

/// What scenarios of these cores may speak; the first also where no node says which.
pub const LANGUAGES: &[Language] = &[
    Language::of::<claim::ClaimNodes>(),
    Language::of::<view::ViewNodes>(),
    Language::of::<group::GroupNodes>(),
    Language::of::<stack::StackNodes>(),
    Language::of::<ranges::RangeNodes>(),
    Language::of::<replicated::ReplicatedNodes>(),
];
