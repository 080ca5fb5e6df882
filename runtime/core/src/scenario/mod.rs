//! The text formats of the cores for scenarios, and their node kinds for scenarios and traces.

mod claim;
mod group;
mod ranges;
mod replicated;
mod stack;
mod view;

#[cfg(not(feature = "serde"))]
use turnstile_scenario::CoreNode as NodeOf;
use turnstile_scenario::Protocol;
#[cfg(feature = "serde")]
use turnstile_scenario::trace::TraceableNode as NodeOf;

pub use claim::server_words;

/// The protocols of these cores. The first one is used if no node decides.
pub const PROTOCOLS: &[Protocol] = &[
    Protocol::of::<claim::ClaimNodes>(),
    Protocol::of::<view::ViewNodes>(),
    Protocol::of::<group::GroupNodes>(),
    Protocol::of::<stack::StackNodes>(),
    Protocol::of::<ranges::RangeNodes>(),
    Protocol::of::<replicated::ReplicatedNodes>(),
];
