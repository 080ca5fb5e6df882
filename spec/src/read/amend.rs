//! Applies amendments, each to the table as written after the amendments that it needs. A reading
//! is the last of them, where the table is in one.

use crate::diagnostic::{Diagnostic, Span, code};
use crate::raw::{self, Sections};
use crate::read::draft::Draft;
use crate::read::rows;
use crate::table::{RowId, Vocabulary};
use crate::versions::{Amendment, Change};
use crate::yaml::Word;

/// The rows of a file with their ids, and the findings on its amendments.
#[derive(Clone, Default)]
pub(crate) struct RowIndex {
    literal: Vec<(RowId, raw::Row)>,
    /// Per amendment: the rows that it changes, each with its replacement.
    changed: Vec<Vec<(RowId, RowId, raw::Row)>>,
    /// Per amendment: the rows that it adds.
    added: Vec<Vec<(RowId, raw::Row)>>,
    /// Per amendment: the rows that it removes.
    removed: Vec<Vec<RowId>>,
    /// Per amendment: whether it, or one that it needs, matches nothing.
    missed: Vec<bool>,
    /// Selectors that do not match exactly one row, except where an earlier mistake explains it.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Lists the rows and adds them to the vocabulary.
pub(crate) fn list(raw: &raw::Table, vocabulary: &mut Vocabulary) -> RowIndex {
    let mut listed = RowIndex::default();
    let ids = rows::ids(&raw.parts.rows);
    for (id, row) in ids.into_iter().zip(&raw.parts.rows) {
        let id = rows::push(&mut vocabulary.rows, rows::written(id, row, None));
        listed.literal.push((id, row.clone()));
    }
    for (nth, amendment) in raw.amendments.iter().enumerate() {
        let name = amendment.id.text.as_str();
        let base = base(raw, &listed, nth);
        let is_missed = needed(raw, nth).iter().any(|other| listed.missed[*other]);
        let is_blind = is_missed || is_astray(raw, nth);
        let diagnostics = listed.diagnostics.len();
        let mut changed = Vec::new();
        for change in &amendment.rows {
            let Some((old, row)) = listed.select(amendment, &base.rows, &change.row) else {
                continue;
            };
            let row = set(row, &change.set);
            let written = &vocabulary.rows[old.index()].id;
            let id = format!("{}/{name}", written.split('/').next().unwrap_or(written));
            let id = rows::push(&mut vocabulary.rows, rows::written(id, &row, Some(name)));
            changed.push((old, id, row));
        }
        listed.changed.push(changed);
        let mut added = Vec::new();
        for (nth, row) in amendment.add.rows.iter().enumerate() {
            let written = rows::written(format!("{name}.{}", nth + 1), row, Some(name));
            added.push((rows::push(&mut vocabulary.rows, written), row.clone()));
        }
        listed.added.push(added);
        let selectors = amendment.remove.rows.iter();
        let removed: Vec<RowId> = selectors
            .filter_map(|selector| listed.select(amendment, &base.rows, selector).map(|(id, _)| id))
            .collect();
        listed.removed.push(removed);
        listed.missed.push(is_blind || listed.diagnostics.len() > diagnostics);
        if is_blind {
            listed.diagnostics.truncate(diagnostics);
        }
    }
    listed
}

/// The table that an amendment applies to: as written, after the amendments before it that it
/// needs, directly or transitively.
pub(crate) fn base(raw: &raw::Table, listed: &RowIndex, nth: usize) -> Draft {
    let needed = needed(raw, nth);
    draft(raw, listed, &|other| needed.contains(&other))
}

/// Whether an amendment, or one that it needs, has an unknown `needs`: then its base is unknown.
pub(crate) fn is_astray(raw: &raw::Table, nth: usize) -> bool {
    let is_known = |need: &Word| raw.amendments.iter().any(|other| other.id.text == need.text);
    let mut all = needed(raw, nth);
    all.push(nth);
    let mut all = all.iter().filter_map(|place| raw.amendments.get(*place));
    !all.all(|amendment| amendment.needs.iter().all(is_known))
}

/// The positions of the earlier amendments that one needs, directly or transitively.
pub(crate) fn needed(raw: &raw::Table, nth: usize) -> Vec<usize> {
    let mut needed = Vec::new();
    let mut next = vec![nth];
    while let Some(one) = next.pop() {
        let Some(amendment) = raw.amendments.get(one) else { continue };
        for (place, other) in raw.amendments[..nth].iter().enumerate() {
            let is_needed = amendment.needs.iter().any(|need| need.text == other.id.text);
            if is_needed && !needed.contains(&place) {
                needed.push(place);
                next.push(place);
            }
        }
    }
    needed
}

impl RowIndex {
    /// The only row that a selector matches.
    fn select<'r>(
        &mut self,
        by: &raw::Amendment,
        among: &'r [(RowId, raw::Row)],
        selector: &raw::Selector,
    ) -> Option<(RowId, &'r raw::Row)> {
        if let Some((id, row)) = only(among, selector) {
            return Some((*id, row));
        }
        let rows = among.iter().filter(|(_, row)| is_meant(selector, row));
        let hits: Vec<Span> = rows.map(|(_, row)| row.span).collect();
        let noun = by.noun();
        let diagnostic = if hits.is_empty() {
            let message = format!("the {noun} matches no row");
            Diagnostic::finding(code::MATCHES_NOTHING, message)
                .label(
                    selector.span,
                    "no row of the table or of a needed amendment has these values",
                )
                .help(
                    "copy the values from the row to amend; if another amendment adds that row, \
                     list it under `needs`",
                )
        } else {
            let message = format!("the {noun} matches {} rows", hits.len());
            let diagnostic = Diagnostic::finding(code::MATCHES_SEVERAL, message)
                .label(selector.span, "must match exactly one row");
            let some = hits.iter().take(3);
            let diagnostic =
                some.fold(diagnostic, |diagnostic, span| diagnostic.label(*span, "matches"));
            diagnostic.help("add `from`, `event` or `if` to its `row`")
        };
        self.diagnostics.push(diagnostic);
        None
    }
}

