//! Help on keys and values that other languages have.

use super::entry::{RESOURCE_KINDS, RESOURCE_MAP};

/// The key of this language with the meaning of a key that other languages have.
pub(crate) fn synonym(key: &str) -> Option<&'static str> {
    Some(match key {
        "reason" | "why" => "because",
        "source" => "from",
        "target" => "to",
        "guard" | "when" => "if",
        "actions" => "do",
        "description" => "about",
        _ => return None,
    })
}

/// Help on a key that other languages have and this one does not.
pub(crate) fn help_on_key(shape: &str, key: &str) -> Option<&'static str> {
    const DURATIONS: [&str; 7] =
        ["after", "delay", "duration", "every", "expires", "seconds", "timeout"];
    (shape == RESOURCE_MAP.name && DURATIONS.contains(&key)).then_some(NO_DURATION)
}

/// Help on a value of the wrong type, where its type alone does not show what to write.
pub(crate) fn help_on_value(of: &str) -> Option<&'static str> {
    (of == "`payload`").then_some(
        "write one field and its values: `payload: { status: [ok, busy] }`, \
         `payload: { code: 100..599 }` or `payload: { last: boolean }`",
    )
}

/// Help on a resource whose kind is not one: a timer's duration.
pub(crate) fn help_on_kind(words: &[&str], text: &str) -> Option<&'static str> {
    let is_duration = text.starts_with(|first: char| first.is_ascii_digit());
    (words == RESOURCE_KINDS && is_duration).then_some(NO_DURATION)
}

/// Where durations are given.
const NO_DURATION: &str = "a table has no durations: write `timer`; the service that runs the \
                           machine sets the duration, and the checker lets a running timer \
                           expire at any time";
