//! Unused declarations. A name used only by the table as written counts as used.

use crate::diagnostic::{Diagnostic, code};
use crate::lint::context::LintContext;
use crate::raw::{Condition, Loop, Row, Sections, SetRow, call, keys};
use crate::read::draft::KINDS;
use crate::read::pattern;
use crate::variable::Relation;
use crate::vec_map::VecSet;
use crate::yaml::Word;

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let draft = cx.lookup.draft;
    let used = Used::of(cx);
    let parts = &draft.parts;
    let open = used.open(cx);
    let missed = missed(diagnostics);
    let mut put = |section: &str, what: &str, word: &Word, used: &VecSet<&str>| {
        if !open.contains(&section) && !used.has(word.text.as_str()) && !missed.has(&word.text) {
            let diagnostic =
                Diagnostic::finding(code::UNUSED, format!("unused {what} `{}`", word.text))
                    .label(word.span, "declared here")
                    .help(format!("use it, or remove it from `{section}`"));
            diagnostics.push(diagnostic);
        }
    };
    parts.events.iter().for_each(|(word, _)| put("events", "event", word, &used.events));
    parts.actions.iter().for_each(|(word, _)| put("actions", "action", word, &used.actions));
    parts.guards.iter().for_each(|(word, _)| put("guards", "guard", word, &used.guards));
    parts.sets.iter().for_each(|(word, _)| put("sets", "set", word, &used.sets));
    let variables = parts.variables.iter();
    variables.for_each(|(word, _)| put("variables", "variable", word, &used.variables));
    let lists = [("predicates", "predicate"), ("collections", "collection")];
    for ((section, what), list) in lists.into_iter().zip([&parts.predicates, &parts.collections]) {
        list.iter().for_each(|(word, _)| put(section, what, word, &used.asked));
    }
    parts
        .resources
        .iter()
        .for_each(|(word, _)| put("resources", "resource", word, &used.resources));
}

/// The names that the fix of another diagnostic uses: an event without a row, and an action that a
/// row lacks.
fn missed(diagnostics: &[Diagnostic]) -> VecSet<String> {
    let mut missed = VecSet::default();
    for diagnostic in diagnostics {
        match diagnostic.code {
            code::UNHANDLED_EVENT | code::UNHANDLED_TIMER => {
                let events = diagnostic.cells.iter().map(|cell| pattern::split(&cell.event).0);
                missed.add_all(events.map(str::to_owned));
            }
            code::RESOURCE_LEAK | code::NOT_CREATED => {
                let help = diagnostic.help.as_deref().unwrap_or_default();
                missed.add_all(help.split('`').skip(1).step_by(2).map(str::to_owned));
            }
            _ => {}
        }
    }
    missed
}

#[derive(Default)]
struct Used<'a> {
    events: VecSet<&'a str>,
    actions: VecSet<&'a str>,
    guards: VecSet<&'a str>,
    sets: VecSet<&'a str>,
    resources: VecSet<&'a str>,
    variables: VecSet<&'a str>,
    asked: VecSet<&'a str>,
}

impl<'a> Used<'a> {
    /// The names used by this table, by the table as written and by the amendments.
    fn of(cx: &LintContext<'a>) -> Self {
        let (draft, raw) = (cx.lookup.draft, cx.raw);
        let mut used = Self::default();
        draft.rows.iter().for_each(|(_, row)| used.row(cx, row));
        used.parts(cx, &draft.parts);
        for amendment in &raw.amendments {
            used.all(cx, &amendment.add);
            used.all(cx, &amendment.change);
            amendment.rows.iter().for_each(|change| used.change(cx, &change.set));
        }
        used.all(cx, &raw.parts);
        used
    }

