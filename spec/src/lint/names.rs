//! Names as Rust spells them: collisions, names without a spelling, names that mean something else.

use std::collections::BTreeMap;

use crate::camel::{camel, is_title, is_variant};
use crate::code;
use crate::fault::{Fault, Span};
use crate::lint::Subject;
use crate::raw::{Declared, Table};
use crate::read::draft::KINDS;
use crate::sorted::Sorted;
use crate::table::{Domain, Name, Payload};
use crate::yaml::Word;

/// The sections whose names formulas use.
const FORMULAS: [&str; 4] = ["predicates", "collections", "rules", "invariants"];

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let names = subject.lookup.vocabulary;
    let given = given(subject.raw);
    let mut spelled = |section: &'static str, names: Vec<&Name>| {
        spelled(section, names, subject, &given, faults);
    };
    spelled("states", names.states.iter().collect());
    spelled("events", names.events.iter().map(|event| &event.name).collect());
    spelled("actions", names.actions.iter().collect());
    spelled("resources", names.resources.iter().map(|resource| &resource.name).collect());
    spelled("guards", names.guards.iter().collect());
    let of = &names.formulas;
    let lists = [&of.predicates, &of.collections, &of.rules, &of.invariants];
    for (section, list) in FORMULAS.into_iter().zip(lists) {
        spelled(section, list.iter().map(|one| &one.name).collect());
    }
    for event in &names.events {
        if let Some(Payload { domain: Domain::Words(words), .. }) = &event.payload {
            spelled("values", words.iter().collect());
        }
    }
    reserved(subject, faults);
}

/// What a machine cannot be called. It stops the reader: literal tables are written to files, too.
pub(super) fn title(raw: &Table, faults: &mut Vec<Fault>) {
    let word = &raw.machine;
    if *word != Word::default() && !is_title(&word.text) {
        faults.push(Fault::title("machine", &word.text, word.span));
    }
}

/// The spellings that a file gives, by section and name.
type Given<'a> = Sorted<(&'static str, &'a str), &'a str>;

/// Every spelling that a file gives; of a name that amendments add anew, the first.
fn given(raw: &Table) -> Given<'_> {
    let mut given = Given::default();
    let added = raw.amendments.iter().rev().map(|amendment| &amendment.add);
    for parts in added.chain([&raw.parts]) {
        for Declared { section, word, about } in parts.declared() {
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
    subject: &Subject<'_>,
    given: &Given<'_>,
    faults: &mut Vec<Fault>,
) {
    let mut taken: BTreeMap<String, Span> = BTreeMap::new();
    for name in &names {
        // A name that is used and nowhere listed is a fault of its own.
        if !name.declared && !is_listed(subject, section, &name.name) {
            continue;
        }
        // The one before collisions are numbered away.
        let own = given.get(&(section, name.name.as_str()));
        let (ident, is_given) =
            (own.map_or_else(|| camel(&name.name), |own| (*own).to_owned()), own.is_some());
        if !is_variant(&ident) {
            let message = format!("`{}` cannot be spelled in Rust", name.name);
            let found = match (is_given, ident.is_empty()) {
                (true, _) => format!("`{ident}` is no name of a variant"),
                (false, true) => "it has neither letter nor digit".to_owned(),
                (false, false) => format!("`{ident}` is a word of Rust"),
            };
            let fault = Fault::finding(code::BAD_NAME, message)
                .label(name.span, found)
                .help(format!("give it one in `{section}`: `ident: CamelCase`"));
            faults.push(fault);
            continue;
        }
        if let Some(first) = taken.get(&ident) {
            let twin = names.iter().find(|name| name.span == *first).map_or("", |name| &name.name);
            let message = format!("`{twin}` and `{}` are both `{ident}` in Rust", name.name);
            let fault = Fault::finding(code::COLLISION, message)
                .label(name.span, "the second")
                .label(*first, "the first")
                .help(format!("give one of them another spelling in `{section}`: `ident: …`"));
            faults.push(fault);
        } else {
            taken.insert(ident, name.span);
        }
    }
}

/// Whether a name that is not declared is listed as such, with `undeclared: true`.
fn is_listed(subject: &Subject<'_>, section: &str, name: &str) -> bool {
    let mut states = subject.raw.parts.states.iter();
    section == "states" && states.any(|(word, _)| word.text == name)
}

/// Names that the language has given a meaning.
fn reserved(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let parts = &subject.lookup.draft.parts;
    let mut put = |word: &Word, what: &str| {
        let fault = Fault::finding(code::BAD_NAME, format!("`{}` {what}", word.text))
            .label(word.span, "a name with two meanings")
            .help("choose another name");
        faults.push(fault);
    };
    for (word, _) in &parts.states {
        if ["any", "same"].contains(&word.text.as_str()) {
            put(word, "is a word of the language and cannot be a state");
        }
    }
    for (word, _) in &parts.sets {
        if ["any", "same"].contains(&word.text.as_str()) {
            put(word, "is a word of the language and cannot be a set");
        } else if parts.states.iter().any(|(state, _)| state.text == word.text) {
            put(word, "is a state and a set");
        }
    }
    for (word, resource) in &parts.resources {
        if resource.any_of.is_none() && KINDS.iter().any(|(kind, _)| *kind == word.text) {
            put(word, "means every resource of its kind and cannot be one of them");
        }
    }
}
