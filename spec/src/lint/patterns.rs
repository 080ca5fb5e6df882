//! Patterns that say nothing, nothing possible, or nothing at all.

use crate::code;
use crate::fault::Fault;
use crate::lint::Subject;
use crate::read::pattern::{self, Wrong};
use crate::table::Domain;
use crate::yaml::Word;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let draft = subject.lookup.draft;
    let rows = draft.rows.iter().flat_map(|(_, row)| &row.event);
    let cells = draft.parts.ignore.iter().chain(&draft.parts.impossible);
    for word in rows.chain(cells.flat_map(|cell| &cell.events)) {
        if let Err(wrong) = pattern::event(&word.text, subject.lookup.vocabulary)
            && let Some(fault) = fault(subject, word, &wrong)
        {
            faults.push(fault);
        }
    }
}

fn fault(subject: &Subject<'_>, word: &Word, wrong: &Wrong) -> Option<Fault> {
    let (name, _) = pattern::split(&word.text);
    let event = subject.lookup.vocabulary.events.iter().find(|event| event.name.name == name);
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
