//! General words that mean none or several of what the row's states hold.

use crate::code;
use crate::fault::Fault;
use crate::lint::doubt::Doubt;
use crate::lint::{Subject, listed};
use crate::raw;
use crate::read::build::{self, Place};
use crate::sorted::Set;
use crate::table::{ResourceId, StateId};
use crate::yaml::Word;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    if Doubt::of(subject).is_of_resources {
        return;
    }
    for (id, row) in &subject.lookup.draft.rows {
        let mut said = Set::default();
        for at in build::places(subject.lookup, row) {
            let mut put = |word: &Word, state: StateId, verb: &str, key: &str| {
                let held = build::held(&subject.table.states, state);
                let is_general = subject.lookup.general(&word.text).is_some();
                let meant = build::resolve(subject.lookup, &word.text, &held);
                if let (true, Err(meant)) = (is_general, meant)
                    && said.add((word.text.clone(), state, key.to_owned()))
                {
                    let fault = fault(subject, word, subject.state(state), &meant);
                    let fault = fault
                        .label(subject.row_at(*id), format!("`{key}` {verb} it"))
                        .label(word.span, "the general word");
                    faults.push(fault);
                }
            };
            words(subject, row, &at, &mut put);
        }
    }
}

/// Every resource word of a row, with the state that decides what it means.
fn words(
    subject: &Subject<'_>,
    row: &raw::Row,
    at: &Place,
    put: &mut impl FnMut(&Word, StateId, &str, &str),
) {
    let event = subject.lookup.event(at.event);
    for word in event.and_then(|event| event.consumes.as_deref()).unwrap_or_default() {
        put(word, at.from, "consumes", subject.event(at.event));
    }
    for name in &row.does {
        let Some(action) = subject.lookup.does(&name.text) else { continue };
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

fn fault(subject: &Subject<'_>, word: &Word, state: &str, meant: &[ResourceId]) -> Fault {
    let names = listed(meant.iter().map(|id| subject.resource(*id)));
    let (message, help) = if meant.is_empty() {
        let message = format!("`{}` means nothing that `{state}` holds", word.text);
        (message, format!("let `{state}` hold one of them, or name the resource itself"))
    } else {
        let message = format!("`{}` means {names} in `{state}`", word.text);
        (message, "name the one that is meant".to_owned())
    };
    Fault::finding(code::AMBIGUOUS, message).help(help)
}
