//! Declarations that nothing uses. What the literal table uses may be idle in the amended one.

use std::collections::BTreeSet;

use crate::code;
use crate::fault::Fault;
use crate::lint::Subject;
use crate::raw::{self, Parts, Row};
use crate::read::draft::KINDS;
use crate::read::{amend, formula, pattern};
use crate::yaml::Word;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let draft = subject.lookup.draft;
    let used = Used::of(subject);
    let parts = &draft.parts;
    let open = used.open(subject);
    let mut put = |section: &str, what: &str, word: &Word, used: &BTreeSet<String>| {
        if !open.contains(section) && !used.contains(&word.text) {
            let fault =
                Fault::finding(code::UNUSED, format!("nothing uses the {what} `{}`", word.text))
                    .label(word.span, "declared here")
                    .help(format!("use it, or remove it from `{section}`"));
            faults.push(fault);
        }
    };
    parts.events.iter().for_each(|(word, _)| put("events", "event", word, &used.events));
    parts.actions.iter().for_each(|(word, _)| put("actions", "action", word, &used.actions));
    parts.guards.iter().for_each(|(word, _)| put("guards", "guard", word, &used.guards));
    parts.sets.iter().for_each(|(word, _)| put("sets", "set", word, &used.sets));
    let lists = [("predicates", "predicate"), ("collections", "collection")];
    for ((section, what), list) in lists.into_iter().zip([&parts.predicates, &parts.collections]) {
        list.iter().for_each(|(word, _)| put(section, what, word, &used.asked));
    }
    parts
        .resources
        .iter()
        .for_each(|(word, _)| put("resources", "resource", word, &used.resources));
}

#[derive(Default)]
struct Used {
    events: BTreeSet<String>,
    actions: BTreeSet<String>,
    guards: BTreeSet<String>,
    sets: BTreeSet<String>,
    resources: BTreeSet<String>,
    asked: BTreeSet<String>,
}

impl Used {
    /// What the table uses, and what the literal one and the amendments use beside it.
    fn of(subject: &Subject<'_>) -> Self {
        let (draft, raw) = (subject.lookup.draft, subject.raw);
        let mut used = Self::default();
        used.rows(subject, draft.rows.iter().map(|(_, row)| row));
        used.parts(subject, &draft.parts);
        used.rows(subject, raw.parts.rows.iter());
        used.parts(subject, &raw.parts);
        for amendment in &raw.amendments {
            for parts in [&amendment.add, &amendment.change] {
                used.rows(subject, parts.rows.iter());
                used.parts(subject, parts);
            }
            let none = Row::default();
            let rows: Vec<Row> =
                amendment.rows.iter().map(|change| amend::set(&none, &change.set)).collect();
            used.rows(subject, rows.iter());
        }
        used
    }

    /// The sections of which a name is used that nothing declares: it may have been meant for any
    /// of theirs.
    fn open(&self, subject: &Subject<'_>) -> BTreeSet<&'static str> {
        let raw = subject.raw;
        let added = raw.amendments.iter().map(|amendment| &amendment.add);
        let all: Vec<&Parts> = [&raw.parts].into_iter().chain(added).collect();
        let of = |names: fn(&Parts) -> Vec<&str>| -> BTreeSet<&str> {
            all.iter().flat_map(|parts| names(parts)).collect()
        };
        let mut states = of(|parts| [keys(&parts.states), keys(&parts.sets)].concat());
        states.extend(["any", "same"]);
        let mut asked = of(|parts| {
            [keys(&parts.predicates), keys(&parts.collections), keys(&parts.rules)].concat()
        });
        asked.extend(&states);
        let mut resources = of(|parts| keys(&parts.resources));
        resources.extend(KINDS.iter().map(|(word, _)| *word));
        let is_open = |used: &BTreeSet<String>, known: &BTreeSet<&str>| {
            used.iter().any(|name| !name.contains(" in ") && !known.contains(name.as_str()))
        };
        let open = [
            ("events", is_open(&self.events, &of(|parts| keys(&parts.events)))),
            ("actions", is_open(&self.actions, &of(|parts| keys(&parts.actions)))),
            ("guards", is_open(&self.guards, &of(|parts| keys(&parts.guards)))),
            ("sets", is_open(&self.sets, &asked)),
            ("predicates", is_open(&self.asked, &asked)),
            ("collections", is_open(&self.asked, &asked)),
            ("resources", is_open(&self.resources, &resources)),
        ];
        open.into_iter().filter(|(_, is_open)| *is_open).map(|(section, _)| section).collect()
    }

    fn rows<'r>(&mut self, subject: &Subject<'_>, rows: impl Iterator<Item = &'r Row>) {
        for row in rows {
            row.event.iter().for_each(|word| self.event(subject, word));
            self.sets.extend(row.from.iter().map(|word| word.text.clone()));
            self.actions.extend(row.does.iter().map(|word| word.text.clone()));
            self.guards.extend(row.guards().map(|word| word.text.clone()));
            self.asked.extend(row.loops.iter().map(|one| one.collection.text.clone()));
        }
    }

    fn parts(&mut self, subject: &Subject<'_>, parts: &Parts) {
        for (_, rule) in parts.rules.iter().chain(&parts.invariants) {
            for word in rule.is.texts() {
                let among = word.text.split_once(" in ").map(|(_, among)| among);
                let names = [Some(word.text.as_str()), among].into_iter().flatten();
                for name in names.map(|name| formula::call(name).0.to_owned()) {
                    self.sets.insert(name.clone());
                    self.asked.insert(name);
                }
            }
        }
        let told = parts.actions.iter().filter_map(|(_, action)| action.tells.as_ref());
        told.for_each(|word| self.event(subject, word));
        for cell in parts.ignore.iter().chain(&parts.impossible) {
            cell.events.iter().for_each(|word| self.event(subject, word));
            self.sets.extend(cell.states.iter().map(|word| word.text.clone()));
        }
        let words = parts.resource_lists().flatten();
        self.resources.extend(words.map(|word| word.text.clone()));
    }

    fn event(&mut self, subject: &Subject<'_>, word: &Word) {
        if let Ok((id, _)) = pattern::event(&word.text, subject.lookup.vocabulary) {
            self.events.insert(subject.event(id).to_owned());
        } else {
            self.events.insert(pattern::split(&word.text).0.to_owned());
        }
    }
}

fn keys<T>(named: &raw::Named<T>) -> Vec<&str> {
    named.iter().map(|(word, _)| word.text.as_str()).collect()
}
