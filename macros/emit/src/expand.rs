//! From the text of a table to what the call expands to: the machine, or the faults of the text.
//!
//! With faults the types are emitted too, as far as the text has names, so that the caller's own
//! code is not buried in errors that follow from the first.

use proc_macro2::TokenStream;
use quote::quote;
use turnstile_spec::literal::Document;
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_spec::{Faults, Literal, Source};

use crate::call::Call;
use crate::{Machine, emit, skeleton};

/// What `machine!` expands to.
#[must_use]
pub fn machine(call: &Call, source: Source) -> TokenStream {
    let tracked = call.tracked();
    let literal = match Literal::read(source) {
        Ok(literal) => literal,
        Err(faults) => {
            let (error, types) = (error(&faults), skeleton::types(call, &faults.source));
            return quote!(#error #tracked #types);
        }
    };
    let emit = |table: &Table, hash| emitted(call, &literal, table, hash);
    let (error, module) = match literal.amended() {
        Ok(sound) => (None, emit(&sound.table, sound.hash)),
        Err(faults) => (Some(error(&faults)), emit(&literal.without(&[]).table, 0)),
    };
    quote!(#error #tracked #module)
}

/// What `system!` expands to.
#[cfg(feature = "systems")]
#[must_use]
pub fn system(call: &Call, source: Source) -> TokenStream {
    let tracked = call.tracked();
    let (error, module) = match turnstile_spec::System::read(source) {
        Ok(system) => (None, Some(crate::system::emit(&system))),
        Err(faults) => (Some(error(&faults)), None),
    };
    quote!(#error #tracked #module)
}

fn emitted(call: &Call, literal: &Literal, table: &Table, hash: u64) -> TokenStream {
    let vocabulary: &Vocabulary = &literal.vocabulary;
    let title = literal.document.as_ref().map_or("", title);
    let diagram = call.diagram.as_deref();
    emit(&Machine { vocabulary, table, title, hash, diagram }, call.extras)
}

fn title(document: &Document) -> &str {
    if document.title.is_empty() { &document.file } else { &document.title }
}

fn error(faults: &Faults) -> TokenStream {
    let count = match faults.list.len() {
        1 => "a fault".to_owned(),
        count => format!("{count} faults"),
    };
    let text = format!("{} has {count}\n\n{}", faults.source.name, faults.render());
    quote!(::core::compile_error!(#text);)
}