    /// The sections to which an undeclared name may belong: any of their declarations may be what
    /// it was meant to use.
    fn open(&self, cx: &LintContext<'_>) -> Vec<&'static str> {
        let raw = cx.raw;
        let mut all: Vec<&Sections> = vec![&raw.parts];
        all.extend(raw.amendments.iter().map(|amendment| &amendment.add));
        let of = |names: fn(&Sections) -> Vec<&str>, more: &[&'static str]| {
            let mut known = VecSet::default();
            known.add_all(more.iter().copied());
            all.iter().for_each(|parts| known.add_all(names(parts)));
            known
        };
        let asked = of(|parts| [parts.asked(), parts.places()].concat(), &["any", "same"]);
        let kinds: Vec<&str> = KINDS.iter().map(|(word, _)| *word).collect();
        let is_open = |used: &VecSet<&str>, known: &VecSet<&str>| {
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

    fn all(&mut self, cx: &LintContext<'_>, parts: &'a Sections) {
        parts.rows.iter().for_each(|row| self.row(cx, row));
        let of_states = parts.states.iter().flat_map(|(_, state)| state.actions());
        self.actions.add_all(of_states.map(text));
        self.parts(cx, parts);
    }

    fn row(&mut self, cx: &LintContext<'_>, row: &'a Row) {
        row.event.iter().for_each(|word| self.event(cx, word));
        self.guards.add_all(row.guards().into_iter().map(text));
        self.sets.add_all(row.from.iter().map(text));
        self.actions.add_all(row.actions.iter().map(text));
        self.loops(&row.loops);
    }

    fn change(&mut self, cx: &LintContext<'_>, set: &'a SetRow) {
        set.event.iter().flatten().for_each(|word| self.event(cx, word));
        self.sets.add_all(set.from.iter().flatten().map(text));
        let mut conditions: Vec<&Condition> = set.condition.iter().collect();
        if let Some(actions) = &set.actions {
            conditions.extend(actions.branches.iter().map(|branch| &branch.condition));
            self.actions.add_all(actions.words.iter().map(text));
            self.loops(&actions.loops);
        }
        for condition in conditions {
            self.guards.add_all(condition.names().into_iter().map(text));
        }
    }

    fn loops(&mut self, loops: &'a [Loop]) {
        self.asked.add_all(loops.iter().map(|one| one.collection.text.as_str()));
    }

    fn parts(&mut self, cx: &LintContext<'_>, parts: &'a Sections) {
        for (_, rule) in parts.all_rules() {
            for word in rule.is.texts() {
                let among = word.text.split_once(" in ").map(|(_, among)| among);
                for name in [Some(word.text.as_str()), among].into_iter().flatten() {
                    let name = call(name).0;
                    self.sets.add(name);
                    self.asked.add(name);
                }
            }
        }
        for (_, action) in &parts.actions {
            let assigned = [&action.sets, &action.adds].into_iter().flatten().flatten();
            self.variables.add_all(assigned.flat_map(|(one, other)| [text(one), text(other)]));
            self.variables.add_all(action.clears.iter().flatten().map(text));
            let sent = action.sends.as_ref().and_then(|sent| pattern::split(&sent.text).1);
            self.variables.add_all(sent);
        }
        for (_, guard) in &parts.guard_comparisons {
            let compared = guard.is.texts().into_iter();
            let compared = compared.filter_map(|word| Relation::split(&word.text));
            self.variables.add_all(compared.flat_map(|(one, _, other)| [one, other]));
        }
        let told = parts.actions.iter().filter_map(|(_, action)| action.tells.as_ref());
        told.for_each(|word| self.event(cx, word));
        for cell in parts.cells() {
            cell.events.iter().for_each(|word| self.event(cx, word));
            self.sets.add_all(cell.states.iter().map(text));
        }
        self.resources.add_all(parts.resource_lists().into_iter().flatten().map(text));
    }

    fn event(&mut self, cx: &LintContext<'_>, word: &'a Word) {
        let mut events = cx.lookup.vocabulary.events.iter();
        let is_whole = events.any(|event| event.name.name == word.text);
        self.events.add(if is_whole { &word.text } else { pattern::split(&word.text).0 });
    }
}

fn text(word: &Word) -> &str {
    &word.text
}
