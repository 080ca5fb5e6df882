//! Named limits on what a file may declare, so that nothing behind the reader has to ask.

use std::collections::BTreeMap;

use crate::code;
use crate::fault::{Fault, Span};
use crate::limit;
use crate::raw::{Branch, Condition, Parts, Row, SECTIONS, SetRow, Table};
use crate::sorted::Set;
use crate::yaml::Word;

pub(super) fn check(raw: &Table, faults: &mut Vec<Fault>) {
    let all = All::of(raw);
    named(&all.parts, faults);
    for (_, rule) in all.parts.iter().flat_map(|parts| parts.all_rules()) {
        if rule.is.size() > limit::FORMULA {
            let what = "the formula is too long";
            faults.push(Fault::limit(rule.span, what, "names", limit::FORMULA));
        }
    }
    let mut put = |spans: Vec<Span>, what: &str, unit: &str, limit: usize| {
        let span = spans.get(limit).copied();
        faults.extend(span.map(|span| Fault::limit(span, what, unit, limit)));
    };
    let mut rows: Vec<Span> = all.rows.iter().map(|row| row.span).collect();
    rows.extend(all.changes.iter().map(|set| set.span));
    put(rows, "too many rows", "rows", limit::ROWS);
    let amendments = raw.amendments.iter().map(|amendment| amendment.span).collect();
    put(amendments, "too many amendments", "amendments", limit::AMENDMENTS);
    let mut uncited = Vec::new();
    for entry in &raw.uncited {
        uncited.resize(uncited.len() + entry.lines.len(), entry.span);
    }
    put(uncited, "too many uncited lines", "entries", limit::UNCITED);
    let survivors = raw.survivors.iter().map(|survivor| survivor.span).collect();
    put(survivors, "too many survivors", "entries", limit::SURVIVORS);
    long(&all, faults);
    used(&all, faults);
    lists(&all.parts, faults);
    expanded(&all, faults);
    nothing(&all, faults);
}

/// What a file and its amendments declare, and their rows: those that are written and those that
/// are changed.
struct All<'p> {
    parts: Vec<&'p Parts>,
    rows: Vec<&'p Row>,
    changes: Vec<&'p SetRow>,
}

impl<'p> All<'p> {
    fn of(raw: &'p Table) -> Self {
        let mut all = Self { parts: vec![&raw.parts], rows: Vec::new(), changes: Vec::new() };
        for amendment in &raw.amendments {
            all.parts.extend([&amendment.add, &amendment.change]);
            all.changes.extend(amendment.rows.iter().map(|change| &change.set));
        }
        for parts in &all.parts {
            all.rows.extend(&parts.rows);
        }
        all
    }
}

/// Sections with too many names, and names that are too long.
fn named(sources: &[&Parts], faults: &mut Vec<Fault>) {
    let mut all = Vec::new();
    sources.iter().for_each(|parts| all.extend(parts.declared()));
    for section in SECTIONS {
        let of = all.iter().filter(|one| one.section == section);
        let words: Vec<&Word> = of.map(|one| one.word).collect();
        if let Some(word) = words.get(limit::NAMES) {
            let what = format!("too many {section}");
            faults.push(Fault::limit(word.span, &what, section, limit::NAMES));
        }
        for word in words.iter().filter(|word| word.text.len() > limit::NAME_BYTES) {
            faults.push(Fault::limit(word.span, "a name is too long", "bytes", limit::NAME_BYTES));
        }
    }
}

