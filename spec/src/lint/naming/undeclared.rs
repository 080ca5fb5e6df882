//! Undeclared states, events, actions, resources and guards, each with the most similar declared
//! name.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::code;
use crate::diagnostic::similarity::nearest;
use crate::limit;
use crate::lint::context::LintContext;
use crate::raw::{Sections, keys};
use crate::read::draft::KINDS;
use crate::read::pattern::{self, PatternError};
use crate::vec_map::VecSet;
use crate::yaml::Word;

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let draft = cx.lookup.draft;
    for (_, row) in &draft.rows {
        for word in &row.from {
            if word.text != "any" && cx.lookup.set(&word.text).is_none() {
                state(cx, word, diagnostics);
            }
        }
        if row.to.text != "same" {
            state(cx, &row.to, diagnostics);
        }
        row.event.iter().for_each(|word| event(cx, word, diagnostics));
        row.actions.iter().for_each(|word| action(cx, word, diagnostics));
        row.guards().iter().for_each(|word| guard(cx, word, diagnostics));
    }
    for (_, state) in &draft.parts.states {
        state.actions().for_each(|word| action(cx, word, diagnostics));
    }
    replaced(cx, diagnostics);
    for (_, set) in &draft.parts.sets {
        set.states.iter().for_each(|word| state(cx, word, diagnostics));
    }
    for cell in draft.parts.cells() {
        for word in &cell.states {
            if word.text != "any" && cx.lookup.set(&word.text).is_none() {
                state(cx, word, diagnostics);
            }
        }
        cell.events.iter().for_each(|word| event(cx, word, diagnostics));
    }
    held(cx, diagnostics);
    let told = draft.parts.actions.iter().filter_map(|(_, action)| action.tells.as_ref());
    told.for_each(|word| event(cx, word, diagnostics));
}

/// The names in rows, and in what states hold, of amendments that other amendments have changed or
/// removed. Names that the file declares anywhere are accepted.
fn replaced<'a>(cx: &LintContext<'a>, diagnostics: &mut Vec<Diagnostic>) {
    let (mut states, mut actions, mut guards) =
        (VecSet::default(), VecSet::default(), VecSet::default());
    let mut resources = VecSet::default();
    let mut declare = |parts: &'a Sections| {
        states.add_all(parts.places());
        actions.add_all(keys(&parts.actions));
        guards.add_all(keys(&parts.guards));
        resources.add_all(keys(&parts.resources));
    };
    declare(&cx.raw.parts);
    cx.raw.amendments.iter().for_each(|amendment| declare(&amendment.add));
    states.add_all(["any", "same"]);
    let is_new = |known: &VecSet<&str>, word: &Word| !known.has(word.text.as_str());
    for row in &cx.lookup.draft.replaced {
        for word in row.from.iter().chain([&row.to]).filter(|word| is_new(&states, word)) {
            state(cx, word, diagnostics);
        }
        for word in row.actions.iter().filter(|word| is_new(&actions, word)) {
            action(cx, word, diagnostics);
        }
        for word in row.guards().into_iter().filter(|word| is_new(&guards, word)) {
            guard(cx, word, diagnostics);
        }
        row.event.iter().for_each(|word| event(cx, word, diagnostics));
    }
    let parts = &cx.lookup.draft.parts;
    let in_force: Vec<&[Word]> = parts.resource_lists();
    let is_in_force = |list: &[Word]| in_force.contains(&list);
    let added = cx.raw.amendments.iter().flat_map(|amendment| amendment.add.resource_lists());
    for word in added.filter(|list| !is_in_force(list)).flatten() {
        let is_kind = KINDS.iter().any(|(kind, _)| *kind == word.text);
        if !is_kind && is_new(&resources, word) {
            let known = keys(&parts.resources);
            undeclared(diagnostics, code::UNDECLARED_RESOURCE, "resource", word, known);
        }
    }
}

fn undeclared(
    diagnostics: &mut Vec<Diagnostic>,
    code: &'static str,
    what: &str,
    word: &Word,
    known: Vec<&str>,
) {
    // A value that is not there is reported as one of the wrong type; `""` has two characters.
    let is_absent = word.text.is_empty() && word.span.end < word.span.start + 2;
    if is_absent || diagnostics.len() >= limit::DIAGNOSTICS {
        return;
    }
    let message = format!("{what} `{}` is not declared", word.text);
    // A misspelt name is reported once, however often it is used.
    let same =
        |diagnostic: &&mut Diagnostic| diagnostic.code == code && diagnostic.message == message;
    if let Some(diagnostic) = diagnostics.iter_mut().find(same) {
        return diagnostic.also(word.span);
    }
    let help = match nearest(&word.text, known.into_iter()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("declare it, or use a declared {what}"),
    };
    let diagnostic = Diagnostic::finding(code, message).label(word.span, format!("no such {what}"));
    diagnostics.push(diagnostic.help(help));
}

fn state(cx: &LintContext<'_>, word: &Word, diagnostics: &mut Vec<Diagnostic>) {
    if cx.lookup.declaration(&word.text).is_some() {
        return;
    }
    let parts = &cx.lookup.draft.parts;
    let declared = parts.states.iter().filter(|(_, state)| !state.undeclared);
    let mut known: Vec<&str> = declared.map(|(name, _)| name.text.as_str()).collect();
    known.extend(keys(&parts.sets));
    known.extend(["any", "same"]);
    undeclared(diagnostics, code::UNDECLARED_STATE, "state", word, known);
}

fn event(cx: &LintContext<'_>, word: &Word, diagnostics: &mut Vec<Diagnostic>) {
    let name = match pattern::event(&word.text, cx.lookup.vocabulary) {
        Err(PatternError::Undeclared(name)) => name,
        Err(_) => return,
        Ok((id, _)) => {
            let name = cx.lookup.vocabulary.events[id.index()].name.name.clone();
            if cx.lookup.event(id).is_some() {
                return;
            }
            name
        }
    };
    let known = keys(&cx.lookup.draft.parts.events);
    let word = Word { text: name, span: word.span };
    undeclared(diagnostics, code::UNDECLARED_EVENT, "event", &word, known);
}

fn action(cx: &LintContext<'_>, word: &Word, diagnostics: &mut Vec<Diagnostic>) {
    if cx.lookup.action_declaration(&word.text).is_none() {
        let known = keys(&cx.lookup.draft.parts.actions);
        undeclared(diagnostics, code::UNDECLARED_ACTION, "action", word, known);
    }
}

fn guard(cx: &LintContext<'_>, word: &Word, diagnostics: &mut Vec<Diagnostic>) {
    let guards = &cx.lookup.draft.parts.guards;
    if guards.iter().all(|(name, _)| name.text != word.text) {
        let known = keys(guards);
        undeclared(diagnostics, code::UNDECLARED_GUARD, "guard", word, known);
    }
}

/// Undeclared resources of states, events, actions and generic names.
fn held(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let parts = &cx.lookup.draft.parts;
    for word in parts.resource_lists().into_iter().flatten() {
        let is_kind = KINDS.iter().any(|(kind, _)| *kind == word.text);
        if !is_kind && !cx.lookup.declares_resource(&word.text) {
            let known = keys(&parts.resources);
            undeclared(diagnostics, code::UNDECLARED_RESOURCE, "resource", word, known);
        }
    }
}
