//! Spelling correction of undeclared names, for the lints only: with misspelt names replaced by the
//! most similar declared ones, a mistake is reported once and not again for each consequence.
//!
//! The table that runs is never built from the corrected file.

use std::ops::Range;

use crate::diagnostic::similarity::{distance, nearest};
use crate::raw::{self, Row, Sections, Selector, call, keys};
use crate::read::draft::{KINDS, NOT_EXIST};
use crate::vec_map::{VecMap, VecSet};
use crate::yaml::Word;

/// The kind of name that a word refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameKind {
    /// A state or a set, `any` or `same`.
    State,
    /// An event, perhaps with a pattern.
    Event,
    Action,
    Guard,
    Resource,
    Collection,
    /// A leaf of a formula.
    Leaf,
    /// The range of a quantifier: `lock in ACTIVE`.
    Among,
}

/// A namespace: names that are used in the same positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Namespace {
    State,
    Event,
    Action,
    Guard,
    Resource,
    Asked,
}

/// Whether a word refers to a declaration, or selects a row or an entry by its text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usage {
    Reference,
    Selector,
}

/// The file with misspelt names replaced; `None` if there are none.
pub(crate) fn correct(raw: &raw::Table) -> Option<raw::Table> {
    let mut names = KnownNames::of(raw);
    let mut corrected = raw.clone();
    let mut used = VecSet::default();
    table(&mut corrected, &mut |kind, _, word| {
        let (space, range) = names.find(kind, &word.text);
        used.add((space, word.text[range].to_owned()));
    });
    names.used = used;
    let mut meant: VecMap<(Namespace, String), String> = VecMap::default();
    table(&mut corrected, &mut |kind, role, word| {
        if role == Usage::Selector || word.text.is_empty() {
            return;
        }
        let (space, range) = names.find(kind, &word.text);
        let name = &word.text[range];
        if let Some(near) = names.unknown(kind, space, name) {
            meant.insert((space, name.to_owned()), near);
        }
    });
    if meant.is_empty() {
        return None;
    }
    // `not exist` is initial by its name: here the declaration is renamed, not the use.
    if let Some(near) = meant.remove(&(Namespace::State, NOT_EXIST.to_owned())) {
        let added = corrected.amendments.iter_mut().map(|amendment| &mut amendment.add);
        for parts in [&mut corrected.parts].into_iter().chain(added) {
            let keys = parts.states.iter_mut().map(|(word, _)| word);
            keys.filter(|word| word.text == near)
                .for_each(|word| NOT_EXIST.clone_into(&mut word.text));
        }
        meant.insert((Namespace::State, near), NOT_EXIST.to_owned());
    }
    let rename = |kind, text: &str| {
        let (space, range) = names.find(kind, text);
        let near = meant.get(&(space, text[range.clone()].to_owned()));
        let mut renamed = text.to_owned();
        if let Some(near) = near {
            renamed.replace_range(range, near);
        }
        renamed
    };
    table(&mut corrected, &mut |kind, role, word| {
        let renamed = match role {
            Usage::Reference => rename(kind, &word.text),
            // A selector has a whole list in one word.
            Usage::Selector => {
                let parts: Vec<String> =
                    word.text.split(", ").map(|part| rename(kind, part)).collect();
                parts.join(", ")
            }
        };
        word.text = renamed;
    });
    Some(corrected)
}

/// The names that a file declares, in its table or in an amendment.
struct KnownNames<'r> {
    declared: VecMap<Namespace, VecSet<&'r str>>,
    /// States with `undeclared: true`.
    undeclared: VecSet<&'r str>,
    /// States that amendments declare.
    added: VecSet<&'r str>,
    /// Names that are used somewhere.
    used: VecSet<(Namespace, String)>,
}

impl<'r> KnownNames<'r> {
    fn of(raw: &'r raw::Table) -> Self {
        let mut names = Self {
            declared: VecMap::default(),
            undeclared: VecSet::default(),
            added: VecSet::default(),
            used: VecSet::default(),
        };
        let listed = raw.parts.states.iter().filter(|(_, state)| state.undeclared);
        names.undeclared.add_all(listed.map(|(word, _)| word.text.as_str()));
        names.add(Namespace::State, vec!["any", "same"]);
        names.add(Namespace::Resource, KINDS.iter().map(|(word, _)| *word).collect());
        let mut all = vec![&raw.parts];
        for amendment in &raw.amendments {
            names.added.add_all(keys(&amendment.add.states));
            all.push(&amendment.add);
        }
        for parts in all {
            names.add(Namespace::State, parts.places());
            names.add(Namespace::Event, keys(&parts.events));
            names.add(Namespace::Action, keys(&parts.actions));
            names.add(Namespace::Guard, keys(&parts.guards));
            names.add(Namespace::Resource, keys(&parts.resources));
            names.add(Namespace::Asked, parts.asked());
        }
        names
    }

    fn add(&mut self, space: Namespace, names: Vec<&'r str>) {
        self.declared.entry(space).add_all(names);
    }

