//! Expands a call from the text of its table: to the machine, or to the errors of the text.
//!
//! With errors the types are emitted, too, as far as the text has names, so that the compiler does
//! not report errors in the caller's code that follow from them.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_spec::versions::Document;
use turnstile_spec::{Diagnostics, Source, WrittenTable};

use crate::call::Call;
use crate::{Machine, Options, emit, skeleton};

/// What `machine!` expands to.
#[must_use]
pub fn machine(call: &Call, source: Source) -> TokenStream {
    let tracked = call.tracked();
    let literal = match WrittenTable::read(source) {
        Ok(literal) => literal,
        Err(faults) => {
            let (error, types) = (error(&faults), skeleton::types(call, &faults.source));
            return quote!(#error #tracked #types);
        }
    };
    if let Some(reason) = without_typestate(call.options, &literal.vocabulary) {
        let (error, types) = (call.error(reason), skeleton::types(call, &literal.source));
        return quote!(#error #tracked #types);
    }
    let of = (call.options, call.diagram.as_deref());
    let emit = |table: &Table, hash| emitted(of, &literal, table, hash);
    let (error, module) = match literal.amended() {
        Ok(sound) => (None, emit(&sound.table, sound.hash)),
        Err(faults) => (Some(error(&faults)), emit(&literal.without(&[]).table, 0)),
    };
    quote!(#error #tracked #module)
}

/// Why a table has no typestate form, if the call asks for one.
fn without_typestate(options: Options, words: &Vocabulary) -> Option<&'static str> {
    let has_completions = words.completion().is_some();
    (options.typestate && has_completions).then_some(
        "the option `typestate` is not available: the table has rows without an event, so the \
         state after a step is not known at compile time",
    )
}

/// The module that `machine!` expands to, without the line that makes the compiler read the table's
/// file again: for Rust that is checked in.
///
/// # Errors
///
/// Those of the table.
pub fn module(literal: &WrittenTable, options: Options) -> Result<TokenStream, Diagnostics> {
    let sound = literal.amended()?;
    Ok(emitted((options, None), literal, &sound.table, sound.hash))
}

/// What `system!` expands to.
#[cfg(feature = "systems")]
#[must_use]
pub fn system(call: &Call, source: Source) -> TokenStream {
    let tracked = call.tracked();
    let (error, module) = match turnstile_spec::System::read(source) {
        Ok(system) if system.is_of_tables() => {
            let name = &system.source.name;
            let text = format!("{name}: a system of tables needs no predicates: do not compile it");
            (Some(quote!(::core::compile_error!(#text);)), None)
        }
        Ok(system) => (None, Some(crate::system::emit(&system))),
        Err(faults) => (Some(error(&faults)), None),
    };
    quote!(#error #tracked #module)
}

fn emitted(
    (options, diagram): (Options, Option<&str>),
    literal: &WrittenTable,
    table: &Table,
    hash: u64,
) -> TokenStream {
    let vocabulary: &Vocabulary = &literal.vocabulary;
    let title = literal.document.as_ref().map_or("", title);
    emit(&Machine { vocabulary, table, title, hash, diagram }, options)
}

fn title(document: &Document) -> &str {
    if document.title.is_empty() { &document.file } else { &document.title }
}

fn error(faults: &Diagnostics) -> TokenStream {
    let count = match faults.list.len() {
        1 => "1 error".to_owned(),
        count => format!("{count} errors"),
    };
    let text = format!("{}: {count}\n\n{}", faults.source.name, turnstile_report::text(faults));
    quote!(::core::compile_error!(#text);)
}
