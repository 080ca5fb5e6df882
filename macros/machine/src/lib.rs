//! What a machine is, whichever table it comes from: its names ([`Machine`]), what a table says of
//! an event ([`Rules`], [`Step`]), and what a core answers to its formulas ([`Facts`]).
//!
//! `machine!` makes a module of a table: enums for its names, the table as nested matches, and a
//! [`Machine`]. All else is here, once. With the feature `alloc` a table runs as data, too
//! (`Interpreted`): one that is read at run time, edited or mutated, under the same core. The
//! feature `read` makes the data of a file that `turnstile-spec` has read.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "read")]
extern crate std;

#[doc(hidden)]
pub mod asked;
mod formula;
#[cfg(feature = "alloc")]
mod interpreted;
mod machine;
#[cfg(feature = "alloc")]
mod plain;
#[cfg(feature = "read")]
mod read;
mod rules;
mod step;
mod things;

pub use formula::Facts;
#[cfg(feature = "alloc")]
pub use formula::{Among, Formula, Formulas};
#[cfg(feature = "alloc")]
pub use interpreted::Interpreted;
pub use machine::{
    CollectionKind, Event, Machine, Name, Nothing, OfThings, PredicateKind, RowId, RuleKind, Table,
};
#[cfg(feature = "alloc")]
pub use plain::{Cell, Condition, Place, Plain, Row};
#[cfg(feature = "read")]
pub use read::{Unfit, read};
pub use rules::Rules;
pub use step::{Do, Does, Doing, Each, Entry, Moved, Op, ResourceKind, Run, Step, Unexpected};
pub use things::{Thing, Things};
#[cfg(feature = "macros")]
pub use turnstile_macros::{machine, system};