/// The only row that a selector matches.
pub(crate) fn only<'r>(
    rows: &'r [(RowId, raw::Row)],
    selector: &raw::Selector,
) -> Option<&'r (RowId, raw::Row)> {
    let mut hits = rows.iter().filter(|(_, row)| is_meant(selector, row));
    let hit = hits.next()?;
    hits.next().is_none().then_some(hit)
}

fn is_meant(selector: &raw::Selector, row: &raw::Row) -> bool {
    let is = |wanted: &Option<Word>, words: &[Word]| {
        wanted.as_ref().is_none_or(|wanted| {
            if let [word] = words {
                return word.text == wanted.text;
            }
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            texts.join(", ") == wanted.text
        })
    };
    selector.is_written()
        && (selector.cite.is_empty() || selector.cite == row.cite)
        && is(&selector.from, &row.from)
        && is(&selector.event, &row.event)
        && selector.condition.as_ref().is_none_or(|wanted| {
            row.condition.as_ref().is_some_and(|condition| condition.words() == wanted.words())
        })
}

/// A row with new values.
pub(crate) fn set(row: &raw::Row, set: &raw::SetRow) -> raw::Row {
    let mut row = row.clone();
    row.span = set.span;
    row.from = set.from.clone().unwrap_or(row.from);
    row.to = set.to.clone().unwrap_or(row.to);
    row.event = set.event.clone().unwrap_or(row.event);
    row.condition = set.condition.clone().or(row.condition);
    if let Some(actions) = set.actions.clone() {
        (row.actions, row.branches, row.loops) = (actions.words, actions.branches, actions.loops);
        row.faulty = actions.faulty;
    }
    row.untaken = set.untaken.clone().or(row.untaken);
    row
}

/// The table as written, in its reading if it is in one.
pub(crate) fn written(raw: &raw::Table, listed: &RowIndex) -> Draft {
    let Some(reading) = raw.reading() else { return literal(raw, listed) };
    let needed = needed(raw, reading);
    draft(raw, listed, &|nth| nth == reading || needed.contains(&nth))
}

/// The table as written.
fn literal(raw: &raw::Table, listed: &RowIndex) -> Draft {
    let (parts, rows) = (raw.parts.clone(), listed.literal.clone());
    Draft { parts, rows, replaced: Vec::new() }
}

/// The table with every amendment but these.
pub(crate) fn amended(raw: &raw::Table, listed: &RowIndex, without: &[&str]) -> Draft {
    let is_in = |id: &str| !without.contains(&id);
    draft(raw, listed, &|nth| raw.amendments.get(nth).is_some_and(|a| is_in(&a.id.text)))
}

