//! Patterns that say nothing, nothing possible, or nothing at all.

use crate::code;
use crate::fault::Fault;
use crate::lint::Subject;
use crate::read::pattern::{self, Wrong};
use crate::table::Domain;
use crate::yaml::Word;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let draft = subject.lookup.draft;
    let mut words: Vec<&Word> = Vec::new();
    draft.rows.iter().for_each(|(_, row)| words.extend(&row.event));
    draft.parts.cells().iter().for_each(|cell| words.extend(&cell.events));
    let mut found: Vec<(&str, String, Fault)> = Vec::new();
    for word in words {
        if let Err(wrong) = pattern::event(&word.text, subject.lookup.vocabulary)
            && let Some(fault) = fault(subject, word, &wrong)
        {
            // What an event carries is declared once, so a slip there is one fault, too.
            let name = pattern::split(&word.text).0.to_owned();
            match found.iter_mut().find(|(code, of, _)| (*code, of) == (fault.code, &name)) {
                Some((_, _, known)) if wrong != Wrong::Empty => known.also(fault.span()),
                Some(_) | None => found.push((fault.code, name, fault)),
            }
        }
    }
    faults.extend(found.into_iter().map(|(_, _, fault)| fault));
}

fn fault(subject: &Subject<'_>, word: &Word, wrong: &Wrong) -> Option<Fault> {
    let (name, _) = pattern::split(&word.text);
    let events = &subject.lookup.vocabulary.events;
    let event = events.iter().find(|event| event.name.name == name);
    // Values that cannot be read are a fault of their own.
    let mut declared = subject.lookup.draft.parts.events.iter();
    let is_faulty = declared.any(|(word, event)| word.text == name && event.payload.is_some());
    if is_faulty && event.is_some_and(|event| event.payload.is_none()) {
        return None;
    }
    let payload = event.and_then(|event| event.payload.as_ref());
    let domain = payload.map(|payload| match &payload.domain {
        Domain::Number(range) => format!("{}..{}", range.start(), range.end()),
        Domain::Bool => "false, true".to_owned(),
        Domain::Words(words) => {
            words.iter().map(|word| word.name.as_str()).collect::<Vec<_>>().join(", ")
        }
    });
    let domain = domain.unwrap_or_default();
    let fault = match wrong {
        Wrong::Undeclared(_) => return None,
        Wrong::NoPayload => Fault::finding(code::UNREADABLE, format!("`{name}` carries nothing"))
            .label(word.span, "there is nothing to match")
            .help(format!("write `{name}`, or declare what it carries: `payload: {{ … }}`")),
        Wrong::Unreadable(part) => {
            Fault::finding(code::UNREADABLE, format!("`{part}` is no value of `{name}`"))
                .label(word.span, "this pattern cannot be read")
                .help(format!(
                    "its values are {domain}; write them as `404`, `4xx`, `400..409`, `5xx, 404` \
                     or `4xx except 404`"
                ))
        }
        Wrong::Outside(part) => {
            Fault::finding(code::OUTSIDE, format!("`{name}` never carries `{part}`"))
                .label(word.span, "outside of what is declared")
                .help(format!("its values are {domain}"))
        }
        Wrong::Empty => Fault::finding(code::EMPTY, format!("no value is left in `{}`", word.text))
            .label(word.span, "this takes nothing")
            .help("take fewer values away behind `except`, or remove it"),
    };
    Some(fault)
}
