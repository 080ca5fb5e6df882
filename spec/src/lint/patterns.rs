//! Patterns that are invalid, out of range or empty.

use crate::diagnostic::similarity::nearest;
use crate::diagnostic::{Diagnostic, code};
use crate::lint::context::{LintContext, listed};
use crate::read::pattern::{self, PatternError};
use crate::table::PayloadDomain;
use crate::yaml::Word;

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let draft = cx.lookup.draft;
    let mut words: Vec<&Word> = Vec::new();
    draft.rows.iter().for_each(|(_, row)| words.extend(&row.event));
    draft.parts.cells().iter().for_each(|cell| words.extend(&cell.events));
    let mut found: Vec<(&str, String, Diagnostic)> = Vec::new();
    for word in words {
        if let Err(wrong) = pattern::event(&word.text, cx.lookup.vocabulary)
            && let Some(diagnostic) = diagnostic(cx, word, &wrong)
        {
            // A payload is declared once, so a mistake in it is reported once.
            let name = pattern::split(&word.text).0.to_owned();
            match found.iter_mut().find(|(code, of, _)| (*code, of) == (diagnostic.code, &name)) {
                Some((_, _, known)) if wrong != PatternError::Empty => {
                    known.also(diagnostic.span())
                }
                Some(_) | None => found.push((diagnostic.code, name, diagnostic)),
            }
        }
    }
    diagnostics.extend(found.into_iter().map(|(_, _, diagnostic)| diagnostic));
}

fn diagnostic(cx: &LintContext<'_>, word: &Word, wrong: &PatternError) -> Option<Diagnostic> {
    let (name, _) = pattern::split(&word.text);
    let events = &cx.lookup.vocabulary.events;
    let event = events.iter().find(|event| event.name.name == name);
    // Invalid payload values have a diagnostic of their own.
    let mut declared = cx.lookup.draft.parts.events.iter();
    let is_invalid = declared
        .any(|(word, event)| word.text == name && (event.payload.is_some() || event.is_cut));
    if is_invalid && event.is_some_and(|event| event.payload.is_none()) {
        return None;
    }
    let payload = event.and_then(|event| event.payload.as_ref());
    let domain = payload.map_or_else(String::new, |payload| values(&payload.domain));
    let diagnostic = match wrong {
        PatternError::Undeclared(_) => return None,
        PatternError::NoPayload => {
            Diagnostic::finding(code::INVALID_PATTERN, format!("`{name}` has no payload"))
                .label(word.span, "a pattern needs a payload to match")
                .help(format!(
                    "write `{name}`, or declare its payload, one field and its values, such as \
                     `payload: {{ status: [ok, busy] }}`"
                ))
        }
        PatternError::Invalid(part) => {
            let label = payload.map(|payload| format!("no such value of `{}`", payload.field));
            let message = format!("invalid pattern: `{part}` is not a value of `{name}`");
            let near = payload.and_then(|payload| meant(part, &payload.domain));
            let help = near.map_or_else(
                || {
                    let examples = payload.map(|payload| examples(&payload.domain));
                    format!("valid values are {domain}; {}", examples.unwrap_or_default())
                },
                |near| format!("did you mean `{near}`?"),
            );
            Diagnostic::finding(code::INVALID_PATTERN, message)
                .label(word.span, label.unwrap_or_default())
                .help(help)
        }
        PatternError::OutOfRange(part) => Diagnostic::finding(
            code::PATTERN_RANGE,
            format!("pattern out of range: `{name}` never carries `{part}`"),
        )
        .label(word.span, "outside the declared payload")
        .help(format!("valid values are {domain}")),
        PatternError::Empty => Diagnostic::finding(
            code::EMPTY_PATTERN,
            format!("empty pattern: `{}` matches no value", word.text),
        )
        .label(word.span, "never matches")
        .help("exclude fewer values after `except`, or remove the entry"),
    };
    Some(diagnostic)
}

/// The word of a payload that is most similar to a part of a pattern.
fn meant<'w>(part: &str, domain: &'w PayloadDomain) -> Option<&'w str> {
    let PayloadDomain::Words(words) = domain else { return None };
    nearest(part, words.iter().map(|word| word.name.as_str()))
}

/// The values of a payload.
fn values(domain: &PayloadDomain) -> String {
    match domain {
        PayloadDomain::Number(range) => format!("{}..{}", range.start(), range.end()),
        PayloadDomain::Bool => "false, true".to_owned(),
        PayloadDomain::Words(words) => {
            words.iter().map(|word| word.name.as_str()).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Patterns over a payload of this type.
fn examples(domain: &PayloadDomain) -> String {
    match domain {
        PayloadDomain::Number(_) => {
            "write a pattern like `404`, `4xx`, `400..409`, `5xx, 404` or `4xx except 404`"
                .to_owned()
        }
        PayloadDomain::Bool => "write `true`, `false` or no pattern".to_owned(),
        PayloadDomain::Words(words) => match &words[..] {
            [first, second, ..] => {
                let (first, second) = (&first.name, &second.name);
                format!(
                    "write a pattern like `{first}`, `{first}, {second}` or `any except {first}`"
                )
            }
            few => format!("write {} or no pattern", listed(few.iter().map(|w| w.name.as_str()))),
        },
    }
}
