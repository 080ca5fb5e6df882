//! States: those that only rows name, the initial one and the final ones.

use std::collections::BTreeSet;

use crate::draft::{Draft, RowDraft, StateDraft};
use crate::grid::{Word, lower};

pub(super) fn declare(draft: &mut Draft) {
    let mut known: BTreeSet<String> =
        draft.states.iter().map(|state| state.name.text.clone()).collect();
    let mut used: Vec<Word> = Vec::new();
    for row in &draft.rows {
        used.extend(row.from.iter().filter(|word| word.text != "any").cloned());
    }
    let to = draft.rows.iter().map(|row| row.to.clone()).filter(|to| to.text != "same");
    for name in used.into_iter().chain(to) {
        if known.insert(name.text.clone()) {
            let is_undeclared = draft.has_states;
            draft.states.push(StateDraft { name, is_undeclared, ..StateDraft::default() });
        }
    }
    for mark in std::mem::take(&mut draft.marks) {
        let place = draft.states.iter().position(|state| state.name.text == mark.state.text);
        let place = place.unwrap_or_else(|| {
            let is_undeclared = draft.has_states;
            let name = mark.state.clone();
            draft.states.push(StateDraft { name, is_undeclared, ..StateDraft::default() });
            draft.states.len() - 1
        });
        draft.states[place].is_initial |= mark.is_initial();
        draft.states[place].is_final |= mark.is_final();
    }
    initial(draft);
    ends(draft);
}

fn initial(draft: &mut Draft) {
    if draft.states.iter().any(|state| state.is_initial) {
        return;
    }
    let first = draft.rows.first().and_then(|row| row.from.first()).map(|word| word.text.clone());
    let is_first = |state: &StateDraft| Some(&state.name.text) == first.as_ref();
    let by_name = draft.states.iter().position(|state| lower(&state.name.text) == "initial");
    let place = by_name.or_else(|| draft.states.iter().position(is_first)).unwrap_or(0);
    if let Some(state) = draft.states.get_mut(place) {
        state.is_initial = true;
        state.guesses.push(if lower(&state.name.text) == "initial" {
            "initial by its name".to_owned()
        } else {
            "initial: the document says nothing, and the first row leaves it".to_owned()
        });
    }
}

/// Where no state is called final, those that no row leaves are.
fn ends(draft: &mut Draft) {
    if draft.states.iter().any(|state| state.is_final) {
        return;
    }
    let left: BTreeSet<&str> =
        draft.rows.iter().flat_map(|row| &row.from).map(|word| word.text.as_str()).collect();
    // `any` leaves each state that is not final, and none for itself.
    let is_any = |row: &&RowDraft| row.from.iter().any(|word| word.text == "any");
    let of_any: Vec<&str> =
        draft.rows.iter().filter(is_any).map(|row| row.to.text.as_str()).collect();
    for state in &mut draft.states {
        let name = state.name.text.as_str();
        if !left.contains(name) && of_any.iter().all(|to| *to == name) {
            state.is_final = true;
            state.guesses.push("final: no row of its own leaves it".to_owned());
        }
    }
}
