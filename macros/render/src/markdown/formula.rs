//! Rules, invariants, predicates and collections as a page shows them.

use turnstile_spec::formula::{Definition, Evaluator, Formulas, Signature, Symbols};
use turnstile_spec::versions::{Amendment, Change};

use super::inline::{escaped, in_cell, lines, link};
use crate::sheet::Sheet;

/// What is answered or listed.
pub(super) struct Answer {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) about: String,
    pub(super) cite: String,
}

/// A guard that is a formula.
pub(super) struct GuardLine {
    pub(super) name: String,
    pub(super) is: String,
    pub(super) about: String,
    pub(super) cite: String,
}

/// A rule or an invariant.
pub(super) struct Statement {
    pub(super) head: String,
    pub(super) about: String,
    pub(super) cite: String,
    /// Its parts, indented by two spaces a level.
    pub(super) words: Vec<String>,
    pub(super) amended: String,
}

pub(super) fn answers(sheet: &Sheet<'_>) -> Vec<Answer> {
    let words = &sheet.vocabulary.formulas;
    let line = |kind: &'static str| {
        move |one: &Signature| Answer {
            name: escaped(&head(one)),
            kind: format!("{kind}{}", asked_of(one)),
            about: in_cell(&one.name.about),
            cite: lines(&one.name.cite),
        }
    };
    let predicates = words.predicates.iter().map(line("boolean"));
    predicates.chain(words.collections.iter().map(line("list"))).collect()
}

/// Who is asked, where it is not the core alone.
fn asked_of(one: &Signature) -> &'static str {
    match [Evaluator::Core, Evaluator::Whole, Evaluator::Row].map(|by| one.evaluators.has(by)) {
        [true, true, _] => ", from the core or the checker",
        [false, true, _] => ", from the checker (whole system)",
        [false, false, true] => ", for loops of rows",
        [true, false, _] | [false, false, false] => "",
    }
}

/// The rules and invariants of a table, in the order of the file.
pub(super) fn statements(sheet: &Sheet<'_>) -> Vec<Statement> {
    let words = &sheet.vocabulary.formulas;
    let Formulas { rules, invariants, guards: _ } = &sheet.table.formulas;
    let rules = words.rules.iter().zip(rules);
    let all = rules.chain(words.invariants.iter().zip(invariants));
    all.filter_map(|(one, stated)| Some(statement(sheet, one, stated.as_ref()?))).collect()
}

/// The guards that a formula answers.
pub(super) fn guards(sheet: &Sheet<'_>) -> Vec<GuardLine> {
    let guards = sheet.vocabulary.formulas.guards.iter().zip(&sheet.table.formulas.guards);
    let line = |(one, stated): (&Signature, &Option<Definition>)| {
        let words = stated.as_ref()?.words.iter().map(|words| words.trim());
        Some(GuardLine {
            name: escaped(&one.name.name),
            is: in_cell(&words.collect::<Vec<_>>().join(": ")),
            about: in_cell(&one.name.about),
            cite: lines(&one.name.cite),
        })
    };
    guards.filter_map(line).collect()
}

fn statement(sheet: &Sheet<'_>, one: &Signature, stated: &Definition) -> Statement {
    let is_touched =
        |id: &&Amendment| id.changes.iter().any(|change| is_of(change, &one.name.name));
    let by = sheet.amendments.iter().find(is_touched);
    Statement {
        head: escaped(&head(one)),
        about: one.name.about.clone(),
        cite: lines(&one.name.cite),
        words: stated.words.clone(),
        amended: by.map_or(String::new(), |by| link(&by.id)),
    }
}

/// Whether it adds, changes or removes the rule or invariant of this name.
fn is_of(change: &Change, formula: &str) -> bool {
    matches!(change, Change::Entry { section, name, .. }
        if matches!(*section, "rules" | "invariants") && name == formula)
}

/// `READ(client, range)`.
fn head(one: &Signature) -> String {
    match one.params.is_empty() {
        true => one.name.name.clone(),
        false => format!("{}({})", one.name.name, one.params.join(", ")),
    }
}

/// Where formulas stand: the names of a table, and its formulas.
pub(super) type Stated<'t> = (&'t Symbols, &'t Formulas);

/// A formula before and after an amendment, as lines of a difference.
pub(super) fn difference(
    (before, after): (Option<Stated<'_>>, Stated<'_>),
    section: &str,
    name: &str,
) -> Vec<String> {
    let of = |(words, formulas): Stated<'_>| {
        let (names, list) = match section {
            "rules" => (&words.rules, &formulas.rules),
            "invariants" => (&words.invariants, &formulas.invariants),
            "guards" => (&words.guards, &formulas.guards),
            _ => return Vec::new(),
        };
        let at = names.iter().position(|one| one.name.name == name);
        let stated = at.and_then(|at| list.get(at)?.as_ref());
        stated.map_or_else(Vec::new, |stated| stated.words.clone())
    };
    let (before, after) = (before.map_or_else(Vec::new, of), of(after));
    let line = |sign: char| move |words: &String| format!("{sign}   {words}");
    before.iter().map(line('-')).chain(after.iter().map(line('+'))).collect()
}
