//! Patterns over what an event carries: `response (4xx except 404)`, decided exactly. An event's
//! words are taken apart here and nowhere else.

use std::ops::RangeInclusive;

use crate::limit;
use crate::table::{Domain, Event, EventId, Pattern, Vocabulary};

/// What is wrong with an event's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// No event has this name.
    Undeclared(String),
    /// The event carries nothing, yet a pattern stands behind it.
    NoPayload,
    /// A part of the pattern that says nothing.
    Unreadable(String),
    /// A part of the pattern with values that the event cannot carry.
    Outside(String),
    /// No value is left.
    Empty,
}

/// The event and the values of `response (4xx except 404)`.
pub(crate) fn event(words: &str, vocabulary: &Vocabulary) -> Result<(EventId, Pattern), Wrong> {
    let find = |name: &str| vocabulary.events.iter().position(|event| event.name.name == name);
    if let Some(at) = find(words) {
        let event = &vocabulary.events[at];
        return Ok((id(at), whole(event)));
    }
    let (name, pattern) = split(words);
    let Some(at) = find(name) else { return Err(Wrong::Undeclared(name.to_owned())) };
    let event = &vocabulary.events[at];
    let Some(pattern) = pattern else { return Ok((id(at), whole(event))) };
    let Some(payload) = &event.payload else { return Err(Wrong::NoPayload) };
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

/// Every value that the event may carry.
pub(crate) fn whole(event: &Event) -> Pattern {
    let (first, last) = event.payload.as_ref().map_or((0, 0), |payload| payload.domain.bounds());
    Pattern(vec![first..=last])
}

fn read(text: &str, domain: &Domain) -> Result<Pattern, Wrong> {
    let (with, without) = match text.split_once(" except ") {
        Some((with, without)) => (with, Some(without)),
        None => (text, None),
    };
    let mut pattern = list(with, domain)?;
    if let Some(without) = without {
        pattern = minus(&pattern, &list(without, domain)?);
    }
    if pattern.0.is_empty() { Err(Wrong::Empty) } else { Ok(pattern) }
}

fn list(text: &str, domain: &Domain) -> Result<Pattern, Wrong> {
    let mut ranges = Vec::new();
    let parts = text.split(',').flat_map(|part| part.split(" or ")).count();
    if parts > limit::PATTERN {
        return Err(Wrong::Unreadable(format!("{parts} values")));
    }
    for part in text.split(',').flat_map(|part| part.split(" or ")) {
        let part = part.trim();
        let range = values(part, domain).ok_or_else(|| Wrong::Unreadable(part.to_owned()))?;
        let (first, last) = domain.bounds();
        if *range.start() < first || *range.end() > last {
            return Err(Wrong::Outside(part.to_owned()));
        }
        ranges.push(range);
    }
    Ok(tidy(ranges))
}

/// The values that one part names; they may lie outside the domain.
fn values(part: &str, domain: &Domain) -> Option<RangeInclusive<u16>> {
    if part == "any" {
        let (first, last) = domain.bounds();
        return Some(first..=last);
    }
    match domain {
        Domain::Number(_) => number(part),
        Domain::Bool => match part {
            "false" => Some(0..=0),
            "true" => Some(1..=1),
            _ => None,
        },
        Domain::Words(words) => {
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

/// Sorted, disjoint, not adjacent.
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

/// The values of both.
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

/// The values of the first that the second has not.
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

/// A pattern in words: `100..203, 404`.
pub(crate) fn text(pattern: &Pattern, domain: &Domain) -> String {
    let one = |number: u16| match domain {
        Domain::Number(_) => number.to_string(),
        Domain::Bool => (number == 1).to_string(),
        Domain::Words(words) => {
            words.get(usize::from(number)).map(|word| word.name.clone()).unwrap_or_default()
        }
    };
    let texts: Vec<String> = pattern
        .0
        .iter()
        .flat_map(|range| match domain {
            Domain::Number(_) if range.start() < range.end() => {
                vec![format!("{}..{}", range.start(), range.end())]
            }
            Domain::Number(_) | Domain::Bool | Domain::Words(_) => range.clone().map(one).collect(),
        })
        .collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Wrong, both, minus, read, text};
    use crate::table::{Domain, Pattern};

    const STATUS: Domain = Domain::Number(100..=599);

    fn ranges(words: &str) -> Result<String, Wrong> {
        read(words, &STATUS).map(|pattern| text(&pattern, &STATUS))
    }

    #[test]
    fn patterns_are_sets_of_numbers() {
        assert_eq!(ranges("4xx except 404").as_deref(), Ok("400..403, 405..499"));
        assert_eq!(ranges("5xx, 404").as_deref(), Ok("404, 500..599"));
        assert_eq!(ranges("409").as_deref(), Ok("409"));
        assert_eq!(ranges("200 or 201 or 300..301").as_deref(), Ok("200..201, 300..301"));
        assert_eq!(ranges("any except 2xx, 3xx").as_deref(), Ok("100..199, 400..599"));
        assert_eq!(ranges("404 except 4xx"), Err(Wrong::Empty));
        assert_eq!(ranges("6xx"), Err(Wrong::Outside("6xx".into())));
        assert_eq!(ranges("ok"), Err(Wrong::Unreadable("ok".into())));
        assert_eq!(ranges("65536"), Err(Wrong::Unreadable("65536".into())));
    }

    #[test]
    fn the_ends_of_the_numbers_do_not_overflow() {
        let all = Pattern(vec![0..=u16::MAX]);
        assert_eq!(minus(&all, &Pattern(vec![0..=0, u16::MAX..=u16::MAX])).0, vec![1..=65534]);
        assert_eq!(minus(&all, &all).0, vec![]);
        assert_eq!(both(&all, &Pattern(vec![7..=9])).0, vec![7..=9]);
    }
}