    fn has(&self, space: Namespace, name: &str) -> bool {
        self.declared.get(&space).is_some_and(|names| names.has(name))
    }

    fn nearest(&self, space: Namespace, name: &str) -> Option<String> {
        let known =
            || self.declared.get(&space).into_iter().flat_map(VecSet::iter).map(|(near, ())| *near);
        let near = nearest(name, known())?;
        // Among equally similar names, prefer one that nothing else uses.
        let is_free = |near: &&str| !self.used.has(&(space, (*near).to_owned()));
        let free = nearest(name, known().filter(is_free));
        let is_as_like = |free: &&str| distance(name, free) <= distance(name, near);
        Some(free.filter(is_as_like).unwrap_or(near).to_owned())
    }

    /// The declared name that is most similar to an undeclared one.
    fn unknown(&self, kind: NameKind, space: Namespace, name: &str) -> Option<String> {
        let is_known =
            self.has(space, name) || (kind == NameKind::Among && self.has(Namespace::Asked, name));
        if space == Namespace::State && self.undeclared.has(name) {
            // An amendment may declare it under a misspelt name.
            let added = self.added.iter().map(|(name, ())| *name);
            let others = added.filter(|name| !self.undeclared.has(name));
            let is_added = self.added.has(name);
            return if is_added { None } else { nearest(name, others).map(str::to_owned) };
        }
        if is_known { None } else { self.nearest(space, name) }
    }

    /// The namespace of a word, and the part of it that is the name.
    fn find(&self, kind: NameKind, text: &str) -> (Namespace, Range<usize>) {
        let whole = 0..text.len();
        let head = |from: usize, rest: &str| {
            let name = call(rest).0;
            let start = from + rest.find(name).unwrap_or(0);
            start..start + name.len()
        };
        let among = text.split_once(" in ").map(|(before, rest)| head(before.len() + 4, rest));
        match kind {
            NameKind::State => (Namespace::State, whole),
            NameKind::Action => (Namespace::Action, whole),
            NameKind::Guard => (Namespace::Guard, whole),
            NameKind::Resource => (Namespace::Resource, whole),
            NameKind::Collection => (Namespace::Asked, whole),
            NameKind::Event if self.has(Namespace::Event, text) => (Namespace::Event, whole),
            NameKind::Event => {
                // A word split from a list may end in an unclosed pattern.
                let open = text.rfind('(').filter(|at| !text[*at..].starts_with("()"));
                (Namespace::Event, 0..open.map_or(text.len(), |at| text[..at].trim_end().len()))
            }
            NameKind::Among => {
                let range = among.unwrap_or(whole);
                let name = &text[range.clone()];
                let is_asked = !self.has(Namespace::State, name)
                    && (self.has(Namespace::Asked, name)
                        || self.nearest(Namespace::State, name).is_none());
                (if is_asked { Namespace::Asked } else { Namespace::State }, range)
            }
            NameKind::Leaf => {
                let own = head(0, text);
                let name = &text[own.clone()];
                let is_asked = |among: &str| {
                    let is_like = || self.nearest(Namespace::Asked, name).is_some();
                    let is_state = self.has(Namespace::State, among);
                    let is_near = || self.nearest(Namespace::State, among).is_some();
                    self.has(Namespace::Asked, name) || (!is_state && !is_near() && is_like())
                };
                match among {
                    Some(range) if !is_asked(&text[range.clone()]) => (Namespace::State, range),
                    Some(_) | None => (Namespace::Asked, own),
                }
            }
        }
    }
}

type Visit<'v> = dyn FnMut(NameKind, Usage, &mut Word) + 'v;

/// Visits every word of a file that refers to a name.
fn table(raw: &mut raw::Table, visit: &mut Visit<'_>) {
    parts(&mut raw.parts, visit);
    for amendment in &mut raw.amendments {
        for change in &mut amendment.rows {
            selector(&mut change.row, visit);
            let set = &mut change.set;
            each(set.from.iter_mut().flatten(), NameKind::State, visit);
            each(set.to.iter_mut(), NameKind::State, visit);
            each(set.event.iter_mut().flatten(), NameKind::Event, visit);
            each(
                set.condition.iter_mut().flat_map(raw::Condition::names_mut),
                NameKind::Guard,
                visit,
            );
            if let Some(actions) = &mut set.actions {
                each(actions.words.iter_mut(), NameKind::Action, visit);
                let branches = actions.branches.iter_mut().map(|branch| &mut branch.condition);
                each(branches.flat_map(raw::Condition::names_mut), NameKind::Guard, visit);
                let loops = actions.loops.iter_mut().map(|one| &mut one.collection);
                each(loops, NameKind::Collection, visit);
            }
        }
        parts(&mut amendment.add, visit);
        parts(&mut amendment.change, visit);
        changed(&mut amendment.change, visit);
        removed(&mut amendment.remove, visit);
    }
}

fn each<'w>(words: impl Iterator<Item = &'w mut Word>, kind: NameKind, visit: &mut Visit<'_>) {
    words.for_each(|word| visit(kind, Usage::Reference, word));
}

