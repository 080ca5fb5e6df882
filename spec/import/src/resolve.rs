//! What takes several rows to understand: lists of sources and of events, "else", and comparisons
//! that are the opposite of another.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_spec::{Diagnostic, limit};

use crate::code;
use crate::draft::{Draft, Formula, GuardDraft, RowDraft};
use crate::fault::error;
use crate::grid::Word;
use crate::phrase;
use crate::rows::RawRow;

/// Adds the rows to the draft.
pub(crate) fn rows(raw: Vec<RawRow>, draft: &mut Draft, faults: &mut Vec<Diagnostic>) {
    let mut known: Vec<String> = draft.states.iter().map(|state| state.name.text.clone()).collect();
    for RawRow { row, .. } in &raw {
        known.extend(row.from.iter().map(|word| word.text.clone()));
        known.push(row.to.text.clone());
    }
    known.sort();
    known.dedup();
    let events: BTreeSet<String> = raw.iter().map(|raw| raw.row.event.text.clone()).collect();
    let raw = raw.into_iter().flat_map(|raw| by_event(raw, &events));
    let mut guards: BTreeMap<(String, String), Vec<Formula>> = BTreeMap::new();
    for RawRow { mut row, guard, marks } in raw {
        draft.marks.extend(marks);
        row.from = sources(&row, &known);
        let from: Vec<&str> = row.from.iter().map(|word| word.text.as_str()).collect();
        let key = (from.join(", "), row.event.text.clone());
        let others = guards.entry(key).or_default();
        row.guard = if phrase::is_else(&guard) {
            let not = |one: &Formula| Formula::Not(Box::new(one.clone()));
            let all: Vec<Formula> = others.iter().take(limit::CONDITION).map(not).collect();
            if all.is_empty() {
                let message = format!("`{guard}` follows no row of this state and event");
                let fault =
                    error(code::NO_NAME, row.event.span, message).label("no condition above");
                faults.push(fault.help("write the rows with conditions first, or name this one"));
            }
            Some(if all.len() == 1 { all[0].clone() } else { Formula::All(all) })
        } else {
            let formula = phrase::formula(&guard).map(|formula| named(formula, &row, draft));
            others.extend(formula.clone());
            formula
        };
        draft.rows.push(row);
    }
}

/// A row for each event of a list of which one is an event elsewhere.
fn by_event(raw: RawRow, known: &BTreeSet<String>) -> Vec<RawRow> {
    let parts = phrase::split(&raw.row.event.text, |c| ",;\n".contains(c));
    let Some(one) = parts.iter().find(|part| known.contains(*part)).filter(|_| parts.len() > 1)
    else {
        return vec![raw];
    };
    let guess = format!("{} events: `{one}` is one elsewhere", parts.len());
    let row = |part: &String| {
        let mut row = raw.row.clone();
        row.event.text.clone_from(part);
        row.guesses.push(guess.clone());
        RawRow { row, guard: raw.guard.clone(), marks: raw.marks.clone() }
    };
    parts.iter().map(row).collect()
}

/// The sources of a cell: one state, or several that are states elsewhere.
fn sources(row: &RowDraft, known: &[String]) -> Vec<Word> {
    let [only] = row.from.as_slice() else { return row.from.clone() };
    if phrase::is_any(&only.text) {
        return vec![only.with("any")];
    }
    let parts = phrase::split(&only.text, |c| ",;/\n".contains(c));
    let parts: Vec<&str> =
        parts.iter().flat_map(|part| part.split(" or ")).map(str::trim).collect();
    let is_known = |part: &&str| known.binary_search_by(|one| one.as_str().cmp(part)).is_ok();
    if parts.len() > 1 && parts.iter().all(is_known) {
        return parts.into_iter().map(|part| only.with(part)).collect();
    }
    vec![only.clone()]
}

/// Declares the guards of a formula; a comparison whose opposite is declared is its negation.
fn named(formula: Formula, row: &RowDraft, draft: &mut Draft) -> Formula {
    let mut each =
        |list: Vec<Formula>| list.into_iter().map(|one| named(one, row, draft)).collect();
    match formula {
        Formula::All(list) => Formula::All(each(list)),
        Formula::Any(list) => Formula::Any(each(list)),
        Formula::Not(one) => match named(*one, row, draft) {
            Formula::Not(one) => *one,
            one @ (Formula::Is(_) | Formula::All(_) | Formula::Any(_)) => {
                Formula::Not(Box::new(one))
            }
        },
        Formula::Is(text) => {
            let is = |name: &str| draft.guards.iter().any(|guard| guard.name.text == name);
            let opposite = phrase::complements(&text).into_iter().find(|opposite| is(opposite));
            if let Some(opposite) = opposite {
                return Formula::Not(Box::new(Formula::Is(opposite)));
            }
            if !is(&text) {
                let name = row.event.with(text.as_str());
                draft.guards.push(GuardDraft { name, ..GuardDraft::default() });
            }
            Formula::Is(text)
        }
    }
}
