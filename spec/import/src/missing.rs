//! What to say of a document without a table of transitions, or with several.

use turnstile_spec::diagnostic::Span;
use turnstile_spec::{Diagnostic, Source};

use crate::code;
use crate::fault::error;
use crate::grid::{Grid, Tables, lower};
use crate::place::lines;

/// How many lines that read like transitions are shown.
const SHOWN: usize = 4;

/// No table of transitions: the places that read like one.
pub(crate) fn none(source: &Source, tables: &Tables, section: Option<&str>) -> Diagnostic {
    let columns = "| Source | Destination | Condition | Actions |";
    if let Some(section) = section {
        let mut sections: Vec<String> =
            tables.grids.iter().map(|grid| format!("`{}`", grid.section)).collect();
        sections.dedup();
        let message = format!("no table of transitions stands under a heading `{section}`");
        let fault = error(code::NO_TRANSITIONS, Span::default(), message).label("in this document");
        return fault.help(match sections.is_empty() {
            true => "the document has no tables".to_owned(),
            false => format!("headings with tables: {}", sections.join(", ")),
        });
    }
    if let Some(grid) = tables.grids.first() {
        let names: Vec<&str> = grid.header.cells.iter().map(|cell| cell.text.as_str()).collect();
        let message = "no table has the columns of a table of transitions";
        let label = format!("columns: {}", names.join(", "));
        let mut fault = error(code::NO_TRANSITIONS, grid.header.span, message).label(label);
        for other in tables.grids.iter().skip(1).take(SHOWN) {
            fault = fault.also(other.header.span, "nor has this");
        }
        return fault.help(format!("name the columns: {columns}"));
    }
    let mut found =
        lines(&source.text).filter(|(_, line)| is_telling(line)).map(|(start, line)| {
            let start = start + line.len() - line.trim_start().len();
            Span::of(&(start..start + line.trim().len()))
        });
    let Some(first) = found.next() else {
        let fault = error(code::NO_TRANSITIONS, Span::default(), "the document has no tables");
        return fault.label("no line of it is a table").help(format!("write one: {columns}"));
    };
    let message = "the document has no tables: its transitions are in sentences";
    let mut fault = error(code::NO_TRANSITIONS, first, message).label("a row for this, and so on");
    for other in found.take(SHOWN - 1) {
        fault = fault.also(other, "and this");
    }
    fault.help(format!("write each as a row of a table: {columns}"))
}

/// Whether a line reads like the beginning of a transition.
fn is_telling(line: &str) -> bool {
    let line = lower(line.trim().trim_start_matches(['-', '*', '.', ' ']));
    ["on reception", "on receipt", "upon ", "when ", "if ", "case "]
        .iter()
        .any(|word| line.starts_with(word))
        || (line.contains("->") && !line.contains("->>"))
        || line.ends_with("::")
}

/// Several tables of transitions.
pub(crate) fn several(grids: &[&Grid]) -> Diagnostic {
    let first = grids[0];
    let message = format!("the document has {} tables of transitions", grids.len());
    let mut fault = error(code::SEVERAL, first.header.span, message).label(under(first));
    for other in grids.iter().skip(1).take(SHOWN) {
        fault = fault.also(other.header.span, under(other));
    }
    fault.help("choose one by its heading: --section HEADING")
}

fn under(grid: &Grid) -> String {
    if grid.section.is_empty() {
        return "without a heading".to_owned();
    }
    format!("under `{}`", grid.section)
}
