//! Limits on the size of a file, so that later passes need not check them.

use std::collections::BTreeMap;

use crate::diagnostic::code;
use crate::diagnostic::{Diagnostic, Span};
use crate::limit;
use crate::raw::{Branch, Condition, Row, SECTIONS, Sections, SetRow, Table};
use crate::vec_map::VecSet;
use crate::yaml::Word;

pub(super) fn check(raw: &Table, diagnostics: &mut Vec<Diagnostic>) {
    let all = Sources::of(raw);
    named(&all.parts, diagnostics);
    for (_, rule) in all.parts.iter().flat_map(|parts| parts.all_rules()) {
        if rule.is.size() > limit::FORMULA {
            let what = "the formula is too long";
            diagnostics.push(Diagnostic::limit(rule.span, what, "names", limit::FORMULA));
        }
    }
    let mut put = |spans: Vec<Span>, what: &str, unit: &str, limit: usize| {
        let span = spans.get(limit).copied();
        diagnostics.extend(span.map(|span| Diagnostic::limit(span, what, unit, limit)));
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
    long(&all, diagnostics);
    used(&all, diagnostics);
    lists(&all.parts, diagnostics);
    expanded(&all, diagnostics);
    nothing(&all, diagnostics);
}

/// The declarations and rows of a file and its amendments, and the changes of rows.
struct Sources<'p> {
    parts: Vec<&'p Sections>,
    rows: Vec<&'p Row>,
    changes: Vec<&'p SetRow>,
}

impl<'p> Sources<'p> {
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
fn named(sources: &[&Sections], diagnostics: &mut Vec<Diagnostic>) {
    let mut all = Vec::new();
    sources.iter().for_each(|parts| all.extend(parts.declared()));
    for section in SECTIONS {
        let of = all.iter().filter(|one| one.section == section);
        let words: Vec<&Word> = of.map(|one| one.word).collect();
        if let Some(word) = words.get(limit::NAMES) {
            let what = format!("too many {section}");
            diagnostics.push(Diagnostic::limit(word.span, &what, section, limit::NAMES));
        }
        let long = words.iter().filter(|word| word.text.len() > limit::NAME_BYTES);
        let what = "a name is too long";
        diagnostics.extend(
            long.map(|word| Diagnostic::limit(word.span, what, "bytes", limit::NAME_BYTES)),
        );
    }
}

/// Rows with a condition or a list of actions that is too long.
fn long(all: &Sources<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut sizes = Vec::new();
    let mut look = |actions: &[Word], branches: &[Branch], own: &Option<Condition>, span| {
        if actions.len() > limit::ACTIONS {
            let what = "`do` is too long";
            diagnostics.push(Diagnostic::limit(span, what, "actions", limit::ACTIONS));
        }
        if branches.len() > limit::BRANCHES {
            let what = "`do` has too many conditions";
            diagnostics.push(Diagnostic::limit(span, what, "conditions", limit::BRANCHES));
        }
        let own = own.as_ref().map_or(0, Condition::size);
        let inner: usize = branches.iter().map(|branch| branch.condition.size()).sum();
        sizes.push((own + inner, span));
    };
    for row in &all.rows {
        look(&row.actions, &row.branches, &row.condition, row.span);
    }
    for set in &all.changes {
        let (actions, branches) = done(set);
        look(actions, branches, &set.condition, set.span);
    }
    for (size, span) in sizes {
        if size > limit::CONDITION {
            let diagnostic =
                Diagnostic::limit(span, "the condition is too long", "names", limit::CONDITION);
            diagnostics.push(diagnostic);
        }
    }
}

/// The actions of a changed row, and its conditional blocks.
fn done(set: &SetRow) -> (&[Word], &[Branch]) {
    set.actions.as_ref().map_or((&[], &[]), |actions| (&actions.words, &actions.branches))
}

/// Names that rows use, declared or not.
fn used(all: &Sources<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut words: Vec<&Word> = Vec::new();
    for row in &all.rows {
        words.extend(&row.from);
        words.push(&row.to);
        words.extend(&row.actions);
        words.extend(row.guards());
    }
    for set in &all.changes {
        words.extend(set.from.as_deref().unwrap_or_default());
        words.extend(done(set).0);
    }
    let mut names = VecSet::default();
    let mut known = 0;
    for word in words {
        known += usize::from(names.add(word.text.as_str()));
        if known > 4 * limit::NAMES {
            let what = "the rows use too many names";
            diagnostics.push(Diagnostic::limit(word.span, what, "names", 4 * limit::NAMES));
            return;
        }
    }
}

/// Lists of resources and states in declarations.
fn lists(sources: &[&Sections], diagnostics: &mut Vec<Diagnostic>) {
    for parts in sources {
        let mut lists = parts.resource_lists();
        lists.extend(parts.sets.iter().map(|(_, set)| set.states.as_slice()));
        let long = lists.into_iter().filter_map(|list| list.get(limit::NAMES));
        let what = "the list is too long";
        diagnostics
            .extend(long.map(|word| Diagnostic::limit(word.span, what, "names", limit::NAMES)));
    }
}

/// The number of rows, operations and cells after lists, sets and `any` are expanded.
fn expanded(all: &Sources<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let sizes = Sizes::new(&all.parts);
    let mut rows = Bound::new(limit::EXPANDED_ROWS, "rows");
    let mut ops = Bound::new(limit::OPS, "resources");
    let mut cells = Bound::new(limit::CELLS, "cells");
    for row in &all.rows {
        let places = sizes.places(&row.from, &row.event) << row.branches.len().min(16);
        rows.add(places, row.span, diagnostics);
        let own = sizes.ops(&row.event, &row.actions).saturating_add(sizes.of_states);
        ops.add(places.saturating_mul(own), row.span, diagnostics);
    }
    for set in &all.changes {
        let from = set.from.as_deref().unwrap_or_default();
        let event = set.event.as_deref().unwrap_or_default();
        let (actions, branches) = done(set);
        // Unchanged keys count as one: the row that is changed has been counted.
        let states = from.iter().map(|word| sizes.size(word)).sum::<usize>().max(1);
        let places = states.saturating_mul(event.len().max(1)) << branches.len().min(16);
        rows.add(places, set.span, diagnostics);
        ops.add(places.saturating_mul(sizes.ops(event, actions)), set.span, diagnostics);
    }
    for cell in all.parts.iter().flat_map(|parts| parts.cells()) {
        cells.add(sizes.places(&cell.states, &cell.events), cell.span, diagnostics);
    }
}

/// The largest number of entries that each name expands to. A B-tree: the number of names is not
/// bounded yet.
#[derive(Default)]
struct Sizes<'p> {
    states: usize,
    sets: BTreeMap<&'p str, usize>,
    events: BTreeMap<&'p str, usize>,
    actions: BTreeMap<&'p str, usize>,
    /// The most actions of a state, and what they do to resources.
    of_states: usize,
}

