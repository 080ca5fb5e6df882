//! The types of a text with errors: the names that it has, and no rows.
//!
//! They are emitted beside the errors, so that the compiler does not also report every use of a
//! name in the caller's code.

use std::collections::BTreeSet;
use std::path::Path;

use proc_macro2::TokenStream;
use turnstile_spec::formula::Symbols;
use turnstile_spec::table::{Event, Name, PayloadDomain, Resource, State, Table, Vocabulary};
use turnstile_spec::{Source, WrittenTable};

use crate::call::Call;
use crate::text::document::is_variant;
use crate::{Machine, emit};

/// The module of a machine without rows.
pub(crate) fn types(call: &Call, source: &Source) -> TokenStream {
    let mut names = WrittenTable::names(source);
    if names.machine.is_empty() {
        names.machine = file_name(&call.path);
    }
    clean(&mut names);
    let table =
        Table { states: vec![Some(State::default()); names.states.len()], ..Table::default() };
    let machine = Machine { vocabulary: &names, table: &table, title: "", hash: 0, diagram: None };
    emit(&machine, call.options)
}

fn file_name(path: &str) -> String {
    let stem = Path::new(path).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Leaves names that can stand as variants, each once; a machine has at least one state.
fn clean(names: &mut Vocabulary) {
    once(&mut names.states, |name| name);
    once(&mut names.events, |event: &Event| &event.name);
    once(&mut names.actions, |name| name);
    once(&mut names.resources, |resource: &Resource| &resource.name);
    once(&mut names.guards, |name| name);
    names.formulas = Symbols::default();
    names.tells.clear();
    names.variables.clear();
    names.rows.clear();
    for event in &mut names.events {
        event.consumes.clear();
        let payload = event.payload.as_mut();
        let Some(payload) = payload else { continue };
        if let PayloadDomain::Words(words) = &mut payload.domain {
            once(words, |name| name);
            if words.is_empty() {
                event.payload = None;
            }
        }
    }
    if names.states.is_empty() {
        names.states.push(Name {
            name: "unreadable".to_owned(),
            ident: "Unreadable".to_owned(),
            about: String::new(),
            cite: Vec::new(),
            declared: true,
            span: turnstile_spec::diagnostic::Span::default(),
        });
    }
}

fn once<T>(list: &mut Vec<T>, name: fn(&T) -> &Name) {
    let mut seen = BTreeSet::new();
    list.retain(|it| is_variant(&name(it).ident) && seen.insert(name(it).ident.clone()));
}
