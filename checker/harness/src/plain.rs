//! A table that was read at run time as a node of a World: the plain core over its rows.
//!
//! A system of tables has one such node for each member of a role; the table level is one of them
//! in a free environment.

pub mod cell;
pub mod node;
pub mod rules;
pub(crate) mod run_table;
pub mod words;