/// The table with the chosen amendments.
fn draft(raw: &raw::Table, listed: &RowIndex, is_chosen: &dyn Fn(usize) -> bool) -> Draft {
    let mut draft = literal(raw, listed);
    let known = raw.amendments.iter().enumerate().take(listed.removed.len());
    for (nth, amendment) in known.filter(|(nth, _)| is_chosen(*nth)) {
        for (old, id, row) in &listed.changed[nth] {
            for slot in draft.rows.iter_mut().filter(|(slot, _)| slot == old) {
                let (old, before) = std::mem::replace(slot, (*id, row.clone()));
                draft.replaced.extend((old.index() >= listed.literal.len()).then_some(before));
            }
        }
        let gone = draft.rows.extract_if(.., |(id, _)| listed.removed[nth].contains(id));
        let gone = gone.filter(|(id, _)| id.index() >= listed.literal.len());
        draft.replaced.extend(gone.map(|(_, row)| row));
        draft.rows.extend(listed.added[nth].iter().cloned());
        remove(&mut draft.parts, &amendment.remove);
        add(&mut draft.parts, &amendment.add);
        change(&mut draft.parts, &amendment.change);
    }
    draft
}

fn remove(parts: &mut Sections, removal: &raw::Removal) {
    fn named<T>(list: &mut raw::Named<T>, words: &[Word]) {
        list.retain(|(name, _)| words.iter().all(|word| word.text != name.text));
    }
    named(&mut parts.states, &removal.states);
    named(&mut parts.sets, &removal.sets);
    named(&mut parts.events, &removal.events);
    named(&mut parts.actions, &removal.actions);
    named(&mut parts.resources, &removal.resources);
    named(&mut parts.guards, &removal.guards);
    named(&mut parts.guard_formulas, &removal.guards);
    named(&mut parts.guard_comparisons, &removal.guards);
    named(&mut parts.rules, &removal.rules);
    named(&mut parts.invariants, &removal.invariants);
    cells(&mut parts.ignore, &removal.ignore);
    cells(&mut parts.impossible, &removal.impossible);
    cells(&mut parts.unspecified, &removal.unspecified);
}

fn cells(cells: &mut Vec<raw::Cell>, selectors: &[raw::CellSelector]) {
    cells.retain(|cell| selectors.iter().all(|selector| !is_cell(selector, cell)));
}

/// Whether a selector matches a cell as written.
pub(crate) fn is_cell(selector: &raw::CellSelector, cell: &raw::Cell) -> bool {
    let same = |a: &[Word], b: &[Word]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.text == b.text)
    };
    same(&selector.states, &cell.states) && same(&selector.events, &cell.events)
}

fn add(parts: &mut Sections, more: &Sections) {
    fn named<T: Clone>(list: &mut raw::Named<T>, more: &raw::Named<T>) {
        for (name, item) in more {
            list.retain(|(known, _)| known.text != name.text);
            list.push((name.clone(), item.clone()));
        }
    }
    named(&mut parts.states, &more.states);
    named(&mut parts.sets, &more.sets);
    named(&mut parts.events, &more.events);
    named(&mut parts.actions, &more.actions);
    named(&mut parts.resources, &more.resources);
    named(&mut parts.guards, &more.guards);
    named(&mut parts.guard_formulas, &more.guard_formulas);
    named(&mut parts.guard_comparisons, &more.guard_comparisons);
    named(&mut parts.variables, &more.variables);
    named(&mut parts.predicates, &more.predicates);
    named(&mut parts.collections, &more.collections);
    named(&mut parts.rules, &more.rules);
    named(&mut parts.invariants, &more.invariants);
    parts.ignore.extend(more.ignore.iter().cloned());
    parts.impossible.extend(more.impossible.iter().cloned());
    parts.unspecified.extend(more.unspecified.iter().cloned());
}

