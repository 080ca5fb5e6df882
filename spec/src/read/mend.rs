//! Names that nothing declares, taken for the declared ones that they are most like: what the lints
//! look at, so that a misspelt name is one fault and not also each of those that follow from it.
//!
//! The table that runs is never built from this.

use std::ops::Range;

use crate::likeness::{distance, nearest};
use crate::raw::{self, Parts, Row, Selector, keys};
use crate::read::draft::{KINDS, NOT_EXIST};
use crate::read::formula;
use crate::sorted::{Set, Sorted};
use crate::yaml::Word;

/// What a word names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
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
    /// What a quantifier goes over: `lock in ACTIVE`.
    Among,
}

/// Names of one kind, whose use cannot be told from each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    State,
    Event,
    Action,
    Guard,
    Resource,
    Asked,
}

/// Whether a word uses a name, or selects by it what stands elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Uses,
    Selects,
}

/// The file with its misspelt names replaced; nothing where there are none.
pub(crate) fn mend(raw: &raw::Table) -> Option<raw::Table> {
    let mut names = Names::of(raw);
    let mut mended = raw.clone();
    let mut used = Set::default();
    table(&mut mended, &mut |kind, _, word| {
        let (space, range) = names.find(kind, &word.text);
        used.add((space, word.text[range].to_owned()));
    });
    names.used = used;
    let mut meant: Sorted<(Space, String), String> = Sorted::default();
    table(&mut mended, &mut |kind, role, word| {
        if role == Role::Selects || word.text.is_empty() {
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
    // A machine begins where it does not exist, by that very name: here the declaration gives way.
    if let Some(near) = meant.remove(&(Space::State, NOT_EXIST.to_owned())) {
        let added = mended.amendments.iter_mut().map(|amendment| &mut amendment.add);
        for parts in [&mut mended.parts].into_iter().chain(added) {
            let keys = parts.states.iter_mut().map(|(word, _)| word);
            keys.filter(|word| word.text == near)
                .for_each(|word| NOT_EXIST.clone_into(&mut word.text));
        }
        meant.insert((Space::State, near), NOT_EXIST.to_owned());
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
    table(&mut mended, &mut |kind, role, word| {
        let renamed = match role {
            Role::Uses => rename(kind, &word.text),
            // A selector has a row's list in one word.
            Role::Selects => {
                let parts: Vec<String> =
                    word.text.split(", ").map(|part| rename(kind, part)).collect();
                parts.join(", ")
            }
        };
        word.text = renamed;
    });
    Some(mended)
}

/// Every name that a file declares, in its table or in an amendment.
struct Names<'r> {
    declared: Sorted<Space, Set<&'r str>>,
    /// States that the document names and does not declare.
    undeclared: Set<&'r str>,
    /// States that amendments declare.
    added: Set<&'r str>,
    /// Names that are used somewhere.
    used: Set<(Space, String)>,
}

impl<'r> Names<'r> {
    fn of(raw: &'r raw::Table) -> Self {
        let mut names = Self {
            declared: Sorted::default(),
            undeclared: Set::default(),
            added: Set::default(),
            used: Set::default(),
        };
        let listed = raw.parts.states.iter().filter(|(_, state)| state.undeclared);
        names.undeclared.add_all(listed.map(|(word, _)| word.text.as_str()));
        names.add(Space::State, vec!["any", "same"]);
        names.add(Space::Resource, KINDS.iter().map(|(word, _)| *word).collect());
        let mut all = vec![&raw.parts];
        for amendment in &raw.amendments {
            names.added.add_all(keys(&amendment.add.states));
            all.push(&amendment.add);
        }
        for parts in all {
            names.add(Space::State, parts.places());
            names.add(Space::Event, keys(&parts.events));
            names.add(Space::Action, keys(&parts.actions));
            names.add(Space::Guard, keys(&parts.guards));
            names.add(Space::Resource, keys(&parts.resources));
            names.add(Space::Asked, parts.asked());
        }
        names
    }

    fn add(&mut self, space: Space, names: Vec<&'r str>) {
        self.declared.entry(space).add_all(names);
    }

    fn has(&self, space: Space, name: &str) -> bool {
        self.declared.get(&space).is_some_and(|names| names.has(name))
    }

    fn nearest(&self, space: Space, name: &str) -> Option<String> {
        let known =
            || self.declared.get(&space).into_iter().flat_map(Set::iter).map(|(near, ())| *near);
        let near = nearest(name, known())?;
        // Of those that are as like, the one that nothing else uses was meant.
        let is_free = |near: &&str| !self.used.has(&(space, (*near).to_owned()));
        let free = nearest(name, known().filter(is_free));
        let is_as_like = |free: &&str| distance(name, free) <= distance(name, near);
        Some(free.filter(is_as_like).unwrap_or(near).to_owned())
    }

    /// The declared name that one that is not declared is most like.
    fn unknown(&self, kind: Kind, space: Space, name: &str) -> Option<String> {
        let is_known =
            self.has(space, name) || (kind == Kind::Among && self.has(Space::Asked, name));
        if space == Space::State && self.undeclared.has(name) {
            // An amendment may say what it is, under a misspelt name.
            let added = self.added.iter().map(|(name, ())| *name);
            let others = added.filter(|name| !self.undeclared.has(name));
            let is_added = self.added.has(name);
            return if is_added { None } else { nearest(name, others).map(str::to_owned) };
        }
        if is_known { None } else { self.nearest(space, name) }
    }

    /// Which part of a word is the name, and of what.
    fn find(&self, kind: Kind, text: &str) -> (Space, Range<usize>) {
        let whole = 0..text.len();
        let head = |from: usize, rest: &str| {
            let name = formula::call(rest).0;
            let start = from + rest.find(name).unwrap_or(0);
            start..start + name.len()
        };
        let among = text.split_once(" in ").map(|(before, rest)| head(before.len() + 4, rest));
        match kind {
            Kind::State => (Space::State, whole),
            Kind::Action => (Space::Action, whole),
            Kind::Guard => (Space::Guard, whole),
            Kind::Resource => (Space::Resource, whole),
            Kind::Collection => (Space::Asked, whole),
            Kind::Event if self.has(Space::Event, text) => (Space::Event, whole),
            Kind::Event => {
                // Of a list's word that was taken apart, the pattern may be open.
                let open = text.rfind('(').filter(|at| !text[*at..].starts_with("()"));
                (Space::Event, 0..open.map_or(text.len(), |at| text[..at].trim_end().len()))
            }
            Kind::Among => {
                let range = among.unwrap_or(whole);
                let name = &text[range.clone()];
                let is_asked = !self.has(Space::State, name)
                    && (self.has(Space::Asked, name) || self.nearest(Space::State, name).is_none());
                (if is_asked { Space::Asked } else { Space::State }, range)
            }
            Kind::Leaf => {
                let own = head(0, text);
                let name = &text[own.clone()];
                let is_asked = |among: &str| {
                    let is_like = || self.nearest(Space::Asked, name).is_some();
                    let is_state = self.has(Space::State, among);
                    let is_near = || self.nearest(Space::State, among).is_some();
                    self.has(Space::Asked, name) || (!is_state && !is_near() && is_like())
                };
                match among {
                    Some(range) if !is_asked(&text[range.clone()]) => (Space::State, range),
                    Some(_) | None => (Space::Asked, own),
                }
            }
        }
    }
}

type Visit<'v> = dyn FnMut(Kind, Role, &mut Word) + 'v;

/// Visits every word of a file that names something.
fn table(raw: &mut raw::Table, visit: &mut Visit<'_>) {
    parts(&mut raw.parts, visit);
    for amendment in &mut raw.amendments {
        for change in &mut amendment.rows {
            selector(&mut change.row, visit);
            let set = &mut change.set;
            each(set.from.iter_mut().flatten(), Kind::State, visit);
            each(set.to.iter_mut(), Kind::State, visit);
            each(set.event.iter_mut().flatten(), Kind::Event, visit);
            each(set.condition.iter_mut().flat_map(raw::Condition::names_mut), Kind::Guard, visit);
            if let Some(does) = &mut set.does {
                each(does.words.iter_mut(), Kind::Action, visit);
                let branches = does.branches.iter_mut().map(|branch| &mut branch.condition);
                each(branches.flat_map(raw::Condition::names_mut), Kind::Guard, visit);
                let loops = does.loops.iter_mut().map(|one| &mut one.collection);
                each(loops, Kind::Collection, visit);
            }
        }
        parts(&mut amendment.add, visit);
        parts(&mut amendment.change, visit);
        changed(&mut amendment.change, visit);
        removed(&mut amendment.remove, visit);
    }
}

fn each<'w>(words: impl Iterator<Item = &'w mut Word>, kind: Kind, visit: &mut Visit<'_>) {
    words.for_each(|word| visit(kind, Role::Uses, word));
}

fn selects<'w>(words: impl Iterator<Item = &'w mut Word>, kind: Kind, visit: &mut Visit<'_>) {
    words.for_each(|word| visit(kind, Role::Selects, word));
}

fn parts(parts: &mut Parts, visit: &mut Visit<'_>) {
    for (_, state) in &mut parts.states {
        let held = [&mut state.holds, &mut state.may_hold].into_iter().flatten().flatten();
        each(held, Kind::Resource, visit);
    }
    for (_, set) in &mut parts.sets {
        each(set.states.iter_mut(), Kind::State, visit);
    }
    for (_, event) in &mut parts.events {
        each(event.consumes.iter_mut().flatten(), Kind::Resource, visit);
    }
    for (_, action) in &mut parts.actions {
        let raw::Action { creates, deletes, restarts, abandons, tells, .. } = action;
        let handled = [creates, deletes, restarts, abandons].into_iter().flatten().flatten();
        each(handled, Kind::Resource, visit);
        each(tells.iter_mut(), Kind::Event, visit);
    }
    for (_, resource) in &mut parts.resources {
        each(resource.any_of.iter_mut().flatten(), Kind::Resource, visit);
    }
    let Parts { rules, invariants, guard_formulas, .. } = parts;
    for (_, rule) in rules.iter_mut().chain(invariants).chain(guard_formulas) {
        asks(&mut rule.is, visit);
    }
    parts.rows.iter_mut().for_each(|one| row(one, visit));
    for cell in parts.ignore.iter_mut().chain(&mut parts.impossible) {
        each(cell.states.iter_mut(), Kind::State, visit);
        each(cell.events.iter_mut(), Kind::Event, visit);
    }
}

fn row(row: &mut Row, visit: &mut Visit<'_>) {
    each(row.from.iter_mut().chain([&mut row.to]), Kind::State, visit);
    each(row.event.iter_mut(), Kind::Event, visit);
    each(row.does.iter_mut(), Kind::Action, visit);
    let branches = row.branches.iter_mut().map(|branch| &mut branch.condition);
    let conditions = row.condition.iter_mut().chain(branches);
    each(conditions.flat_map(raw::Condition::names_mut), Kind::Guard, visit);
    each(row.loops.iter_mut().map(|one| &mut one.collection), Kind::Collection, visit);
}

fn asks(formula: &mut raw::Formula, visit: &mut Visit<'_>) {
    match formula {
        raw::Formula::Leaf(word) => visit(Kind::Leaf, Role::Uses, word),
        raw::Formula::Of(_, parts, _) => parts.iter_mut().for_each(|part| asks(part, visit)),
        raw::Formula::Not(part) => asks(part, visit),
        raw::Formula::Each(_, word, part) => {
            visit(Kind::Among, Role::Uses, word);
            asks(part, visit);
        }
    }
}

fn selector(selector: &mut Selector, visit: &mut Visit<'_>) {
    selects(selector.from.iter_mut(), Kind::State, visit);
    selects(selector.event.iter_mut(), Kind::Event, visit);
    let names = selector.condition.iter_mut().flat_map(raw::Condition::names_mut);
    selects(names, Kind::Guard, visit);
}

/// The names under which an amendment changes declarations.
fn changed(parts: &mut Parts, visit: &mut Visit<'_>) {
    fn keys<T>(named: &mut raw::Named<T>) -> impl Iterator<Item = &mut Word> {
        named.iter_mut().map(|(word, _)| word)
    }
    selects(keys(&mut parts.states), Kind::State, visit);
    selects(keys(&mut parts.sets), Kind::State, visit);
    selects(keys(&mut parts.events), Kind::Event, visit);
    selects(keys(&mut parts.actions), Kind::Action, visit);
    selects(keys(&mut parts.resources), Kind::Resource, visit);
    selects(keys(&mut parts.rules), Kind::Collection, visit);
}

fn removed(removal: &mut raw::Removal, visit: &mut Visit<'_>) {
    removal.rows.iter_mut().for_each(|one| selector(one, visit));
    selects(removal.states.iter_mut().chain(&mut removal.sets), Kind::State, visit);
    selects(removal.events.iter_mut(), Kind::Event, visit);
    selects(removal.actions.iter_mut(), Kind::Action, visit);
    selects(removal.resources.iter_mut(), Kind::Resource, visit);
    selects(removal.guards.iter_mut(), Kind::Guard, visit);
    selects(removal.rules.iter_mut(), Kind::Collection, visit);
    for cell in removal.ignore.iter_mut().chain(&mut removal.impossible) {
        selects(cell.states.iter_mut(), Kind::State, visit);
        selects(cell.events.iter_mut(), Kind::Event, visit);
    }
}
