//! Rows from final states, which are never taken.

use crate::diagnostic::{Diagnostic, code};
use crate::lint::context::LintContext;
use crate::vec_map::VecSet;

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut said = VecSet::default();
    for row in &cx.table.rows {
        let state = cx.table.states[row.from.index()].as_ref();
        if state.is_some_and(|state| state.is_final) && said.add((row.id, row.from)) {
            let name = cx.state(row.from);
            let mut diagnostic = Diagnostic::finding(
                code::ROW_FROM_FINAL,
                format!("a row leaves the final state `{name}`"),
            )
            .label(cx.row_at(row.id), format!("{} is never taken", cx.row(row.id)));
            if let Some(span) = cx.declared_at(row.from) {
                diagnostic = diagnostic.label(span, "`final: true`");
            }
            diagnostics
                .push(diagnostic.help(format!("remove the row, or `final: true` from `{name}`")));
        }
    }
}
