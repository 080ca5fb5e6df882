//! Declarations that nothing uses. What the literal table uses may be idle in the amended one.

use crate::code;
use crate::fault::Fault;
use crate::lint::Subject;
use crate::raw::{Condition, Loop, Parts, Row, SetRow, keys};
use crate::read::draft::KINDS;
use crate::read::{formula, pattern};
use crate::sorted::Set;
use crate::yaml::Word;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let draft = subject.lookup.draft;
    let used = Used::of(subject);
    let parts = &draft.parts;
    let open = used.open(subject);
    let mut put = |section: &str, what: &str, word: &Word, used: &Set<&str>| {
        if !open.contains(&section) && !used.has(word.text.as_str()) {
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
struct Used<'a> {
    events: Set<&'a str>,
    actions: Set<&'a str>,
    guards: Set<&'a str>,
    sets: Set<&'a str>,
    resources: Set<&'a str>,
    asked: Set<&'a str>,
}

impl<'a> Used<'a> {
    /// What the table uses, and what the literal one and the amendments use beside it.
    fn of(subject: &Subject<'a>) -> Self {
        let (draft, raw) = (subject.lookup.draft, subject.raw);
        let mut used = Self::default();
        draft.rows.iter().for_each(|(_, row)| used.row(subject, row));
        used.parts(subject, &draft.parts);
        for amendment in &raw.amendments {
            used.all(subject, &amendment.add);
            used.all(subject, &amendment.change);
            amendment.rows.iter().for_each(|change| used.change(subject, &change.set));
        }
        used.all(subject, &raw.parts);
        used
    }

    /// The sections of which a name is used that nothing declares: it may have been meant for any
    /// of theirs.
    fn open(&self, subject: &Subject<'_>) -> Vec<&'static str> {
        let raw = subject.raw;
        let mut all: Vec<&Parts> = vec![&raw.parts];
        all.extend(raw.amendments.iter().map(|amendment| &amendment.add));
        let of = |names: fn(&Parts) -> Vec<&str>, more: &[&'static str]| {
            let mut known = Set::default();
            known.add_all(more.iter().copied());
            all.iter().for_each(|parts| known.add_all(names(parts)));
            known
        };
        let asked = of(|parts| [parts.asked(), parts.places()].concat(), &["any", "same"]);
        let kinds: Vec<&str> = KINDS.iter().map(|(word, _)| *word).collect();
        let is_open = |used: &Set<&str>, known: &Set<&str>| {
            used.iter().any(|(name, ())| !name.contains(" in ") && !known.has(name))
        };
        let mut open = Vec::new();
        for (section, used, known) in [
            ("events", &self.events, of(|parts| keys(&parts.events), &[])),
            ("actions", &self.actions, of(|parts| keys(&parts.actions), &[])),
            ("guards", &self.guards, of(|parts| keys(&parts.guards), &[])),
            ("resources", &self.resources, of(|parts| keys(&parts.resources), &kinds)),
        ] {
            open.extend(is_open(used, &known).then_some(section));
        }
        open.extend(is_open(&self.sets, &asked).then_some("sets"));
        if is_open(&self.asked, &asked) {
            open.extend(["predicates", "collections"]);
        }
        open
    }

    fn all(&mut self, subject: &Subject<'_>, parts: &'a Parts) {
        parts.rows.iter().for_each(|row| self.row(subject, row));
        self.parts(subject, parts);
    }

    fn row(&mut self, subject: &Subject<'_>, row: &'a Row) {
        row.event.iter().for_each(|word| self.event(subject, word));
        self.guards.add_all(row.guards().into_iter().map(text));
        self.sets.add_all(row.from.iter().map(text));
        self.actions.add_all(row.does.iter().map(text));
        self.loops(&row.loops);
    }

    fn change(&mut self, subject: &Subject<'_>, set: &'a SetRow) {
        set.event.iter().flatten().for_each(|word| self.event(subject, word));
        self.sets.add_all(set.from.iter().flatten().map(text));
        let mut conditions: Vec<&Condition> = set.condition.iter().collect();
        if let Some(does) = &set.does {
            conditions.extend(does.branches.iter().map(|branch| &branch.condition));
            self.actions.add_all(does.words.iter().map(text));
            self.loops(&does.loops);
        }
        for condition in conditions {
            self.guards.add_all(condition.names().into_iter().map(text));
        }
    }

    fn loops(&mut self, loops: &'a [Loop]) {
        self.asked.add_all(loops.iter().map(|one| one.collection.text.as_str()));
    }

    fn parts(&mut self, subject: &Subject<'_>, parts: &'a Parts) {
        for (_, rule) in parts.all_rules() {
            for word in rule.is.texts() {
                let among = word.text.split_once(" in ").map(|(_, among)| among);
                for name in [Some(word.text.as_str()), among].into_iter().flatten() {
                    let name = formula::call(name).0;
                    self.sets.add(name);
                    self.asked.add(name);
                }
            }
        }
        let told = parts.actions.iter().filter_map(|(_, action)| action.tells.as_ref());
        told.for_each(|word| self.event(subject, word));
        for cell in parts.cells() {
            cell.events.iter().for_each(|word| self.event(subject, word));
            self.sets.add_all(cell.states.iter().map(text));
        }
        self.resources.add_all(parts.resource_lists().into_iter().flatten().map(text));
    }

    fn event(&mut self, subject: &Subject<'_>, word: &'a Word) {
        let mut events = subject.lookup.vocabulary.events.iter();
        let is_whole = events.any(|event| event.name.name == word.text);
        self.events.add(if is_whole { &word.text } else { pattern::split(&word.text).0 });
    }
}

fn text(word: &Word) -> &str {
    &word.text
}
