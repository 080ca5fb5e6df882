//! The lint passes, one per file: each checks a whole table and reports what it finds.

mod amendments;
mod balance;
mod citations;
mod completions;
mod conflicts;
mod context;
mod counts;
mod coverage;
mod final_states;
mod formulas;
mod naming;
mod patterns;
mod payloads;
mod reach;
mod resources;
mod variables;

use crate::diagnostic::Diagnostic;
use crate::limit;
use crate::raw;
use crate::read::amend::RowIndex;

pub(crate) use context::LintContext;

/// Errors in files whose keys and values all have the right types.
pub(crate) fn errors(raw: &raw::Table, diagnostics: &mut Vec<Diagnostic>) {
    counts::check(raw, diagnostics);
    naming::names::title(raw, diagnostics);
    payloads::check(raw, diagnostics);
}

/// Findings that are reported even if the file has errors, because no misspelt key elsewhere can
/// cause them.
pub(crate) fn sure(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    run(cx, &[naming::names::check, patterns::check, conflicts::check])
}

/// Findings about names before misspelt ones are corrected: undeclared names, each once, and
/// duplicates in lists.
pub(crate) fn names(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    run(cx, &[naming::undeclared::check, formulas::names, resources::lists])
}

/// Findings about names and patterns alone.
pub(crate) fn spelling(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    run(cx, &[naming::names::check, patterns::check])
}

/// Warnings and notes on a table without findings.
pub(crate) fn warnings(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    run(
        cx,
        &[
            coverage::covered::check,
            coverage::impossible::check,
            coverage::unspecified::check,
            naming::texts::check,
        ],
    )
}

/// All findings on a table.
pub(crate) fn findings(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    let passes: &[Pass] = &[
        naming::names::check,
        patterns::check,
        formulas::check,
        conflicts::check,
        coverage::cells::check,
        reach::check,
        final_states::check,
        completions::check,
        naming::generic::check,
        resources::check,
        coverage::timers::check,
        variables::check,
        naming::unused::check,
        citations::check,
    ];
    run(cx, passes)
}

/// Findings on a table that was changed after it was built: the passes that read only the table,
/// not the file.
pub(crate) fn built(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    let passes: &[Pass] = &[
        conflicts::check,
        coverage::cells::check,
        reach::built,
        final_states::check,
        completions::built,
        resources::check,
    ];
    run(cx, passes)
}

type Pass = fn(&LintContext<'_>, &mut Vec<Diagnostic>);

fn run(cx: &LintContext<'_>, passes: &[Pass]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for pass in passes {
        pass(cx, &mut diagnostics);
        diagnostics.truncate(limit::DIAGNOSTICS);
    }
    diagnostics
}

/// Findings on the amendments, except for those that match no row.
pub(crate) fn amendments(cx: &LintContext<'_>, listed: &RowIndex) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    amendments::check(cx, listed, &mut diagnostics);
    diagnostics
}
