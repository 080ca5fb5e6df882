//! Cells under `unspecified`: the document leaves open what the event does. They are told, so that
//! nobody takes them for decided.

use crate::diagnostic::{CellWords, Diagnostic, code};
use crate::lint::context::LintContext;
use crate::lint::coverage::cells::words;
use crate::table::{Cell, CellKind};

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for entry in &cx.lookup.draft.parts.unspecified {
        let is_of = |cell: &&Cell| cell.kind == CellKind::Unspecified && cell.span == entry.span;
        let cells: Vec<&Cell> = cx.table.cells.iter().filter(is_of).collect();
        let many = match cells.len() {
            1 => "1 cell is".to_owned(),
            count => format!("{count} cells are"),
        };
        let in_words = |cell: &&Cell| CellWords {
            state: cx.state(cell.state).to_owned(),
            event: words(&cx.lookup.vocabulary.events[cell.event.index()], &cell.pattern)
                .trim_matches('"')
                .to_owned(),
        };
        let diagnostic = Diagnostic::warning(code::UNSPECIFIED, format!("{many} unspecified"))
            .label(entry.span, "the document does not say what happens here")
            .help("an event that reaches such a cell is unhandled: decide it by an amendment")
            .cells(cells.iter().map(in_words).collect());
        diagnostics.push(diagnostic);
    }
}
