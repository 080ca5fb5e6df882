//! Whether each amendment is necessary: without it, and without those that depend on it, one of the
//! checks in its `shown-by` must fail, and must not fail without the dependent ones alone. Likewise
//! whether the checks that a reading names fail in it. Nothing here changes a file or knows a
//! protocol.

mod evidence;
mod without;

use std::collections::BTreeSet;

use turnstile_spec::versions::{Amendment, Reading};
use turnstile_spec::{System, WrittenTable};

pub use self::evidence::{Evidence, EvidenceOutcome};

use self::without::WithoutAmendment;
use crate::options::Options;
use crate::registry::Systems;

/// The verification of one amendment.
#[derive(Clone, Debug)]
pub struct Verification {
    /// Its name.
    pub id: String,
    /// Its reason.
    pub because: String,
    /// The amendments removed: this one first, then those that depend on it.
    pub without: Vec<String>,
    /// The checks named in its `shown-by`, in the order of the file.
    pub shown_by: Vec<Evidence>,
}

impl Verification {
    /// The checks that fail without it, and not without the dependent ones alone.
    pub fn shown(&self) -> impl Iterator<Item = &Evidence> {
        self.shown_by.iter().filter(|shown| {
            matches!(
                shown.outcome,
                EvidenceOutcome::Fault(_) | EvidenceOutcome::Counterexample { .. }
            )
        })
    }

    /// Whether a check fails without it.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.shown().next().is_some()
    }

    /// Whether no check failed and a search was truncated.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        let mut shown = self.shown_by.iter();
        !self.is_needed()
            && shown.any(|shown| matches!(shown.outcome, EvidenceOutcome::Truncated(_)))
    }
}

/// Removes an amendment and runs the checks in its `shown-by`. `systems`: those that the checks may
/// name; their other machines run the tables of the options.
#[must_use]
pub fn verify(
    literal: &WrittenTable,
    amendment: &Amendment,
    systems: (&Systems, &[System]),
    options: &Options<'_>,
) -> Verification {
    let without = left_out(&amendment.id, &literal.amendments);
    let left = WithoutAmendment::new(literal, &without, systems, options);
    Verification {
        id: amendment.id.clone(),
        because: amendment.because.clone(),
        shown_by: left.outcomes(&amendment.shown_by),
        without: without.into_iter().map(str::to_owned).collect(),
    }
}

/// Runs the checks that a reading names, which must fail. `literal`: the table in that reading.
#[must_use]
pub fn verify_reading(
    literal: &WrittenTable,
    reading: &Reading,
    systems: (&Systems, &[System]),
    options: &Options<'_>,
) -> Verification {
    Verification {
        id: reading.id.clone(),
        because: reading.is.clone(),
        shown_by: WithoutAmendment::new(literal, &[], systems, options).outcomes(&reading.differs),
        without: reading.without.clone(),
    }
}

/// The amendment and those that depend on it, directly or indirectly.
fn left_out<'a>(id: &'a str, all: &'a [Amendment]) -> Vec<&'a str> {
    let mut ids = vec![id];
    let mut nth = 0;
    while nth < ids.len() {
        let needs = |other: &&Amendment| other.needs.iter().any(|need| need == ids[nth]);
        let more: Vec<&str> = all.iter().filter(needs).map(|other| other.id.as_str()).collect();
        ids.extend(more);
        nth += 1;
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(*id));
    }
    ids
}
