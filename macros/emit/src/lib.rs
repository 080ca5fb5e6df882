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
mod event;
pub mod expand;
mod formula;
mod machine;
mod names;
mod options;
mod plain;
mod row;
mod skeleton;
#[cfg(feature = "systems")]
pub mod system;
mod text;
mod types;
mod typestate;

pub use machine::Machine;
pub use options::Options;
#[cfg(feature = "pretty")]
pub use text::pretty::pretty;

use proc_macro2::TokenStream;
use quote::quote;

/// The module of one machine, named after it.
#[must_use]
pub fn emit(machine: &Machine<'_>, options: Options) -> TokenStream {
    let module = text::document::snake(&machine.vocabulary.machine);
    let about = text::page::module(machine);
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
