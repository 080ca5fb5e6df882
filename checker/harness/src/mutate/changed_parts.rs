//! The parts of a table that a mutant changes, as what computations read.

use std::collections::BTreeSet;

use turnstile_spec::formula::{Definition, Formula, Symbols};
use turnstile_spec::table::{COMPLETION, GuardId, Row, Table, Vocabulary};

use super::change::Edit;
use crate::tables::reads::Read;

/// Whatever reads none of these computes the same with the mutant's table.
pub(super) fn changed_parts(
    edit: &Edit,
    vocabulary: &Vocabulary,
    (before, after): (&Table, &Table),
) -> BTreeSet<Read> {
    let mut parts = BTreeSet::new();
    let Vocabulary { formulas, machine, .. } = vocabulary;
    match edit {
        Edit::Row(place, _) | Edit::Ignored(place) | Edit::Refused(place) => {
            let row = &before.rows[*place];
            let state = &vocabulary.states[row.from.index()].name;
            let event = &vocabulary.events[row.event.index()].name.name;
            parts.insert(match has_same_takers(edit, row, event) {
                true => Read::row(machine, state, event, &vocabulary.rows[row.id.index()].id),
                false => Read::cell(machine, state, event),
            });
            let guards = asked(before).symmetric_difference(&asked(after)).copied().collect();
            let guards: BTreeSet<GuardId> = guards;
            let name = |id: &GuardId| Read::is_asked(machine, &vocabulary.guards[id.index()].name);
            parts.extend(guards.iter().map(name));
        }
        Edit::Invariant(place, _) => {
            parts.insert(Read::formula(machine, &formulas.invariants[*place].name.name));
        }
        Edit::Guard(place, _) => {
            parts.insert(Read::formula(machine, &formulas.guards[*place].name.name));
        }
        Edit::Rule(place, _) => {
            let names = users(formulas, before, *place);
            parts.extend(names.into_iter().map(|name| Read::formula(machine, name)));
        }
    }
    parts
}

/// Whether a change of a row has an effect only where the row is one of those that match.
fn has_same_takers(edit: &Edit, row: &Row, event: &str) -> bool {
    let is_settled_apart = event == COMPLETION;
    !is_settled_apart
        && match edit {
            Edit::Row(_, now) => {
                (now.from, now.event, &now.pattern, &now.guard)
                    == (row.from, row.event, &row.pattern, &row.guard)
            }
            Edit::Refused(_) => true,
            // Its entry has no condition.
            Edit::Ignored(_) | Edit::Rule(..) | Edit::Invariant(..) | Edit::Guard(..) => false,
        }
}

/// The guards that some row has in its condition.
fn asked(table: &Table) -> BTreeSet<GuardId> {
    let mut asked = Vec::new();
    table.rows.iter().for_each(|row| row.guard.asked(&mut asked));
    asked.into_iter().collect()
}

/// The names of a rule and of all formulas that use it, directly or not.
fn users<'v>(symbols: &'v Symbols, table: &Table, rule: usize) -> BTreeSet<&'v str> {
    let of = &table.formulas;
    let mut rules = BTreeSet::from([rule]);
    let uses = |stated: &Option<Definition>, rules: &BTreeSet<usize>| {
        stated.as_ref().is_some_and(|stated| uses(&stated.formula, rules))
    };
    loop {
        let before = rules.len();
        let more: Vec<usize> =
            (0..of.rules.len()).filter(|place| uses(&of.rules[*place], &rules)).collect();
        rules.extend(more);
        if rules.len() == before {
            break;
        }
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (signatures, all) in [(&symbols.guards, &of.guards), (&symbols.invariants, &of.invariants)]
    {
        let users = signatures.iter().zip(all).filter(|(_, stated)| uses(stated, &rules));
        names.extend(users.map(|(signature, _)| signature.name.name.as_str()));
    }
    names.extend(rules.iter().map(|place| symbols.rules[*place].name.name.as_str()));
    names
}

/// Whether a formula uses one of these rules.
fn uses(formula: &Formula, rules: &BTreeSet<usize>) -> bool {
    match formula {
        Formula::Is { .. } | Formula::In { .. } => false,
        Formula::Rule { rule, .. } => rules.contains(&rule.index()),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().any(|part| uses(part, rules)),
        Formula::Not(part) | Formula::Every(_, part) | Formula::Some(_, part) => uses(part, rules),
        Formula::Iff(one, other) => uses(one, rules) || uses(other, rules),
    }
}
