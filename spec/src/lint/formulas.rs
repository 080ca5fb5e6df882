//! Invalid rules, invariants and loops.

use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, code, merge};
use crate::formula::Evaluator;
use crate::lint::context::LintContext;
use crate::raw::Row;
use crate::read::formula;
use crate::table::{ActionCall, Row as Built};

/// Undeclared names in formulas and loops, except for those already reported in rows; and formulas
/// without an evaluator, which a corrected text may have because of its corrections.
pub(super) fn names(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let told = diagnostics.iter().filter(|diagnostic| diagnostic.code == code::UNDECLARED_STATE);
    let told: Vec<&str> = told.filter_map(named).collect();
    let mut found = Vec::new();
    all(cx, &mut found);
    let unanswered: Vec<Diagnostic> =
        found.extract_if(.., |diagnostic| diagnostic.code == code::NO_EVALUATOR).collect();
    found.retain(|diagnostic| {
        let is_told = named(diagnostic).is_some_and(|name| told.contains(&name));
        diagnostic.code == code::UNDECLARED_PREDICATE && !is_told
    });
    let mut names: Vec<Diagnostic> = Vec::new();
    for diagnostic in found {
        match names.iter_mut().find(|known| named(known) == named(&diagnostic)) {
            Some(known) => known.also(diagnostic.span()),
            None => names.push(diagnostic),
        }
    }
    diagnostics.extend(names);
    diagnostics.extend(unanswered);
}

/// The name that a diagnostic's message speaks of.
fn named(diagnostic: &Diagnostic) -> Option<&str> {
    diagnostic.message.split('`').nth(1)
}

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut found = Vec::new();
    all(cx, &mut found);
    found.retain(|diagnostic| {
        ![code::UNDECLARED_PREDICATE, code::NO_EVALUATOR].contains(&diagnostic.code)
    });
    merge(&mut found, &[code::ARGUMENTS]);
    diagnostics.extend(found);
}

fn all(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let parts = &cx.lookup.draft.parts;
    for (name, rule) in parts.all_rules() {
        if let Err(mut more) = formula::resolve(cx.lookup, name, rule) {
            merge(&mut more, &[code::VARIABLE]);
            diagnostics.extend(more);
        }
    }
    for (name, rule) in &parts.invariants {
        if let Some(word) = rule.of.first() {
            let diagnostic = Diagnostic::finding(
                code::INVALID_FORMULA,
                format!("the invariant `{}` has a parameter", name.text),
            )
            .label(word.span, "an invariant takes no parameters")
            .help(format!("quantify in the formula: `every: {} in …`", word.text));
            diagnostics.push(diagnostic);
        }
    }
    for (_, row) in &cx.lookup.draft.rows {
        entries(cx, row, diagnostics);
    }
    cx.table.rows.iter().for_each(|row| done(cx, row, diagnostics));
}

fn entries(cx: &LintContext<'_>, row: &Row, diagnostics: &mut Vec<Diagnostic>) {
    for (span, what) in &row.faulty {
        let diagnostic = Diagnostic::finding(code::INVALID_ACTIONS, "invalid entry of `do`")
            .label(*span, *what)
            .help(
                "write an action, `{ if: GUARD, do: […] }` or `{ for each: COLLECTION, do: […] }`",
            );
        diagnostics.push(diagnostic);
    }
    let collections = &cx.lookup.vocabulary.formulas.collections;
    for one in &row.loops {
        let word = &one.collection;
        let Some(known) = collections.iter().find(|known| known.name.name == word.text) else {
            let known = collections.iter().map(|one| one.name.name.as_str());
            let help = match nearest(&word.text, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "declare it under `collections`".to_owned(),
            };
            let message = format!("collection `{}` is not declared", word.text);
            let diagnostic = Diagnostic::finding(code::UNDECLARED_PREDICATE, message)
                .label(word.span, "no such collection");
            diagnostics.push(diagnostic.help(help));
            continue;
        };
        let name = &word.text;
        let (code, message, label, help) = if !known.params.is_empty() {
            (
                code::INVALID_ACTIONS,
                format!("`for each` over a collection with parameters: `{name}`"),
                "a row has no arguments to pass",
                "loop over a collection that has no `of`",
            )
        } else if !known.evaluators.has(Evaluator::Row) {
            (
                code::NO_EVALUATOR,
                format!("no row can loop over `{name}`"),
                "`for each` needs a collection with `asked of: row`",
                "add `row` to its `asked of`",
            )
        } else {
            continue;
        };
        let diagnostic = Diagnostic::finding(code, message)
            .label(word.span, label)
            .label(known.name.span, "declared here")
            .help(help);
        diagnostics.push(diagnostic);
    }
}

/// A loop may not change resources, because a state holds each at most once.
fn done(cx: &LintContext<'_>, row: &Built, diagnostics: &mut Vec<Diagnostic>) {
    for ActionCall { action, ops, each } in &row.actions {
        if each.is_none() || ops.is_empty() {
            continue;
        }
        let name = &cx.lookup.vocabulary.actions[action.index()];
        let diagnostic = Diagnostic::finding(
            code::INVALID_ACTIONS,
            format!("action `{}` changes a resource in a loop", name.name),
        )
        .label(cx.row_at(row.id), "runs once per element of the collection")
        .label(name.span, "changes a resource, which a state holds at most once")
        .help("take the action out of the loop");
        if diagnostics
            .iter()
            .all(|known| known.span() != diagnostic.span() || known.code != code::INVALID_ACTIONS)
        {
            diagnostics.push(diagnostic);
        }
    }
}