impl<'p> Sizes<'p> {
    fn new(sources: &[&'p Sections]) -> Self {
        let count = |list: &Option<Vec<Word>>| list.as_ref().map_or(0, Vec::len);
        let mut sizes = Self::default();
        for parts in sources {
            sizes.states += parts.states.len();
            for (word, set) in &parts.sets {
                put(&mut sizes.sets, word, set.states.len());
            }
            for (word, event) in &parts.events {
                put(&mut sizes.events, word, count(&event.consumes));
            }
            for (word, action) in &parts.actions {
                let all = action.resources().into_iter().map(count);
                put(&mut sizes.actions, word, all.sum());
            }
        }
        for (_, state) in sources.iter().flat_map(|parts| &parts.states) {
            let size = |word: &Word| sizes.actions.get(word.text.as_str()).map_or(1, |ops| ops + 1);
            sizes.of_states = sizes.of_states.max(state.actions().map(size).sum());
        }
        sizes
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

    fn ops(&self, events: &[Word], actions: &[Word]) -> usize {
        let consumed = events.iter().filter_map(|word| {
            self.events
                .get(word.text.as_str())
                .or_else(|| self.events.get(crate::read::pattern::split(&word.text).0))
        });
        let done = actions.iter().filter_map(|word| self.actions.get(word.text.as_str()));
        consumed.chain(done).sum()
    }
}

fn put<'p>(sizes: &mut BTreeMap<&'p str, usize>, word: &'p Word, size: usize) {
    let known = sizes.entry(&word.text).or_default();
    *known = size.max(*known);
}

/// A sum that is compared with its limit.
struct Bound {
    sum: usize,
    limit: usize,
    unit: &'static str,
}

impl Bound {
    fn new(limit: usize, unit: &'static str) -> Self {
        Self { sum: 0, limit, unit }
    }

    fn add(&mut self, more: usize, span: Span, diagnostics: &mut Vec<Diagnostic>) {
        let before = self.sum;
        self.sum = self.sum.saturating_add(more);
        if before <= self.limit && self.sum > self.limit {
            let what = format!("too many {} after lists and sets are expanded", self.unit);
            diagnostics.push(Diagnostic::limit(span, &what, self.unit, self.limit));
        }
    }
}

/// Rows without a source state or an event, and empty sets.
fn nothing(all: &Sources<'_>, diagnostics: &mut Vec<Diagnostic>) {
    // A change of a set may leave its states unchanged.
    let sets = all.parts[0].sets.iter();
    for (name, _) in sets.filter(|(_, set)| set.states.is_empty()) {
        let diagnostic =
            Diagnostic::error(code::WRONG_TYPE, format!("`{}` is an empty set", name.text))
                .label(name.span, "a set must name at least one state")
                .help("name its states, or remove the set");
        diagnostics.push(diagnostic);
    }
    for row in &all.rows {
        for (key, words) in [("from", &row.from), ("event", &row.event)] {
            if words.is_empty() {
                let diagnostic =
                    Diagnostic::error(code::WRONG_TYPE, format!("`{key}` is an empty list"))
                        .label(row.span, "this row matches nothing")
                        .help(format!("add a name to `{key}`, or remove the row"));
                diagnostics.push(diagnostic);
            }
        }
    }
}
