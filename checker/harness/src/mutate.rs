//! Mutation testing: the shipped cores run each table with one change in place of the compiled one.
//! A mutant that no property kills shows a behaviour that is not checked.
//!
//! [`rows`] and [`formulas`] make the mutants, [`judge`] judges. Nothing here knows a protocol.

mod baseline;
pub mod change;
mod changed_parts;
pub mod code;
mod every;
mod formulas;
mod guards;
mod in_worlds;
mod judge;
mod judged_table;
mod label;
mod merged;
mod phrase;
mod recorded;
mod report;
mod rows;

pub use baseline::Baselines;
pub use every::{Only, mutants};
pub use judge::{mutate, mutate_all, mutate_from_nothing};
pub use report::{Floor, KilledBy, MutationReport, Survivor};
