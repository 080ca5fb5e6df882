//! The recorded states in which some operation may be part of an action: a changed one, or one with
//! a tag.
//!
//! An operation is part of an action of a state if the part enables it, or if another part of the
//! state has an operation that triggers it. A part that the same action has changed before is not
//! one of the state: what an operation on it triggers may be triggered in any state, and whether
//! the operation itself is applied is not said here.

use std::collections::BTreeMap;

use crate::interned::tables::{OperationId, Tables};
use crate::variants::recording::RecordedSearch;

/// The part has none of the operations.
const NEVER: u32 = 0;
/// One of the operations may be part of an action whatever the other parts are.
const ALWAYS: u32 = 1;
/// The first number of a condition on the other parts.
const FIRST_CONDITION: u32 = 2;

/// The parts of a place, as those that trigger something.
type Parts = (usize, Vec<bool>);

/// Which recorded states have one of some operations.
pub(super) struct Affected {
    /// By place with such operations: of each part [`NEVER`], [`ALWAYS`] or a condition.
    places: Vec<(usize, Vec<u32>)>,
    /// By condition: one of these parts of another place is in the state.
    conditions: Vec<Vec<Parts>>,
}

impl Affected {
    /// The states with an action that one of these operations may be part of.
    pub(super) fn by(
        recording: &RecordedSearch,
        tables: &Tables,
        operations: &[OperationId],
    ) -> Self {
        let mut by_part: BTreeMap<(u16, u32), Vec<Option<u32>>> = BTreeMap::new();
        for &OperationId { place, part, op } in operations {
            by_part.entry((place, part)).or_default().push(op);
        }
        let mut affected = Self { places: Vec::new(), conditions: Vec::new() };
        for ((place, part), operations) in by_part {
            let of = condition(recording, tables, (place, part), &operations);
            let index = usize::from(place);
            if affected.places.last().is_none_or(|(last, _)| *last != index) {
                let parts = tables.places[index].len();
                affected.places.push((index, vec![NEVER; parts]));
            }
            let number = match of {
                None => ALWAYS,
                Some(condition) => affected.number(condition),
            };
            let (_, parts) = affected.places.last_mut().expect("it has one");
            parts[part as usize] = number;
        }
        affected
    }

    /// The number of a condition.
    fn number(&mut self, condition: Vec<Parts>) -> u32 {
        let known = self.conditions.iter().position(|one| *one == condition);
        let index = known.unwrap_or(self.conditions.len());
        if known.is_none() {
            self.conditions.push(condition);
        }
        FIRST_CONDITION + u32::try_from(index).expect("at most one for each part")
    }

    /// Whether a recorded state, given by its vector, may have other transitions.
    pub(super) fn includes(&self, vector: &[u32]) -> bool {
        self.places.iter().any(|(place, parts)| match parts[vector[*place] as usize] {
            NEVER => false,
            ALWAYS => true,
            number => self.conditions[(number - FIRST_CONDITION) as usize]
                .iter()
                .any(|(place, parts)| parts[vector[*place] as usize]),
        })
    }
}

/// The parts of which a state must have one so that one of these operations on a part is part of an
/// action. `None`: any state with the part may have such an action.
fn condition(
    recording: &RecordedSearch,
    tables: &Tables,
    (place, part): (u16, u32),
    operations: &[Option<u32>],
) -> Option<Vec<Parts>> {
    let places = &tables.places;
    let mut parts: BTreeMap<u16, Vec<bool>> = BTreeMap::new();
    for op in operations {
        let op = (*op)?;
        let enabled = places[usize::from(place)].enabled[part as usize].as_deref();
        if enabled.is_none_or(|enabled| enabled.iter().any(|one| one.op == op)) {
            return None;
        }
        // No entry: then nothing triggers it.
        let triggers =
            recording.triggers.get(&(place, op)).map_or(Some(&[][..]), |of| of.as_deref())?;
        for &(at, part) in triggers {
            let len = places[usize::from(at)].len();
            parts.entry(at).or_insert_with(|| vec![false; len])[part as usize] = true;
        }
    }
    Some(parts.into_iter().map(|(place, parts)| (usize::from(place), parts)).collect())
}
