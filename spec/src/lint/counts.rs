//! Named limits on what a file may declare, so that nothing behind the reader has to ask.

use crate::code;
use crate::fault::{Fault, Span};
use crate::limit;
use crate::raw::{Branch, Change, Condition, Parts, Table};
use crate::sorted::{Set, Sorted};
use crate::yaml::Word;

pub(super) fn check(raw: &Table, faults: &mut Vec<Fault>) {
    let amended = raw.amendments.iter().flat_map(|amendment| [&amendment.add, &amendment.change]);
    let sources: Vec<&Parts> = [&raw.parts].into_iter().chain(amended).collect();
    let names: Vec<(&str, Vec<&Word>)> = vec![
        ("states", words(&sources, |parts| keys(&parts.states))),
        ("sets", words(&sources, |parts| keys(&parts.sets))),
        ("events", words(&sources, |parts| keys(&parts.events))),
        ("actions", words(&sources, |parts| keys(&parts.actions))),
        ("resources", words(&sources, |parts| keys(&parts.resources))),
        ("guards", words(&sources, |parts| keys(&parts.guards))),
        ("predicates", words(&sources, |parts| keys(&parts.predicates))),
        ("collections", words(&sources, |parts| keys(&parts.collections))),
        ("rules", words(&sources, |parts| keys(&parts.rules))),
        ("invariants", words(&sources, |parts| keys(&parts.invariants))),
    ];
    for (section, words) in &names {
        if let Some(word) = words.get(limit::NAMES) {
            faults.push(Fault::limit(
                word.span,
                &format!("too many {section}"),
                section,
                limit::NAMES,
            ));
        }
        for word in words.iter().filter(|word| word.text.len() > limit::NAME_BYTES) {
            faults.push(Fault::limit(word.span, "a name is too long", "bytes", limit::NAME_BYTES));
        }
    }
    let rules = sources.iter().flat_map(|parts| parts.rules.iter().chain(&parts.invariants));
    for (_, rule) in rules.filter(|(_, rule)| rule.is.size() > limit::FORMULA) {
        let what = "the formula is too long";
        faults.push(Fault::limit(rule.span, what, "names", limit::FORMULA));
    }
    let rows: Vec<Span> = sources
        .iter()
        .flat_map(|parts| parts.rows.iter().map(|row| row.span))
        .chain(raw.amendments.iter().flat_map(|a| a.rows.iter().map(|change| change.set.span)))
        .collect();
    if let Some(span) = rows.get(limit::ROWS) {
        faults.push(Fault::limit(*span, "too many rows", "rows", limit::ROWS));
    }
    if let Some(amendment) = raw.amendments.get(limit::AMENDMENTS) {
        let span = amendment.span;
        faults.push(Fault::limit(span, "too many amendments", "amendments", limit::AMENDMENTS));
    }
    let uncited: Vec<Span> =
        raw.uncited.iter().flat_map(|entry| entry.lines.iter().map(|_| entry.span)).collect();
    if let Some(span) = uncited.get(limit::UNCITED) {
        faults.push(Fault::limit(*span, "too many uncited lines", "entries", limit::UNCITED));
    }
    if let Some(survivor) = raw.survivors.get(limit::SURVIVORS) {
        let span = survivor.span;
        faults.push(Fault::limit(span, "too many survivors", "entries", limit::SURVIVORS));
    }
    long(raw, &sources, faults);
    used(raw, &sources, faults);
    lists(&sources, faults);
    expanded(raw, &sources, faults);
    nothing(&sources, faults);
}

/// Rows with a condition or a list of actions that nobody could read.
fn long(raw: &Table, sources: &[&Parts], faults: &mut Vec<Fault>) {
    let changes = raw.amendments.iter().flat_map(|amendment| &amendment.rows);
    let changes = changes.filter_map(|change| {
        let does = change.set.does.as_ref()?;
        Some((does.words.as_slice(), does.branches.as_slice(), change.set.span))
    });
    let rows = sources.iter().flat_map(|parts| &parts.rows);
    let rows = rows.map(|row| (row.does.as_slice(), row.branches.as_slice(), row.span));
    for (does, branches, span) in rows.chain(changes) {
        if does.len() > limit::ACTIONS {
            faults.push(Fault::limit(span, "`do` is too long", "actions", limit::ACTIONS));
        }
        if branches.len() > limit::BRANCHES {
            let what = "`do` asks too often";
            faults.push(Fault::limit(span, what, "conditions", limit::BRANCHES));
        }
    }
    for (size, span) in conditions(raw, sources) {
        if size > limit::CONDITION {
            let fault = Fault::limit(span, "the condition is too long", "names", limit::CONDITION);
            faults.push(fault);
        }
    }
}

