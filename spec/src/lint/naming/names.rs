//! Rust identifiers of names: collisions, invalid identifiers, reserved names.

use std::collections::BTreeMap;

use crate::camel::{camel, is_title, is_variant};
use crate::diagnostic::{Diagnostic, Span, code};
use crate::lint::context::LintContext;
use crate::raw::{Declaration, Table};
use crate::read::draft::KINDS;
use crate::table::{Name, Payload, PayloadDomain};
use crate::vec_map::VecMap;
use crate::yaml::Word;

/// The values of a payload, which have no section.
const VALUES: &str = "values";

/// The sections whose names formulas use.
const FORMULAS: [&str; 4] = ["predicates", "collections", "rules", "invariants"];

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let names = cx.lookup.vocabulary;
    let given = given(cx.raw);
    let mut spelled = |section: &'static str, names: Vec<&Name>| {
        spelled(section, names, cx, &given, diagnostics);
    };
    spelled("states", names.states.iter().collect());
    spelled("events", names.events.iter().map(|event| &event.name).collect());
    spelled("actions", names.actions.iter().collect());
    spelled("resources", names.resources.iter().map(|resource| &resource.name).collect());
    spelled("guards", names.guards.iter().collect());
    spelled("variables", names.variables.iter().map(|variable| &variable.name).collect());
    let of = &names.formulas;
    let lists = [&of.predicates, &of.collections, &of.rules, &of.invariants];
    for (section, list) in FORMULAS.into_iter().zip(lists) {
        spelled(section, list.iter().map(|one| &one.name).collect());
    }
    for event in &names.events {
        if let Some(Payload { domain: PayloadDomain::Words(words), .. }) = &event.payload {
            spelled(VALUES, words.iter().collect());
        }
    }
    reserved(cx, diagnostics);
}

/// Invalid names of machines. An error: the table as written also becomes a file of that name.
pub(crate) fn title(raw: &Table, diagnostics: &mut Vec<Diagnostic>) {
    let word = &raw.machine;
    if *word != Word::default() && !is_title(&word.text) {
        diagnostics.push(Diagnostic::title("machine", &word.text, word.span));
    }
}

/// The identifiers that a file sets, by section and name.
type Given<'a> = VecMap<(&'static str, &'a str), &'a str>;

/// Every identifier that a file sets; the first for a name that amendments add again.
fn given(raw: &Table) -> Given<'_> {
    let mut given = Given::default();
    let added = raw.amendments.iter().rev().map(|amendment| &amendment.add);
    for parts in added.chain([&raw.parts]) {
        for Declaration { section, word, about } in parts.declared() {
            if let Some(ident) = &about.ident {
                given.insert((section, &word.text), &ident.text);
            }
        }
    }
    given
}

fn spelled(
    section: &'static str,
    names: Vec<&Name>,
    cx: &LintContext<'_>,
    given: &Given<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut taken: BTreeMap<String, Span> = BTreeMap::new();
    let advice = |what: &str| match section {
        VALUES => "choose another word: a value of a payload has no `ident`".to_owned(),
        section => format!("{what} in `{section}`: `ident: CamelCase`"),
    };
    for name in &names {
        // Undeclared names have diagnostics of their own.
        if !name.declared && !is_listed(cx, section, &name.name) {
            continue;
        }
        // The identifier before collisions are resolved by numbers.
        let own = given.get(&(section, name.name.as_str()));
        let (ident, is_given) =
            (own.map_or_else(|| camel(&name.name), |own| (*own).to_owned()), own.is_some());
        if !is_variant(&ident) {
            let message = format!("`{}` has no valid Rust identifier", name.name);
            let found = match (is_given, ident.is_empty()) {
                (true, _) => format!("`{ident}` is not a valid variant name"),
                (false, true) => "it contains no ASCII letter or digit".to_owned(),
                (false, false) => format!("`{ident}` is a Rust keyword"),
            };
            let diagnostic = Diagnostic::finding(code::INVALID_NAME, message)
                .label(name.span, found)
                .help(advice("set an identifier"));
            diagnostics.push(diagnostic);
            continue;
        }
        if let Some(first) = taken.get(&ident) {
            let twin = names.iter().find(|name| name.span == *first).map_or("", |name| &name.name);
            let message = format!("`{twin}` and `{}` are both `{ident}` in Rust", name.name);
            let diagnostic = Diagnostic::finding(code::COLLISION, message)
                .label(name.span, "the second")
                .label(*first, "the first")
                .help(advice("set another identifier for one of them"));
            diagnostics.push(diagnostic);
        } else {
            taken.insert(ident, name.span);
        }
    }
}

/// Whether a name that is not declared is listed as such, with `undeclared: true`.
fn is_listed(cx: &LintContext<'_>, section: &str, name: &str) -> bool {
    let mut states = cx.raw.parts.states.iter();
    section == "states" && states.any(|(word, _)| word.text == name)
}

/// Names that are reserved words of the language.
fn reserved(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let parts = &cx.lookup.draft.parts;
    let mut put_with = |word: &Word, what: &str, help: String| {
        let diagnostic = Diagnostic::finding(code::INVALID_NAME, format!("`{}` {what}", word.text))
            .label(word.span, "reserved or ambiguous name")
            .help(help);
        diagnostics.push(diagnostic);
    };
    for (word, resource) in &parts.resources {
        if resource.any_of.is_none() && KINDS.iter().any(|(kind, _)| *kind == word.text) {
            let what = "is reserved for all resources of that kind and cannot name one";
            let help = format!("name it after its purpose, such as `reservation {}`", word.text);
            put_with(word, what, help);
        }
    }
    let mut put = |word: &Word, what: &str| put_with(word, what, "choose another name".to_owned());
    for (word, _) in &parts.states {
        if ["any", "same"].contains(&word.text.as_str()) {
            put(word, "is a reserved word and cannot name a state");
        }
    }
    for (word, _) in &parts.sets {
        if ["any", "same"].contains(&word.text.as_str()) {
            put(word, "is a reserved word and cannot name a set");
        } else if parts.states.iter().any(|(state, _)| state.text == word.text) {
            put(word, "names both a state and a set");
        }
    }
}
