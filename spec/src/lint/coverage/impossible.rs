//! Commands declared impossible. The user or the environment causes a command, at any time, so no
//! table and no system can verify such an entry.

use crate::diagnostic::{CellWords, Diagnostic, code};
use crate::lint::context::{LintContext, listed};
use crate::lint::coverage::cells::words;
use crate::table::{Cell, CellKind, EventId, EventKind};
use crate::vec_map::{VecMap, VecSet};

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut entries: VecMap<(u32, EventId), Vec<&Cell>> = VecMap::default();
    for cell in &cx.table.cells {
        let event = &cx.lookup.vocabulary.events[cell.event.index()];
        let state = cx.table.states[cell.state.index()].as_ref();
        let is_open = state.is_some_and(|state| !state.is_final);
        if cell.kind == CellKind::Impossible && event.kind == EventKind::Command && is_open {
            entries.entry((cell.span.start, cell.event)).push(cell);
        }
    }
    for ((_, event), cells) in entries.iter() {
        let span = cells.first().map(|cell| cell.span).unwrap_or_default();
        let name = cx.event(*event);
        let mut states = VecSet::default();
        states.add_all(cells.iter().map(|cell| cx.state(cell.state)));
        let states = listed(states.iter().map(|(state, ())| *state));
        let in_words = |cell: &&Cell| CellWords {
            state: cx.state(cell.state).to_owned(),
            event: words(&cx.lookup.vocabulary.events[event.index()], &cell.pattern)
                .trim_matches('"')
                .to_owned(),
        };
        let diagnostic = Diagnostic::warning(
            code::IMPOSSIBLE_COMMAND,
            format!("the command `{name}` is declared impossible in {states}"),
        )
        .label(span, "a command may arrive in any state, at any time")
        .help(format!(
            "add a row, or, where `{name}` changes nothing, move the entry to `ignore`; if another \
             machine sends `{name}`, declare it `kind: message`"
        ))
        .cells(cells.iter().map(in_words).collect());
        diagnostics.push(diagnostic);
    }
}
