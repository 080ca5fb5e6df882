//! Patterns over payloads: `response (4xx except 404)`, with exact set operations. Only this module
//! parses them.

use std::ops::RangeInclusive;

use crate::limit;
use crate::table::{Event, EventId, Pattern, PayloadDomain, Vocabulary};

/// Why the text of an event with its pattern is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternError {
    /// No event has this name.
    Undeclared(String),
    /// The event has a pattern but no payload.
    NoPayload,
    /// A part of the pattern is not a value.
    Invalid(String),
    /// A part of the pattern is outside the payload.
    OutOfRange(String),
    /// The pattern matches no value.
    Empty,
}

/// The event and the values of `response (4xx except 404)`.
pub(crate) fn event(
    words: &str,
    vocabulary: &Vocabulary,
) -> Result<(EventId, Pattern), PatternError> {
    let find = |name: &str| vocabulary.events.iter().position(|event| event.name.name == name);
    if let Some(at) = find(words) {
        let event = &vocabulary.events[at];
        return Ok((id(at), whole(event)));
    }
    let (name, pattern) = split(words);
    let Some(at) = find(name) else { return Err(PatternError::Undeclared(name.to_owned())) };
    let event = &vocabulary.events[at];
    let Some(pattern) = pattern else { return Ok((id(at), whole(event))) };
    let Some(payload) = &event.payload else { return Err(PatternError::NoPayload) };
    Ok((id(at), read(pattern, &payload.domain)?))
}

/// The name and the text in the parentheses that end it.
pub(crate) fn split(words: &str) -> (&str, Option<&str>) {
    let inner = words.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match inner {
        Some((name, pattern)) if !pattern.is_empty() => (name.trim(), Some(pattern)),
        // `lock()` is a name.
        Some(_) | None => (words, None),
    }
}

fn id(at: usize) -> EventId {
    EventId(u16::try_from(at).unwrap_or(u16::MAX))
}

/// The pattern that matches every payload of an event.
pub(crate) fn whole(event: &Event) -> Pattern {
    let (first, last) = event.payload.as_ref().map_or((0, 0), |payload| payload.domain.bounds());
    Pattern(vec![first..=last])
}

fn read(text: &str, domain: &PayloadDomain) -> Result<Pattern, PatternError> {
    let (with, without) = match text.split_once(" except ") {
        Some((with, without)) => (with, Some(without)),
        None => (text, None),
    };
    let mut pattern = list(with, domain)?;
    if let Some(without) = without {
        pattern = minus(&pattern, &list(without, domain)?);
    }
    if pattern.0.is_empty() { Err(PatternError::Empty) } else { Ok(pattern) }
}

fn list(text: &str, domain: &PayloadDomain) -> Result<Pattern, PatternError> {
    let mut ranges = Vec::new();
    let parts = text.split(',').flat_map(|part| part.split(" or ")).count();
    if parts > limit::PATTERN {
        return Err(PatternError::Invalid(format!("{parts} values")));
    }
    for part in text.split(',').flat_map(|part| part.split(" or ")) {
        let part = part.trim();
        let range = values(part, domain).ok_or_else(|| PatternError::Invalid(part.to_owned()))?;
        let (first, last) = domain.bounds();
        if *range.start() < first || *range.end() > last {
            return Err(PatternError::OutOfRange(part.to_owned()));
        }
        ranges.push(range);
    }
    Ok(tidy(ranges))
}

/// The values of one part; they may lie outside the payload.
fn values(part: &str, domain: &PayloadDomain) -> Option<RangeInclusive<u16>> {
    if part == "any" {
        let (first, last) = domain.bounds();
        return Some(first..=last);
    }
    match domain {
        PayloadDomain::Number(_) => number(part),
        PayloadDomain::Bool => match part {
            "false" => Some(0..=0),
            "true" => Some(1..=1),
            _ => None,
        },
        PayloadDomain::Words(words) => {
            let at = words.iter().position(|word| word.name == part)?;
            let at = u16::try_from(at).ok()?;
            Some(at..=at)
        }
    }
}

/// `404`, `4xx`, `400..409` or `400-409`.
pub(crate) fn number(part: &str) -> Option<RangeInclusive<u16>> {
    let digits = part.trim_end_matches('x');
    let open = part.len() - digits.len();
    if open > 0 && open <= 4 && !digits.is_empty() {
        let step = 10u16.pow(u32::try_from(open).ok()?);
        let first = digits.parse::<u16>().ok()?.checked_mul(step)?;
        return Some(first..=first.checked_add(step - 1)?);
    }
    let (first, last) =
        part.split_once("..").or_else(|| part.split_once('-')).unwrap_or((part, part));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some(first..=last)
}

/// Normalises ranges: sorted, disjoint, not adjacent.
pub(crate) fn tidy(ranges: Vec<RangeInclusive<u16>>) -> Pattern {
    let mut sorted: Vec<RangeInclusive<u16>> = Vec::new();
    for range in ranges {
        let at = sorted.partition_point(|known| known.start() <= range.start());
        sorted.insert(at, range);
    }
    let mut tidy: Vec<RangeInclusive<u16>> = Vec::new();
    for range in sorted {
        match tidy.last_mut() {
            Some(last) if u32::from(*range.start()) <= u32::from(*last.end()) + 1 => {
                *last = *last.start()..=*last.end().max(range.end());
            }
            _ => tidy.push(range),
        }
    }
    Pattern(tidy)
}

/// The intersection.
pub(crate) fn both(a: &Pattern, b: &Pattern) -> Pattern {
    let mut ranges = Vec::new();
    for x in &a.0 {
        for y in &b.0 {
            let (first, last) = (*x.start().max(y.start()), *x.end().min(y.end()));
            if first <= last {
                ranges.push(first..=last);
            }
        }
    }
    tidy(ranges)
}

/// The difference.
pub(crate) fn minus(a: &Pattern, b: &Pattern) -> Pattern {
    let mut left = a.0.clone();
    for cut in &b.0 {
        let mut next = Vec::new();
        for range in left {
            if cut.end() < range.start() || cut.start() > range.end() {
                next.push(range);
                continue;
            }
            if range.start() < cut.start() {
                next.push(*range.start()..=*cut.start() - 1);
            }
            if range.end() > cut.end() {
                next.push(*cut.end() + 1..=*range.end());
            }
        }
        left = next;
    }
    tidy(left)
}

/// The text of a pattern: `100..203, 404`.
pub(crate) fn text(pattern: &Pattern, domain: &PayloadDomain) -> String {
    let one = |number: u16| match domain {
        PayloadDomain::Number(_) => number.to_string(),
        PayloadDomain::Bool => (number == 1).to_string(),
        PayloadDomain::Words(words) => {
            words.get(usize::from(number)).map(|word| word.name.clone()).unwrap_or_default()
        }
    };
    let texts: Vec<String> = pattern
        .0
        .iter()
        .flat_map(|range| match domain {
            PayloadDomain::Number(_) if range.start() < range.end() => {
                vec![format!("{}..{}", range.start(), range.end())]
            }
            PayloadDomain::Number(_) | PayloadDomain::Bool | PayloadDomain::Words(_) => {
                range.clone().map(one).collect()
            }
        })
        .collect();
    texts.join(", ")
}
