//! Payloads: `response (200)` and `response (4xx except 404)` are one event with numbers,
//! `reply (ok)` and `reply (busy)` one with words.

use std::collections::BTreeMap;

use turnstile_spec::camel;

use crate::draft::{Draft, EventDraft, PayloadDraft};
use crate::grid::{Word, words};

/// What stands in parentheses after the same name.
#[derive(Default)]
struct Uses {
    name: Word,
    patterns: Vec<String>,
    /// Whether the name stands without parentheses, too.
    is_bare: bool,
}

pub(super) fn infer(draft: &mut Draft) {
    let mut uses: BTreeMap<String, Uses> = BTreeMap::new();
    for row in &draft.rows {
        let (name, pattern) = split(&row.event.text);
        let one = uses.entry(name.clone()).or_default();
        if one.name.text.is_empty() {
            one.name = row.event.with(name);
        }
        match pattern {
            Some(pattern) => one.patterns.push(pattern),
            None => one.is_bare = true,
        }
    }
    let payloads: BTreeMap<String, PayloadDraft> =
        uses.into_iter().filter_map(|(name, uses)| Some((name, domain(&uses)?))).collect();
    let mut done: Vec<&str> = Vec::new();
    for row in &mut draft.rows {
        let (name, pattern) = split(&row.event.text);
        if !payloads.contains_key(&name) {
            row.event.text.clone_into(&mut row.event_name);
            continue;
        }
        if let Some(pattern) = pattern {
            row.event.text = format!("{name} ({pattern})");
        }
        row.event_name = name;
    }
    for row in &draft.rows {
        let Some(payload) = payloads.get(&row.event_name) else { continue };
        if done.contains(&row.event_name.as_str()) {
            continue;
        }
        done.push(&row.event_name);
        let text = match (payload.field, payload.words.is_empty()) {
            ("status", _) => "the numbers in the rows are those of HTTP",
            (_, true) => "the numbers of the payload are those in the rows",
            (_, false) => "the words of the payload are those in the rows",
        };
        draft.events.push(EventDraft {
            name: row.event.with(row.event_name.as_str()),
            payload: Some(payload.clone()),
            guesses: vec![text.to_owned()],
            ..EventDraft::default()
        });
    }
}

/// The name and what stands in the parentheses that end it, in the language's spelling.
pub(super) fn split(text: &str) -> (String, Option<String>) {
    let inner = text.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    let Some((name, pattern)) = inner.filter(|(name, _)| !name.trim().is_empty()) else {
        return (text.to_owned(), None);
    };
    let (with, without) = match pattern.split_once(" except ") {
        Some((with, without)) => (with, Some(without)),
        None => (pattern, None),
    };
    let list = |text: &str| {
        let parts = text.split([',', '/', '|']).flat_map(|part| part.split(" or ")).map(str::trim);
        parts.filter(|part| !part.is_empty()).collect::<Vec<&str>>().join(", ")
    };
    let mut plain = list(with);
    if let Some(without) = without {
        plain = format!("{plain} except {}", list(without));
    }
    if plain.is_empty() {
        return (text.to_owned(), None);
    }
    (name.trim().to_owned(), Some(plain))
}

fn domain(uses: &Uses) -> Option<PayloadDraft> {
    let mut values: Vec<&str> = Vec::new();
    let lists = uses.patterns.iter().flat_map(|pattern| pattern.split(" except "));
    for value in lists.flat_map(|list| list.split(", ")) {
        if value != "any" && !values.contains(&value) {
            values.push(value);
        }
    }
    if values.is_empty() {
        return None;
    }
    let ranges: Option<Vec<(u16, u16)>> = values.iter().map(|value| range(value)).collect();
    if let Some(ranges) = ranges {
        return numbers(uses, &ranges);
    }
    let mut idents: Vec<String> = values.iter().map(|value| camel(value)).collect();
    idents.sort();
    idents.dedup();
    let is_enum = idents.len() == values.len() && idents.iter().all(|ident| !ident.is_empty());
    // `LOCK(X)` is a name: nothing else stands in its parentheses.
    if !is_enum || (values.len() == 1 && !uses.is_bare) {
        return None;
    }
    if values.iter().all(|value| ["true", "false"].contains(value)) {
        return Some(PayloadDraft::of_range("value", "boolean"));
    }
    // A bare name next to one word stands for another value.
    if values.len() == 1 {
        return None;
    }
    let words = values.into_iter().map(str::to_owned).collect();
    Some(PayloadDraft { words, ..PayloadDraft::of_range("kind", "") })
}

fn numbers(uses: &Uses, ranges: &[(u16, u16)]) -> Option<PayloadDraft> {
    let low = ranges.iter().map(|(low, _)| *low).min()?;
    let high = ranges.iter().map(|(_, high)| *high).max()?;
    let is_http = low >= 100 && high <= 599;
    let has = |word: &str| words(&uses.name.text).iter().any(|known| known == word);
    if is_http && ["response", "status", "reply", "http", "answer"].into_iter().any(has) {
        return Some(PayloadDraft::of_range("status", "100..599"));
    }
    if low == high {
        return None;
    }
    Some(PayloadDraft::of_range("number", format!("{low}..{high}")))
}

/// `404`, `4xx`, `400..409` or `400-409`.
fn range(text: &str) -> Option<(u16, u16)> {
    let digits = text.trim_end_matches(['x', 'X']);
    let open = text.len() - digits.len();
    if open > 0 {
        let step = 10u16.checked_pow(u32::try_from(open).ok()?)?;
        let low = digits.parse::<u16>().ok()?.checked_mul(step)?;
        return Some((low, low.checked_add(step - 1)?));
    }
    let (low, high) =
        text.split_once("..").or_else(|| text.split_once('-')).unwrap_or((text, text));
    let (low, high) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    (low <= high).then_some((low, high))
}
