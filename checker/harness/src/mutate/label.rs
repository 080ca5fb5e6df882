//! Names of rows in mutants: the id, and as much more as distinguishes the rows that one row of the
//! file expands to.

use std::collections::BTreeSet;

use turnstile_spec::table::{Condition, Row, Table, Vocabulary};

use crate::plain::words;

/// A unique name for each row of a table.
pub(crate) fn labels(vocabulary: &Vocabulary, table: &Table) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for row in &table.rows {
        let like: Vec<&Row> = table.rows.iter().filter(|other| other.id == row.id).collect();
        let exact = ways(vocabulary, row).into_iter().enumerate().find(|(nth, _)| {
            let all = like.iter().map(|other| ways(vocabulary, other).swap_remove(*nth));
            all.collect::<BTreeSet<String>>().len() == like.len()
        });
        let words = exact.map(|(_, words)| words);
        let words = words.or_else(|| ways(vocabulary, row).pop()).unwrap_or_default();
        let nth = 1 + labels.iter().filter(|other| **other == words).count();
        labels.push(if nth == 1 { words } else { format!("{words} ({nth})") });
    }
    labels
}

/// The candidates for a row's name, the shortest first.
fn ways(vocabulary: &Vocabulary, row: &Row) -> Vec<String> {
    let id = words::row(vocabulary, row.id);
    let from = words::state(vocabulary, row.from);
    let event = words::event_class(&vocabulary.events[row.event.index()], &row.pattern);
    let guard = condition(vocabulary, &row.guard);
    vec![
        id.to_owned(),
        format!("{id} in {from}"),
        format!("{id} on {event}"),
        format!("{id} in {from} on {event}"),
        format!("{id} if {guard}"),
        format!("{id} in {from} if {guard}"),
        format!("{id} in {from} on {event} if {guard}"),
    ]
}

/// A condition as text; `always` if there is none.
pub(crate) fn condition(vocabulary: &Vocabulary, guard: &Condition) -> String {
    let join = |parts: &[Condition], with: &str| {
        let parts: Vec<String> = parts
            .iter()
            .filter(|part| **part != Condition::default())
            .map(|part| match part {
                Condition::Is(_) | Condition::Not(_) => condition(vocabulary, part),
                Condition::All(some) | Condition::Any(some) if some.len() == 1 => {
                    condition(vocabulary, part)
                }
                Condition::All(_) | Condition::Any(_) => {
                    format!("({})", condition(vocabulary, part))
                }
            })
            .collect();
        parts.join(with)
    };
    match guard {
        Condition::Is(id) => vocabulary.guards[id.index()].name.clone(),
        Condition::All(parts) if parts.iter().all(|part| *part == Condition::default()) => {
            "always".to_owned()
        }
        Condition::Any(parts) if parts.is_empty() => "never".to_owned(),
        Condition::All(parts) => join(parts, " and "),
        Condition::Any(parts) => join(parts, " or "),
        Condition::Not(part) => match **part {
            Condition::Is(_) | Condition::Not(_) => format!("not {}", condition(vocabulary, part)),
            Condition::All(_) | Condition::Any(_) => {
                format!("not ({})", condition(vocabulary, part))
            }
        },
    }
}
