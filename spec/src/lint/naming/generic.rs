//! Generic names of resources that match none or several of those that the row's states hold.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::code;
use crate::lint::context::{LintContext, listed};
use crate::lint::naming::unknowns::Unknowns;
use crate::raw;
use crate::read::build::{self, ExpandedRow};
use crate::table::{ResourceId, StateId};
use crate::vec_map::VecSet;
use crate::yaml::Word;

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    if Unknowns::of(cx).is_of_resources {
        return;
    }
    // A resource with the name of a kind is reported as such.
    let resources = &cx.lookup.draft.parts.resources;
    let is_taken = |word: &Word| {
        let mut named = resources.iter().filter(|(name, _)| name.text == word.text);
        named.any(|(_, resource)| resource.any_of.is_none())
    };
    for (id, row) in &cx.lookup.draft.rows {
        let mut said = VecSet::default();
        for at in build::expand(cx.lookup, row) {
            let mut put = |word: &Word, state: StateId, verb: &str, key: &str| {
                let held = build::held(&cx.table.states, state);
                let is_general = cx.lookup.general(&word.text).is_some();
                let meant = build::resolve(cx.lookup, &word.text, &held);
                if let (true, Err(meant)) = (is_general && !is_taken(word), meant)
                    && said.add((word.text.clone(), state, key.to_owned()))
                {
                    let diagnostic = diagnostic(cx, word, cx.state(state), &meant);
                    let diagnostic = diagnostic
                        .label(cx.row_at(*id), format!("`{key}` {verb} it"))
                        .label(word.span, "the generic name");
                    diagnostics.push(diagnostic);
                }
            };
            words(cx, row, &at, &mut put);
        }
    }
}

/// Every resource that a row names, with the state whose resources resolve a generic name.
fn words(
    cx: &LintContext<'_>,
    row: &raw::Row,
    at: &ExpandedRow,
    put: &mut impl FnMut(&Word, StateId, &str, &str),
) {
    let event = cx.lookup.event(at.event);
    for word in event.and_then(|event| event.consumes.as_deref()).unwrap_or_default() {
        put(word, at.from, "consumes", cx.event(at.event));
    }
    for name in &row.actions {
        let Some(action) = cx.lookup.action_declaration(&name.text) else { continue };
        for (words, state, verb) in [
            (&action.abandons, at.from, "abandons"),
            (&action.deletes, at.from, "deletes"),
            (&action.restarts, at.from, "restarts"),
            (&action.creates, at.to, "creates"),
        ] {
            for word in words.as_deref().unwrap_or_default() {
                put(word, state, verb, &name.text);
            }
        }
    }
}

fn diagnostic(cx: &LintContext<'_>, word: &Word, state: &str, meant: &[ResourceId]) -> Diagnostic {
    let names = listed(meant.iter().map(|id| cx.resource(*id)));
    let (message, help) = if meant.is_empty() {
        let message = format!("`{}` matches no resource that `{state}` holds", word.text);
        (message, format!("add the resource to `holds` of `{state}`, or name the resource itself"))
    } else {
        let message = format!("ambiguous resource: `{}` matches {names} in `{state}`", word.text);
        (message, "name the intended resource".to_owned())
    };
    Diagnostic::finding(code::AMBIGUOUS_RESOURCE, message).help(help)
}
