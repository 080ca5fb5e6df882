#![doc = include_str!("../README.md")]
//!
//! # Design
//!
//! Five stages, each of which knows only the one before: the formats of documents
//! (`document/`: tables as grids with places), the meaning of columns (`roles`, `collect`), rows
//! (`rows`, `matrix`, `phrase`), what the words say of timers, requests, payloads and states
//! (`infer/`), and the text of the table file (`write`).

mod cells;
pub mod code;
mod collect;
mod document;
mod draft;
mod fault;
mod grid;
mod infer;
mod matrix;
mod message;
mod missing;
mod phrase;
mod place;
mod resolve;
mod roles;
mod rows;
mod title;
mod write;
mod yaml;

use turnstile_spec::{Diagnostic, Diagnostics, Severity, Source, WrittenTable, limit};

use crate::place::LineIndex;

/// What to read besides the document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'o> {
    /// A heading, or a part of it: the table of transitions below it is meant.
    pub section: Option<&'o str>,
    /// A file with a table of cells that cannot happen: State, Event, Because.
    pub cells: Option<&'o Source>,
}

/// A table file made of a document.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The name of the machine.
    pub machine: String,
    /// The text of the file.
    pub text: String,
    /// Warnings of what is not imported, and every guess as a note, in the document's order.
    pub notes: Vec<Diagnostic>,
}

/// Makes a table file of a document. The ending of its name decides about its format.
///
/// # Errors
///
/// What is not understood, at its place in the document or in the file of cells.
pub fn import(source: &Source, options: Options<'_>) -> Result<Imported, Diagnostics> {
    let refused = |source: &Source, mut list: Vec<Diagnostic>| {
        list.sort_by_key(|fault| (fault.span().start, fault.code));
        list.truncate(limit::DIAGNOSTICS);
        Diagnostics { source: source.clone(), list }
    };
    let is_error = |fault: &Diagnostic| fault.severity == Severity::Error;
    if let Some(fault) = document::unreadable(source) {
        return Err(refused(source, vec![fault]));
    }
    let tables = document::read(source).map_err(|fault| refused(source, vec![*fault]))?;
    let lines = LineIndex::of(&source.text);
    let (mut faults, mut of_cells) = (Vec::new(), Vec::new());
    let collected = collect::collect(source, &tables, options.section, &lines, &mut faults);
    let Some((mut draft, remarks)) = collected else { return Err(refused(source, faults)) };
    title::name(source, &mut draft);
    let add_cells = |draft: &mut draft::Draft| {
        if let Some(cells) = options.cells {
            cells::read(cells, draft, &mut of_cells);
        }
    };
    infer::infer(&mut draft, &remarks, add_cells, &mut faults);
    if faults.iter().any(is_error) {
        return Err(refused(source, faults));
    }
    if let Some(cells) = options.cells.filter(|_| !of_cells.is_empty()) {
        return Err(refused(cells, of_cells));
    }
    let text = write::file(&draft);
    // What the language itself refuses, such as more rows in one cell than it allows.
    WrittenTable::read(Source::new(format!("{}.yaml", draft.machine), text.as_str()))?;
    faults.extend(write::notes(&draft));
    faults.sort_by_key(|fault| fault.span().start);
    Ok(Imported { machine: draft.machine, text, notes: faults })
}
