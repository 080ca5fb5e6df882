//! The systems known here: wiring of shipped cores and property predicates, nothing else.

mod answers;
mod build;
pub mod claim;
mod coverage;
mod entry;
mod fit;
pub mod group;
pub mod lock;
pub mod ranges;
pub mod replicated;
mod rules;
pub mod view;

pub use build::Plan;
pub use entry::{Entry, Wired};

/// Every system of this build, by name. A static, so that only this crate compiles their searches.
pub static ALL: &[Entry] =
    &[ranges::ENTRY, claim::ENTRY, group::ENTRY, replicated::ENTRY, view::ENTRY];

/// The system of a name.
#[must_use]
pub fn entry(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