/// The size of every row's conditions together.
fn conditions(raw: &Table, sources: &[&Parts]) -> Vec<(usize, Span)> {
    let size = |condition: &Option<Condition>, branches: &[Branch]| {
        let own = condition.as_ref().map_or(0, Condition::size);
        own + branches.iter().map(|branch| branch.condition.size()).sum::<usize>()
    };
    let rows = sources.iter().flat_map(|parts| &parts.rows);
    let rows = rows.map(|row| (size(&row.condition, &row.branches), row.span));
    let changes = raw.amendments.iter().flat_map(|amendment| &amendment.rows);
    let changes = changes.map(|Change { set, .. }| {
        let branches = set.does.as_ref().map_or(&[][..], |does| &does.branches);
        (size(&set.condition, branches), set.span)
    });
    rows.chain(changes).collect()
}

fn keys<T>(named: &[(Word, T)]) -> Vec<&Word> {
    named.iter().map(|(word, _)| word).collect()
}

fn words<'p>(sources: &[&'p Parts], of: fn(&'p Parts) -> Vec<&'p Word>) -> Vec<&'p Word> {
    sources.iter().flat_map(|parts| of(parts)).collect()
}

/// Names that rows use, declared or not.
fn used(raw: &Table, sources: &[&Parts], faults: &mut Vec<Fault>) {
    let changes = raw.amendments.iter().flat_map(|amendment| &amendment.rows);
    let none: &[Word] = &[];
    let mut words: Vec<&Word> = Vec::new();
    for row in sources.iter().flat_map(|parts| &parts.rows) {
        words.extend(&row.from);
        words.push(&row.to);
        words.extend(&row.does);
        words.extend(row.guards());
    }
    for change in changes {
        words.extend(change.set.from.as_deref().unwrap_or(none));
        words.extend(change.set.does.as_ref().map_or(none, |does| &does.words));
    }
    let mut names = Set::default();
    let mut known = 0;
    for word in words {
        known += usize::from(names.add(word.text.as_str()));
        if known > 4 * limit::NAMES {
            let what = "the rows use too many names";
            faults.push(Fault::limit(word.span, what, "names", 4 * limit::NAMES));
            return;
        }
    }
}

/// Lists of resources and states in declarations.
fn lists(sources: &[&Parts], faults: &mut Vec<Fault>) {
    for parts in sources {
        let sets = parts.sets.iter().map(|(_, set)| &set.states);
        for word in parts.resource_lists().chain(sets).filter_map(|list| list.get(limit::NAMES)) {
            faults.push(Fault::limit(word.span, "the list is too long", "names", limit::NAMES));
        }
    }
}

/// What lists, sets and `any` come to when they are written out.
fn expanded(raw: &Table, sources: &[&Parts], faults: &mut Vec<Fault>) {
    let written = Written::new(sources);
    let mut rows = Bound::new(limit::EXPANDED_ROWS, "rows");
    let mut ops = Bound::new(limit::OPS, "resources");
    let mut cells = Bound::new(limit::CELLS, "cells");
    for row in sources.iter().flat_map(|parts| &parts.rows) {
        let places = written.places(&row.from, &row.event) << row.branches.len().min(16);
        rows.add(places, row.span, faults);
        ops.add(places.saturating_mul(written.ops(&row.event, &row.does)), row.span, faults);
    }
    for change in raw.amendments.iter().flat_map(|amendment| &amendment.rows) {
        let set = &change.set;
        let from = set.from.as_deref().unwrap_or_default();
        let event = set.event.as_deref().unwrap_or_default();
        let (does, branches) =
            set.does.as_ref().map_or((&[][..], 0), |does| (&does.words[..], does.branches.len()));
        // What the amendment leaves as it is counts as one: the literal row has been counted.
        let states = from.iter().map(|word| written.size(word)).sum::<usize>().max(1);
        let places = states.saturating_mul(event.len().max(1)) << branches.min(16);
        rows.add(places, set.span, faults);
        ops.add(places.saturating_mul(written.ops(event, does)), set.span, faults);
    }
    for cell in sources.iter().flat_map(|parts| parts.ignore.iter().chain(&parts.impossible)) {
        cells.add(written.places(&cell.states, &cell.events), cell.span, faults);
    }
}

