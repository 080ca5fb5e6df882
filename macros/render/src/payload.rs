//! Payloads in words: a pattern as a person writes it, and the classes that a table tells apart.

use std::ops::RangeInclusive;

use turnstile_spec::table::{EventId, Pattern, Payload, PayloadDomain, Table};

/// Payloads of an event between which a table makes no difference in any state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    /// The event.
    pub(crate) event: EventId,
    /// The payloads.
    pub(crate) pattern: Pattern,
}

impl Class {
    /// One of the payloads, which stands for all.
    pub(crate) fn number(&self) -> u16 {
        self.pattern.0.first().map_or(0, |range| *range.start())
    }

    /// Takes another class of the same event in.
    pub(crate) fn join(&mut self, other: &Self) {
        let mut ranges = std::mem::take(&mut self.pattern.0);
        ranges.extend(other.pattern.0.iter().cloned());
        ranges.sort_by_key(|range| *range.start());
        for range in ranges {
            join(&mut self.pattern, range);
        }
    }
}

/// The classes of an event, in the order of their smallest payloads.
pub(crate) fn classes(table: &Table, event: EventId, payload: Option<&Payload>) -> Vec<Class> {
    let (low, high) = payload.map_or((0, 0), |payload| payload.domain.bounds());
    let rows = table.rows.iter().filter(|row| row.event == event).map(|row| &row.pattern);
    let cells = table.cells.iter().filter(|cell| cell.event == event).map(|cell| &cell.pattern);
    let mut patterns: Vec<&Pattern> = Vec::new();
    for pattern in rows.chain(cells) {
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    let mut classes: Vec<(Vec<bool>, Class)> = Vec::new();
    for range in pieces(low, high, &patterns) {
        let signs: Vec<bool> = patterns.iter().map(|one| one.matches(*range.start())).collect();
        match classes.iter_mut().find(|(known, _)| *known == signs) {
            Some((_, class)) => join(&mut class.pattern, range),
            None => classes.push((signs, Class { event, pattern: Pattern(vec![range]) })),
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

/// The domain, cut wherever a pattern begins or ends.
fn pieces(low: u16, high: u16, patterns: &[&Pattern]) -> Vec<RangeInclusive<u16>> {
    let ranges = patterns.iter().flat_map(|pattern| &pattern.0);
    let cuts = ranges.flat_map(|range| [Some(*range.start()), range.end().checked_add(1)]);
    let mut starts: Vec<u16> = cuts.flatten().filter(|cut| (low..=high).contains(cut)).collect();
    starts.push(low);
    starts.sort_unstable();
    starts.dedup();
    let next = starts.iter().skip(1).map(|start| start - 1).chain([high]);
    starts.iter().zip(next).map(|(start, end)| *start..=end).collect()
}

fn join(pattern: &mut Pattern, range: RangeInclusive<u16>) {
    match pattern.0.last_mut() {
        Some(last) if last.end().checked_add(1) == Some(*range.start()) => {
            *last = *last.start()..=*range.end();
        }
        _ => pattern.0.push(range),
    }
}

/// A pattern in words: `4xx except 404`, `5xx`, `true`; empty where it is the whole domain.
pub(crate) fn words(domain: &PayloadDomain, pattern: &Pattern) -> String {
    let (low, high) = domain.bounds();
    if pattern.0.as_slice() == [low..=high] {
        return String::new();
    }
    match domain {
        PayloadDomain::Number(range) if *range == (100..=599) => hundreds(pattern),
        PayloadDomain::Number(_) => listed(pattern.0.iter().map(range_words)),
        PayloadDomain::Bool => listed(numbers(pattern).map(|number| (number == 1).to_string())),
        PayloadDomain::Words(words) => listed(numbers(pattern).map(|number| {
            words.get(usize::from(number)).map_or(String::new(), |word| word.name.clone())
        })),
    }
}

fn listed(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

fn numbers(pattern: &Pattern) -> impl Iterator<Item = u16> {
    pattern.0.iter().flat_map(Clone::clone)
}

fn range_words(range: &RangeInclusive<u16>) -> String {
    if range.start() == range.end() {
        range.start().to_string()
    } else {
        format!("{}-{}", range.start(), range.end())
    }
}

/// HTTP statuses by their hundreds.
fn hundreds(pattern: &Pattern) -> String {
    let mut parts = Vec::new();
    let mut except = Vec::new();
    for hundred in 1..=5_u16 {
        let all = hundred * 100..=hundred * 100 + 99;
        let missing: Vec<u16> = all.clone().filter(|number| !pattern.matches(*number)).collect();
        match missing.len() {
            0..=9 => {
                parts.push(format!("{hundred}xx"));
                except.extend(missing.iter().map(u16::to_string));
            }
            100 => {}
            _ => parts.extend(pattern.0.iter().filter_map(|range| {
                let cut = *range.start().max(all.start())..=*range.end().min(all.end());
                (cut.start() <= cut.end()).then(|| range_words(&cut))
            })),
        }
    }
    let except =
        if except.is_empty() { String::new() } else { format!(" except {}", except.join(", ")) };
    parts.join(", ") + &except
}
