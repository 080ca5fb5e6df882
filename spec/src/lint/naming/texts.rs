//! Texts that probably do not say what is meant: a formula as the description of a guard, and the
//! placeholder of a suggested edit as a reason.

use crate::diagnostic::{Diagnostic, code};
use crate::lint::context::LintContext;
use crate::raw::keys;
use crate::variable::Relation;

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    described(cx, diagnostics);
    placeholders(cx, diagnostics);
}

/// Guards without a formula whose text compares a variable.
fn described(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let parts = &cx.lookup.draft.parts;
    let formulas = [keys(&parts.guard_formulas), keys(&parts.guard_comparisons)].concat();
    for (word, guard) in &parts.guards {
        let text = &guard.about;
        let has_formula = formulas.contains(&word.text.as_str());
        if has_formula || !Relation::is_in(text) {
            continue;
        }
        let mut variables = parts.variables.iter().map(|(name, _)| name.text.as_str());
        let Some(variable) = variables.find(|name| has_word(text, name)) else { continue };
        let name = &word.text;
        let message = format!("the text of guard `{name}` is a description, not a formula");
        let diagnostic = Diagnostic::warning(code::INVALID_VARIABLE, message)
            .label(word.span, format!("names the variable `{variable}`, but does not read it"))
            .help(format!("a formula needs `is`: `{name}: {{ is: {variable} = payload }}`"));
        diagnostics.push(diagnostic);
    }
}

/// Whether a text has this name, and not only as a part of another word.
fn has_word(text: &str, name: &str) -> bool {
    let is_end = |one: Option<char>| !one.is_some_and(char::is_alphanumeric);
    text.match_indices(name).any(|(at, _)| {
        let rest = &text[at + name.len()..];
        is_end(text[..at].chars().next_back()) && is_end(rest.chars().next())
    })
}

/// Entries under `ignore` and `impossible` whose reason is `…`.
fn placeholders(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for cell in cx.lookup.draft.parts.cells() {
        if ["…", "..."].contains(&cell.because.trim()) {
            let message = "the reason is a placeholder";
            let diagnostic = Diagnostic::warning(code::PLACEHOLDER, message)
                .label(cell.span, format!("`because: {}`", cell.because.trim()))
                .help("say why the event changes nothing, or cannot occur, in these states");
            diagnostics.push(diagnostic);
        }
    }
}