/// Rows with a condition or a list of actions that nobody could read.
fn long(all: &All<'_>, faults: &mut Vec<Fault>) {
    let mut sizes = Vec::new();
    let mut look = |does: &[Word], branches: &[Branch], own: &Option<Condition>, span| {
        if does.len() > limit::ACTIONS {
            faults.push(Fault::limit(span, "`do` is too long", "actions", limit::ACTIONS));
        }
        if branches.len() > limit::BRANCHES {
            let what = "`do` asks too often";
            faults.push(Fault::limit(span, what, "conditions", limit::BRANCHES));
        }
        let own = own.as_ref().map_or(0, Condition::size);
        let inner: usize = branches.iter().map(|branch| branch.condition.size()).sum();
        sizes.push((own + inner, span));
    };
    for row in &all.rows {
        look(&row.does, &row.branches, &row.condition, row.span);
    }
    for set in &all.changes {
        let (does, branches) = done(set);
        look(does, branches, &set.condition, set.span);
    }
    for (size, span) in sizes {
        if size > limit::CONDITION {
            let fault = Fault::limit(span, "the condition is too long", "names", limit::CONDITION);
            faults.push(fault);
        }
    }
}

/// The actions of a changed row, and those of them that are done under a condition.
fn done(set: &SetRow) -> (&[Word], &[Branch]) {
    set.does.as_ref().map_or((&[], &[]), |does| (&does.words, &does.branches))
}

/// Names that rows use, declared or not.
fn used(all: &All<'_>, faults: &mut Vec<Fault>) {
    let mut words: Vec<&Word> = Vec::new();
    for row in &all.rows {
        words.extend(&row.from);
        words.push(&row.to);
        words.extend(&row.does);
        words.extend(row.guards());
    }
    for set in &all.changes {
        words.extend(set.from.as_deref().unwrap_or_default());
        words.extend(done(set).0);
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
        let mut lists = parts.resource_lists();
        lists.extend(parts.sets.iter().map(|(_, set)| set.states.as_slice()));
        for word in lists.into_iter().filter_map(|list| list.get(limit::NAMES)) {
            faults.push(Fault::limit(word.span, "the list is too long", "names", limit::NAMES));
        }
    }
}

/// What lists, sets and `any` come to when they are written out.
fn expanded(all: &All<'_>, faults: &mut Vec<Fault>) {
    let written = Written::new(&all.parts);
    let mut rows = Bound::new(limit::EXPANDED_ROWS, "rows");
    let mut ops = Bound::new(limit::OPS, "resources");
    let mut cells = Bound::new(limit::CELLS, "cells");
    for row in &all.rows {
        let places = written.places(&row.from, &row.event) << row.branches.len().min(16);
        rows.add(places, row.span, faults);
        ops.add(places.saturating_mul(written.ops(&row.event, &row.does)), row.span, faults);
    }
    for set in &all.changes {
        let from = set.from.as_deref().unwrap_or_default();
        let event = set.event.as_deref().unwrap_or_default();
        let (does, branches) = done(set);
        // What the amendment leaves as it is counts as one: the literal row has been counted.
        let states = from.iter().map(|word| written.size(word)).sum::<usize>().max(1);
        let places = states.saturating_mul(event.len().max(1)) << branches.len().min(16);
        rows.add(places, set.span, faults);
        ops.add(places.saturating_mul(written.ops(event, does)), set.span, faults);
    }
    for cell in all.parts.iter().flat_map(|parts| parts.cells()) {
        cells.add(written.places(&cell.states, &cell.events), cell.span, faults);
    }
}

/// How much each name stands for, at most. How many there are is bounded only where all is well.
#[derive(Default)]
struct Written<'p> {
    states: usize,
    sets: BTreeMap<&'p str, usize>,
    events: BTreeMap<&'p str, usize>,
    actions: BTreeMap<&'p str, usize>,
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

fn put<'p>(sizes: &mut BTreeMap<&'p str, usize>, word: &'p Word, size: usize) {
    let known = sizes.entry(&word.text).or_default();
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
fn nothing(all: &All<'_>, faults: &mut Vec<Fault>) {
    // A change may leave a set's states as they are.
    let sets = all.parts[0].sets.iter();
    for (name, _) in sets.filter(|(_, set)| set.states.is_empty()) {
        let fault = Fault::error(code::WRONG_SHAPE, format!("`{}` is an empty set", name.text))
            .label(name.span, "what is said of it is said of nothing")
            .help("name its states, or remove the set");
        faults.push(fault);
    }
    for row in &all.rows {
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
