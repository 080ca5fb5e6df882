#![doc = include_str!("../README.md")]
//!
//! # Design
//!
//! It takes the table that turnstile-spec has read and returns a [`TokenStream`]. It does no IO and
//! does not handle invalid tables: the reader refuses them. One source file per part of the emitted
//! module; [`emit`] combines them.

pub mod call;
mod cell;
mod compiled;
mod data;
mod document;
mod event;
pub mod expand;
mod formula;
mod literal;
mod names;
mod page;
mod plain;
#[cfg(feature = "pretty")]
mod pretty;
mod row;
mod skeleton;
#[cfg(feature = "systems")]
pub mod system;
mod types;
mod typestate;
mod word;

#[cfg(feature = "pretty")]
pub use pretty::pretty;

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::Table;
use turnstile_spec::table::Vocabulary;

/// The input of the generator: names, a table over them, and their origin.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// All names.
    pub vocabulary: &'a Vocabulary,
    /// The table to compile.
    pub table: &'a Table,
    /// The document's title, or empty.
    pub title: &'a str,
    /// The content hash of the table's file.
    pub hash: u64,
    /// The SVG file that rustdoc shows, from the directory of the caller's Cargo.toml.
    pub diagram: Option<&'a str>,
}

/// The options of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `derive(serde)`: every name serialises as the document spells it.
    pub serde: bool,
    /// `tracing`: every step is an event of the crate `tracing`.
    pub tracing: bool,
    /// `typestate`: the form with its state in its type.
    pub typestate: bool,
    /// `step_into`: the step that gives its actions to a sink.
    pub step_into: bool,
}

/// The module of one machine, named after it.
#[must_use]
pub fn emit(machine: &Machine<'_>, options: Options) -> TokenStream {
    let module = document::snake(&machine.vocabulary.machine);
    let about = page::module(machine);
    let aliases = types::aliases();
    let names = names::names(machine, options);
    let events = event::events(machine.vocabulary, options);
    let rows = row::ids(machine.vocabulary, options);
    let rules = types::machine(machine);
    let formulas = formula::formulas(machine, options);
    let steps = row::step_constants(machine);
    let plain = plain::plain(machine);
    let compiled = compiled::compiled(machine, options);
    let typestate = match options.typestate {
        true => typestate::typestate(machine),
        false => typestate::stub(),
    };
    quote! {
        #about
        pub mod #module {
            #names
            #events
            #rows
            #aliases
            #rules
            #compiled
            #formulas
            #plain
            #steps
            #typestate
        }
    }
}
