#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! A machine has its names ([`Machine`]), what a table says of an event ([`Rules`], [`Step`]), and
//! what a core answers to its formulas ([`Facts`]). `machine!` makes a module of a table: enums for
//! its names, the table as nested matches, and a [`Machine`]. All else is here, once. With the
//! feature `alloc` a table runs as data, too (`Interpreted`): one that is read at run time, edited
//! or mutated, under the same core. The feature `read` makes the data of a file that
//! `turnstile-spec` has read. `system!`, for checkers, comes with the feature `systems`.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "read")]
extern crate std;

#[cfg(feature = "alloc")]
mod data;
#[cfg(feature = "read")]
mod dynamic;
mod formula;
#[cfg(feature = "alloc")]
mod interpreted;
mod machine;
#[doc(hidden)]
pub mod option;
mod plain;
#[cfg(feature = "read")]
mod read;
mod rules;
mod step;
mod term;
mod variable;

#[cfg(feature = "alloc")]
pub use data::{Cell, Condition, Row, StateInfo, TableData};
#[cfg(feature = "read")]
pub use dynamic::{Dynamic, DynamicEvent, DynamicName};
#[cfg(feature = "alloc")]
pub use formula::{Domain, Formula, Formulas, GuardAnswer};
pub use formula::{Facts, GuardFacts};
#[cfg(feature = "alloc")]
pub use interpreted::Interpreted;
pub use machine::{
    Atom, CollectionKind, Event, Machine, Name, Never, PredicateKind, RowId, RuleKind, Signature,
    Table,
};
pub use plain::{EventInfo, PlainMachine, PlainTable, VariableInfo};
#[cfg(feature = "read")]
pub use read::{Incompatible, read};
pub use rules::Rules;
pub use step::{
    ActionCall, ActionEntry, Actions, ActionsIter, Block, ForEach, Op, ResourceKind, Step,
    Transition, Unexpected,
};
pub use term::{Term, Terms};
#[cfg(feature = "macros")]
pub use turnstile_macros::machine;
#[cfg(feature = "systems")]
pub use turnstile_macros::system;
pub use variable::{Comparison, Operand, Relation, Update, ValueSet, VariableChange};

/// The example of turnstile-macros, which cannot use this crate: it would be compiled once more, as
/// part of a macro.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct MacrosReadme;
