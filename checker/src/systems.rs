//! The systems known here: wiring of shipped cores and property predicates, nothing else.

mod build;
pub mod claim;
mod coverage;
mod formulas;
pub mod group;
pub mod lock;
mod rules;
mod unknown;
pub mod view;

use std::net::SocketAddr;

use turnstile_spec::system::{System, World};

use crate::report::options::{Options, Refusal};
use crate::report::result::ResultReport;

/// A system that this build can run: its cores are compiled in, its file is read.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name of its file: `claim`.
    pub name: &'static str,
    /// The machines that its cores run. A table of one of these can be put in for the compiled
    /// one, by [`Options::tables`].
    pub machines: &'static [&'static str],
    /// Searches one world of it.
    pub run: fn(&System, &World, &Options<'_>) -> Result<ResultReport, Refusal>,
    /// Shows one world of it in stateright's Explorer, until the process ends.
    pub explore: fn(&System, &World, &Options<'_>, SocketAddr) -> Result<(), Refusal>,
}

/// Every system of this build, by name.
pub const ALL: &[Entry] = &[claim::ENTRY, group::ENTRY, view::ENTRY];

/// The system of a name.
#[must_use]
pub fn entry(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
