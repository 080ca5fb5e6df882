//! Names that nothing declares: states, events, actions, resources, guards, each with the one that
//! may be meant.

use crate::code;
use crate::fault::Fault;
use crate::likeness::nearest;
use crate::limit;
use crate::lint::Subject;
use crate::raw::{Parts, keys};
use crate::read::draft::KINDS;
use crate::read::pattern::{self, Wrong};
use crate::sorted::Set;
use crate::yaml::Word;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let draft = subject.lookup.draft;
    for (_, row) in &draft.rows {
        for word in &row.from {
            if word.text != "any" && subject.lookup.set(&word.text).is_none() {
                state(subject, word, faults);
            }
        }
        if row.to.text != "same" {
            state(subject, &row.to, faults);
        }
        row.event.iter().for_each(|word| event(subject, word, faults));
        row.does.iter().for_each(|word| action(subject, word, faults));
        row.guards().iter().for_each(|word| guard(subject, word, faults));
    }
    replaced(subject, faults);
    for (_, set) in &draft.parts.sets {
        set.states.iter().for_each(|word| state(subject, word, faults));
    }
    for cell in draft.parts.cells() {
        for word in &cell.states {
            if word.text != "any" && subject.lookup.set(&word.text).is_none() {
                state(subject, word, faults);
            }
        }
        cell.events.iter().for_each(|word| event(subject, word, faults));
    }
    held(subject, faults);
    let told = draft.parts.actions.iter().filter_map(|(_, action)| action.tells.as_ref());
    told.for_each(|word| event(subject, word, faults));
}

/// The names in rows of amendments that others have changed or removed. What the file declares
/// anywhere may be gone from this table.
fn replaced<'a>(subject: &Subject<'a>, faults: &mut Vec<Fault>) {
    let (mut states, mut actions, mut guards) = (Set::default(), Set::default(), Set::default());
    let mut declare = |parts: &'a Parts| {
        states.add_all(parts.places());
        actions.add_all(keys(&parts.actions));
        guards.add_all(keys(&parts.guards));
    };
    declare(&subject.raw.parts);
    subject.raw.amendments.iter().for_each(|amendment| declare(&amendment.add));
    states.add_all(["any", "same"]);
    let is_new = |known: &Set<&str>, word: &Word| !known.has(word.text.as_str());
    for row in &subject.lookup.draft.replaced {
        for word in row.from.iter().chain([&row.to]).filter(|word| is_new(&states, word)) {
            state(subject, word, faults);
        }
        for word in row.does.iter().filter(|word| is_new(&actions, word)) {
            action(subject, word, faults);
        }
        for word in row.guards().into_iter().filter(|word| is_new(&guards, word)) {
            guard(subject, word, faults);
        }
        row.event.iter().for_each(|word| event(subject, word, faults));
    }
}

fn undeclared(
    faults: &mut Vec<Fault>,
    code: &'static str,
    what: &str,
    word: &Word,
    known: Vec<&str>,
) {
    if faults.len() >= limit::FAULTS {
        return;
    }
    let message = format!("{what} `{}` is not declared", word.text);
    // A name that is declared under another spelling is one fault, however often it is used.
    let same = |fault: &&mut Fault| fault.code == code && fault.message == message;
    if let Some(fault) = faults.iter_mut().find(same) {
        return fault.also(word.span);
    }
    let help = match nearest(&word.text, known.into_iter()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("declare it, or name a declared {what}"),
    };
    let fault = Fault::finding(code, message).label(word.span, format!("no such {what}"));
    faults.push(fault.help(help));
}

fn state(subject: &Subject<'_>, word: &Word, faults: &mut Vec<Fault>) {
    // Where no word stands, a fault of its shape has been found.
    if word.text.is_empty() || subject.lookup.declaration(&word.text).is_some() {
        return;
    }
    let parts = &subject.lookup.draft.parts;
    let declared = parts.states.iter().filter(|(_, state)| !state.undeclared);
    let mut known: Vec<&str> = declared.map(|(name, _)| name.text.as_str()).collect();
    known.extend(keys(&parts.sets));
    known.extend(["any", "same"]);
    undeclared(faults, code::UNDECLARED_STATE, "state", word, known);
}

fn event(subject: &Subject<'_>, word: &Word, faults: &mut Vec<Fault>) {
    let name = match pattern::event(&word.text, subject.lookup.vocabulary) {
        Err(Wrong::Undeclared(name)) => name,
        Err(_) => return,
        Ok((id, _)) => {
            let name = subject.lookup.vocabulary.events[id.index()].name.name.clone();
            if subject.lookup.event(id).is_some() {
                return;
            }
            name
        }
    };
    let known = keys(&subject.lookup.draft.parts.events);
    let word = Word { text: name, span: word.span };
    undeclared(faults, code::UNDECLARED_EVENT, "event", &word, known);
}

fn action(subject: &Subject<'_>, word: &Word, faults: &mut Vec<Fault>) {
    if subject.lookup.does(&word.text).is_none() {
        let known = keys(&subject.lookup.draft.parts.actions);
        undeclared(faults, code::UNDECLARED_ACTION, "action", word, known);
    }
}

fn guard(subject: &Subject<'_>, word: &Word, faults: &mut Vec<Fault>) {
    let guards = &subject.lookup.draft.parts.guards;
    if guards.iter().all(|(name, _)| name.text != word.text) {
        let known = keys(guards);
        undeclared(faults, code::UNDECLARED_GUARD, "guard", word, known);
    }
}

/// Resources that states hold, events consume, actions handle and general words stand for.
fn held(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let parts = &subject.lookup.draft.parts;
    for word in parts.resource_lists().into_iter().flatten() {
        let is_kind = KINDS.iter().any(|(kind, _)| *kind == word.text);
        if !is_kind && !subject.lookup.declares_resource(&word.text) {
            let known = keys(&parts.resources);
            undeclared(faults, code::UNDECLARED_RESOURCE, "resource", word, known);
        }
    }
}
