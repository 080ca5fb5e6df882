//! Every mutant of a table, and which of them are judged.

use std::collections::BTreeMap;

use turnstile_spec::table::{Table, Vocabulary};

use super::change::Mutant;
use super::{formulas, rows};

/// Which mutants are judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Only(pub Option<String>);

impl Only {
    /// Whether the text occurs in the row or in the change; every mutant without a text.
    pub(super) fn takes(&self, mutant: &Mutant) -> bool {
        let Self(text) = self;
        let is_in = |text: &String| mutant.row.contains(text) || mutant.change.contains(text);
        text.as_ref().is_none_or(is_in)
    }
}

/// Every mutant of a table, in its order.
#[must_use]
pub fn mutants(vocabulary: &Vocabulary, table: &Table) -> Vec<Mutant> {
    let mut mutants = rows::mutants(vocabulary, table);
    mutants.extend(formulas::mutants(vocabulary, table));
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for mutant in &mut mutants {
        let count = seen.entry((mutant.row.clone(), mutant.change.clone())).or_default();
        *count += 1;
        // A number distinguishes two with the same text.
        if *count > 1 {
            mutant.change = format!("{} ({count})", mutant.change);
        }
    }
    mutants
}
