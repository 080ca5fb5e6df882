//! Rules and invariants whose words say nothing, and loops that cannot be.

use crate::code;
use crate::fault::{Fault, merge};
use crate::formula::Asker;
use crate::likeness::nearest;
use crate::lint::Subject;
use crate::raw::Row;
use crate::read::formula;
use crate::table::{Do, Row as Built};

/// Names in formulas and loops that nothing declares, but for those that are told of a row; and
/// what nobody can answer, which in a mended text may be due to the mending.
pub(super) fn names(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let told = faults.iter().filter(|fault| fault.code == code::UNDECLARED_STATE);
    let told: Vec<&str> = told.filter_map(named).collect();
    let mut found = Vec::new();
    all(subject, &mut found);
    let unanswered: Vec<Fault> =
        found.extract_if(.., |fault| fault.code == code::ASKED_OF).collect();
    found.retain(|fault| {
        let is_told = named(fault).is_some_and(|name| told.contains(&name));
        fault.code == code::UNDECLARED_PREDICATE && !is_told
    });
    let mut names: Vec<Fault> = Vec::new();
    for fault in found {
        match names.iter_mut().find(|known| named(known) == named(&fault)) {
            Some(known) => known.also(fault.span()),
            None => names.push(fault),
        }
    }
    faults.extend(names);
    faults.extend(unanswered);
}

/// The name that a fault's message speaks of.
fn named(fault: &Fault) -> Option<&str> {
    fault.message.split('`').nth(1)
}

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let mut found = Vec::new();
    all(subject, &mut found);
    found.retain(|fault| ![code::UNDECLARED_PREDICATE, code::ASKED_OF].contains(&fault.code));
    merge(&mut found, &[code::ARGUMENTS]);
    faults.extend(found);
}

fn all(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let parts = &subject.lookup.draft.parts;
    for (name, rule) in parts.all_rules() {
        if let Err(mut more) = formula::resolve(subject.lookup, name, rule) {
            merge(&mut more, &[code::VARIABLE]);
            faults.extend(more);
        }
    }
    for (name, rule) in &parts.invariants {
        if let Some(word) = rule.of.first() {
            let fault = Fault::finding(
                code::FORMULA,
                format!("the invariant `{}` has a parameter", name.text),
            )
            .label(word.span, "of which thing is it to be so?")
            .help(format!("write `every: {} in …` in its formula", word.text));
            faults.push(fault);
        }
    }
    for (_, row) in &subject.lookup.draft.rows {
        entries(subject, row, faults);
    }
    subject.table.rows.iter().for_each(|row| done(subject, row, faults));
}

fn entries(subject: &Subject<'_>, row: &Row, faults: &mut Vec<Fault>) {
    for (span, what) in &row.faulty {
        let fault = Fault::finding(code::LOOP, "an entry of `do` that cannot be")
            .label(*span, *what)
            .help("write an action, `{ if: GUARD, do: .. }` or `{ for each: COLLECTION, do: .. }`");
        faults.push(fault);
    }
    let collections = &subject.lookup.vocabulary.formulas.collections;
    for one in &row.loops {
        let word = &one.collection;
        let Some(known) = collections.iter().find(|known| known.name.name == word.text) else {
            let known = collections.iter().map(|one| one.name.name.as_str());
            let help = match nearest(&word.text, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "declare it under `collections`".to_owned(),
            };
            let message = format!("collection `{}` is not declared", word.text);
            let fault = Fault::finding(code::UNDECLARED_PREDICATE, message)
                .label(word.span, "no such collection");
            faults.push(fault.help(help));
            continue;
        };
        if !known.asked.has(Asker::Row) && known.of.is_empty() {
            let fault =
                Fault::finding(code::ASKED_OF, format!("no row goes through `{}`", word.text))
                    .label(word.span, "asked of the row that is taken")
                    .label(known.name.span, "declared here")
                    .help("add `row` to its `asked of`");
            faults.push(fault);
        }
        if !known.of.is_empty() {
            let fault = Fault::finding(code::LOOP, format!("`{}` is of something", word.text))
                .label(word.span, "a row has nothing to give it")
                .label(known.name.span, "declared here")
                .help("loop over a collection without `of`");
            faults.push(fault);
        }
    }
}

/// A state holds a resource once, so a loop may not touch any.
fn done(subject: &Subject<'_>, row: &Built, faults: &mut Vec<Fault>) {
    for Do::Act { action, ops, each } in &row.does {
        if each.is_none() || ops.is_empty() {
            continue;
        }
        let name = &subject.lookup.vocabulary.actions[action.index()];
        let fault = Fault::finding(code::LOOP, format!("`{}` in a loop", name.name))
            .label(subject.row_at(row.id), "done for each of several things")
            .label(name.span, "creates or deletes what a state holds once")
            .help("take the action out of the loop");
        if faults.iter().all(|known| known.span() != fault.span() || known.code != code::LOOP) {
            faults.push(fault);
        }
    }
}
