//! Initial, unreachable and trap states.

use crate::diagnostic::{Diagnostic, Span, code};
use crate::lint::context::LintContext;
use crate::lint::naming::unknowns::Unknowns;
use crate::table::StateId;
use crate::vec_map::VecSet;

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    if Unknowns::of(cx).is_of_states {
        begins(cx, &initial(cx), diagnostics);
    } else {
        follow(cx, &edges(cx), diagnostics);
    }
}

/// The same for a table whose rows differ from those of the file.
pub(super) fn built(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let rows = cx.table.rows.iter();
    let edges: Vec<(StateId, StateId)> = rows.map(|row| (row.from, row.to)).collect();
    follow(cx, &edges, diagnostics);
}

fn follow(cx: &LintContext<'_>, edges: &[(StateId, StateId)], diagnostics: &mut Vec<Diagnostic>) {
    let initial = initial(cx);
    begins(cx, &initial, diagnostics);
    if !initial.is_empty() {
        unreachable(cx, &initial, edges, diagnostics);
    }
    no_way_out(cx, edges, diagnostics);
}

/// The initial states.
fn initial(cx: &LintContext<'_>) -> Vec<StateId> {
    let is_initial =
        |id: &StateId| cx.table.states[id.index()].as_ref().is_some_and(|state| state.initial);
    declared(cx).filter(is_initial).collect()
}

/// The states that the table declares.
fn declared(cx: &LintContext<'_>) -> impl Iterator<Item = StateId> {
    let ids = (0u16..).map(StateId).zip(&cx.table.states);
    ids.filter(|(id, state)| state.is_some() && cx.declared_at(*id).is_some()).map(|(id, _)| id)
}

/// The edges of all rows, also of those with an undeclared event.
fn edges(cx: &LintContext<'_>) -> Vec<(StateId, StateId)> {
    let mut edges = Vec::new();
    for (_, row) in &cx.lookup.draft.rows {
        for from in row.from.iter().flat_map(|word| cx.lookup.sources(&word.text)) {
            let to = cx.lookup.state(&row.to.text);
            edges.push((from, to.unwrap_or(from)));
        }
    }
    edges
}

/// Reports a table without an initial state.
fn begins(cx: &LintContext<'_>, initial: &[StateId], diagnostics: &mut Vec<Diagnostic>) {
    if !initial.is_empty() {
        return;
    }
    let diagnostic = Diagnostic::finding(code::INITIAL_STATE, "no state is initial")
        .label(cx.raw.machine.span, "no state has `initial: true`")
        .help("add `initial: true` to one state, or to each in which the machine may begin");
    diagnostics.push(diagnostic);
}

fn unreachable(
    cx: &LintContext<'_>,
    initial: &[StateId],
    edges: &[(StateId, StateId)],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut leads: Vec<Vec<StateId>> = vec![Vec::new(); cx.table.states.len()];
    for (from, to) in edges {
        leads[from.index()].push(*to);
    }
    let mut reached = VecSet::default();
    let mut next: Vec<StateId> = initial.to_vec();
    while let Some(state) = next.pop() {
        if reached.add(state) {
            next.extend(&leads[state.index()]);
        }
    }
    for id in declared(cx).filter(|id| !reached.has(id)) {
        let name = cx.state(id);
        let diagnostic =
            Diagnostic::finding(code::UNREACHABLE, format!("state `{name}` is unreachable"))
                .label(span(cx, id), "no row from a reachable state leads here")
                .help(format!("add a row that leads to `{name}`, or remove the state"));
        diagnostics.push(diagnostic);
    }
}

fn no_way_out(
    cx: &LintContext<'_>,
    edges: &[(StateId, StateId)],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut left = VecSet::default();
    left.add_all(edges.iter().filter(|(from, to)| from != to).map(|(from, _)| *from));
    for id in declared(cx).filter(|id| !left.has(id)) {
        let state = cx.table.states[id.index()].as_ref();
        if !state.is_some_and(|state| state.is_final || state.may_end) {
            let name = cx.state(id);
            let diagnostic = Diagnostic::finding(
                code::NO_EXIT,
                format!("no row leaves the non-final state `{name}`"),
            )
            .label(span(cx, id), "the machine would stay here for ever")
            .help(
                "add a row to another state, `final: true` where the machine ends, or `may end: \
                 true` where it stays and takes events",
            );
            diagnostics.push(diagnostic);
        }
    }
}

fn span(cx: &LintContext<'_>, id: StateId) -> Span {
    cx.declared_at(id).unwrap_or_default()
}