fn selects<'w>(words: impl Iterator<Item = &'w mut Word>, kind: NameKind, visit: &mut Visit<'_>) {
    words.for_each(|word| visit(kind, Usage::Selector, word));
}

fn parts(parts: &mut Sections, visit: &mut Visit<'_>) {
    for (_, state) in &mut parts.states {
        let held = [&mut state.holds, &mut state.may_hold].into_iter().flatten().flatten();
        each(held, NameKind::Resource, visit);
    }
    for (_, set) in &mut parts.sets {
        each(set.states.iter_mut(), NameKind::State, visit);
    }
    for (_, event) in &mut parts.events {
        each(event.consumes.iter_mut().flatten(), NameKind::Resource, visit);
    }
    for (_, action) in &mut parts.actions {
        let raw::Action { creates, deletes, restarts, abandons, tells, .. } = action;
        let handled = [creates, deletes, restarts, abandons].into_iter().flatten().flatten();
        each(handled, NameKind::Resource, visit);
        each(tells.iter_mut(), NameKind::Event, visit);
    }
    for (_, resource) in &mut parts.resources {
        each(resource.any_of.iter_mut().flatten(), NameKind::Resource, visit);
    }
    let Sections { rules, invariants, guard_formulas, .. } = parts;
    for (_, rule) in rules.iter_mut().chain(invariants).chain(guard_formulas) {
        asks(&mut rule.is, visit);
    }
    parts.rows.iter_mut().for_each(|one| row(one, visit));
    for (_, state) in &mut parts.states {
        let of_state = state.exit.iter_mut().chain(&mut state.entry).flatten();
        each(of_state, NameKind::Action, visit);
    }
    let own = parts.ignore.iter_mut().chain(&mut parts.impossible);
    for cell in own.chain(&mut parts.unspecified) {
        each(cell.states.iter_mut(), NameKind::State, visit);
        each(cell.events.iter_mut(), NameKind::Event, visit);
    }
}

fn row(row: &mut Row, visit: &mut Visit<'_>) {
    each(row.from.iter_mut().chain([&mut row.to]), NameKind::State, visit);
    each(row.event.iter_mut(), NameKind::Event, visit);
    each(row.actions.iter_mut(), NameKind::Action, visit);
    let branches = row.branches.iter_mut().map(|branch| &mut branch.condition);
    let conditions = row.condition.iter_mut().chain(branches);
    each(conditions.flat_map(raw::Condition::names_mut), NameKind::Guard, visit);
    each(row.loops.iter_mut().map(|one| &mut one.collection), NameKind::Collection, visit);
}

fn asks(formula: &mut raw::Formula, visit: &mut Visit<'_>) {
    match formula {
        raw::Formula::Leaf(word) => visit(NameKind::Leaf, Usage::Reference, word),
        raw::Formula::Of(_, parts, _) => parts.iter_mut().for_each(|part| asks(part, visit)),
        raw::Formula::Not(part) => asks(part, visit),
        raw::Formula::Quantified(_, word, part) => {
            visit(NameKind::Among, Usage::Reference, word);
            asks(part, visit);
        }
    }
}

fn selector(selector: &mut Selector, visit: &mut Visit<'_>) {
    selects(selector.from.iter_mut(), NameKind::State, visit);
    selects(selector.event.iter_mut(), NameKind::Event, visit);
    let names = selector.condition.iter_mut().flat_map(raw::Condition::names_mut);
    selects(names, NameKind::Guard, visit);
}

/// The names under which an amendment changes declarations.
fn changed(parts: &mut Sections, visit: &mut Visit<'_>) {
    fn keys<T>(named: &mut raw::Named<T>) -> impl Iterator<Item = &mut Word> {
        named.iter_mut().map(|(word, _)| word)
    }
    selects(keys(&mut parts.states), NameKind::State, visit);
    selects(keys(&mut parts.sets), NameKind::State, visit);
    selects(keys(&mut parts.events), NameKind::Event, visit);
    selects(keys(&mut parts.actions), NameKind::Action, visit);
    selects(keys(&mut parts.resources), NameKind::Resource, visit);
    selects(keys(&mut parts.rules), NameKind::Collection, visit);
}

fn removed(removal: &mut raw::Removal, visit: &mut Visit<'_>) {
    removal.rows.iter_mut().for_each(|one| selector(one, visit));
    selects(removal.states.iter_mut().chain(&mut removal.sets), NameKind::State, visit);
    selects(removal.events.iter_mut(), NameKind::Event, visit);
    selects(removal.actions.iter_mut(), NameKind::Action, visit);
    selects(removal.resources.iter_mut(), NameKind::Resource, visit);
    selects(removal.guards.iter_mut(), NameKind::Guard, visit);
    selects(removal.rules.iter_mut(), NameKind::Collection, visit);
    let own = removal.ignore.iter_mut().chain(&mut removal.impossible);
    for cell in own.chain(&mut removal.unspecified) {
        selects(cell.states.iter_mut(), NameKind::State, visit);
        selects(cell.events.iter_mut(), NameKind::Event, visit);
    }
}