/// Replaces the given keys and keeps the others.
fn change(parts: &mut Sections, new: &Sections) {
    fn put<T: Clone>(to: &mut Option<T>, from: &Option<T>) {
        if from.is_some() {
            to.clone_from(from);
        }
    }
    fn each<T>(list: &mut raw::Named<T>, new: &raw::Named<T>, put: fn(&mut T, &T)) {
        for (name, item) in new {
            list.iter_mut().filter(|(known, _)| known.text == name.text).for_each(|(_, old)| {
                put(old, item);
            });
        }
    }
    each(&mut parts.states, &new.states, |old, new| {
        put(&mut old.holds, &new.holds);
        put(&mut old.may_hold, &new.may_hold);
        put(&mut old.initial, &new.initial);
        put(&mut old.is_final, &new.is_final);
        put(&mut old.may_end, &new.may_end);
        put(&mut old.exit, &new.exit);
        put(&mut old.entry, &new.entry);
        old.undeclared = new.undeclared;
    });
    each(&mut parts.sets, &new.sets, |old, new| old.states.clone_from(&new.states));
    each(&mut parts.events, &new.events, |old, new| put(&mut old.consumes, &new.consumes));
    each(&mut parts.actions, &new.actions, |old, new| {
        put(&mut old.creates, &new.creates);
        put(&mut old.deletes, &new.deletes);
        put(&mut old.restarts, &new.restarts);
        put(&mut old.abandons, &new.abandons);
        put(&mut old.tells, &new.tells);
        put(&mut old.sends, &new.sends);
        put(&mut old.sets, &new.sets);
        put(&mut old.adds, &new.adds);
        put(&mut old.clears, &new.clears);
    });
    each(&mut parts.rules, &new.rules, |old, new| old.clone_from(new));
    each(&mut parts.invariants, &new.invariants, |old, new| old.clone_from(new));
    each(&mut parts.guard_formulas, &new.guard_formulas, |old, new| old.clone_from(new));
    each(&mut parts.guard_comparisons, &new.guard_comparisons, |old, new| old.clone_from(new));
    each(&mut parts.resources, &new.resources, |old, new| put(&mut old.any_of, &new.any_of));
}

/// The amendments, for documentation and checks.
pub(crate) fn describe(raw: &raw::Table, listed: &RowIndex) -> Vec<Amendment> {
    let texts = |words: &[Word]| words.iter().map(|word| word.text.clone()).collect();
    raw.amendments
        .iter()
        .enumerate()
        .map(|(nth, amendment)| Amendment {
            id: amendment.id.text.clone(),
            because: amendment.because.clone(),
            shown_by: texts(&amendment.shown_by),
            needs: texts(&amendment.needs),
            changes: changes(amendment, nth, listed),
            span: amendment.span,
        })
        .collect()
}

fn changes(amendment: &raw::Amendment, nth: usize, listed: &RowIndex) -> Vec<Change> {
    let rows = listed.changed[nth].iter();
    let mut changes: Vec<Change> =
        rows.map(|(before, after, _)| Change::Row { before: *before, after: *after }).collect();
    changes.extend(listed.added[nth].iter().map(|(id, _)| Change::RowAdded(*id)));
    changes.extend(listed.removed[nth].iter().map(|id| Change::RowRemoved(*id)));
    entries("added", &amendment.add, &mut changes);
    entries("changed", &amendment.change, &mut changes);
    removals(&amendment.remove, &mut changes);
    changes
}

fn entries(how: &'static str, parts: &Sections, changes: &mut Vec<Change>) {
    let mut put = |section, name: String, about: &str| {
        changes.push(Change::Entry { how, section, name, about: about.to_owned() });
    };
    for one in parts.declared() {
        put(one.section, one.word.text.clone(), &parts.stated(&one));
    }
    for (section, _, cells) in parts.cell_sections() {
        for one in cells {
            put(section, cell(&one.states, &one.events), &one.because);
        }
    }
}

fn removals(removal: &raw::Removal, changes: &mut Vec<Change>) {
    let mut put = |section, name: String| {
        let about = String::new();
        changes.push(Change::Entry { how: "removed", section, name, about });
    };
    for (section, words) in removal.names() {
        for word in words {
            put(section, word.text.clone());
        }
    }
    for (section, cells) in removal.cell_sections() {
        for one in cells {
            put(section, cell(&one.states, &one.events));
        }
    }
}

/// A cell's states and events in words.
fn cell(states: &[Word], events: &[Word]) -> String {
    let join = |words: &[Word]| {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        texts.join(", ")
    };
    format!("{}: {}", join(states), join(events))
}