/// How much each name stands for, at most.
#[derive(Default)]
struct Written<'p> {
    states: usize,
    sets: Sorted<&'p str, usize>,
    events: Sorted<&'p str, usize>,
    actions: Sorted<&'p str, usize>,
}

impl<'p> Written<'p> {
    fn new(sources: &[&'p Parts]) -> Self {
        let count = |list: &Option<Vec<Word>>| list.as_ref().map_or(0, Vec::len);
        let mut written = Self::default();
        for parts in sources {
            written.states += parts.states.len();
            for (word, set) in &parts.sets {
                put(&mut written.sets, word, set.states.len());
            }
            for (word, event) in &parts.events {
                put(&mut written.events, word, count(&event.consumes));
            }
            for (word, action) in &parts.actions {
                let all = action.resources().into_iter().map(count);
                put(&mut written.actions, word, all.sum());
            }
        }
        written
    }

    fn size(&self, word: &Word) -> usize {
        match word.text.as_str() {
            "any" => self.states,
            name => self.sets.get(name).copied().unwrap_or(1),
        }
    }

    fn places(&self, states: &[Word], events: &[Word]) -> usize {
        states.iter().map(|word| self.size(word)).sum::<usize>().saturating_mul(events.len())
    }

    fn ops(&self, events: &[Word], does: &[Word]) -> usize {
        let consumed = events.iter().filter_map(|word| {
            self.events
                .get(word.text.as_str())
                .or_else(|| self.events.get(crate::read::pattern::split(&word.text).0))
        });
        let done = does.iter().filter_map(|word| self.actions.get(word.text.as_str()));
        consumed.chain(done).sum()
    }
}

fn put<'p>(sizes: &mut Sorted<&'p str, usize>, word: &'p Word, size: usize) {
    let known = sizes.entry(&word.text);
    *known = size.max(*known);
}

/// A sum that may not grow beyond its limit.
struct Bound {
    sum: usize,
    limit: usize,
    unit: &'static str,
}

impl Bound {
    fn new(limit: usize, unit: &'static str) -> Self {
        Self { sum: 0, limit, unit }
    }

    fn add(&mut self, more: usize, span: Span, faults: &mut Vec<Fault>) {
        let before = self.sum;
        self.sum = self.sum.saturating_add(more);
        if before <= self.limit && self.sum > self.limit {
            let what = format!("with lists and sets written out, too many {}", self.unit);
            faults.push(Fault::limit(span, &what, self.unit, self.limit));
        }
    }
}

/// Rows that leave no state or wait for no event, and sets of none, which rows may stand for.
fn nothing(sources: &[&Parts], faults: &mut Vec<Fault>) {
    // A change may leave a set's states as they are.
    let sets = sources.iter().take(1).flat_map(|parts| &parts.sets);
    for (name, _) in sets.filter(|(_, set)| set.states.is_empty()) {
        let fault = Fault::error(code::WRONG_SHAPE, format!("`{}` is an empty set", name.text))
            .label(name.span, "what is said of it is said of nothing")
            .help("name its states, or remove the set");
        faults.push(fault);
    }
    for row in sources.iter().flat_map(|parts| &parts.rows) {
        for (key, words) in [("from", &row.from), ("event", &row.event)] {
            if words.is_empty() {
                let fault = Fault::error(code::WRONG_SHAPE, format!("`{key}` is an empty list"))
                    .label(row.span, "this row stands for nothing")
                    .help(format!("name something in `{key}`, or remove the row"));
                faults.push(fault);
            }
        }
    }
}
