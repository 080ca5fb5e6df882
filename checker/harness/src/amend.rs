//! Whether each amendment is necessary: without it, and without those that build on it, one of the
//! checks in its `shown-by` must fail, and must not fail without the latter alone. Nothing here
//! changes a file or knows a protocol.

mod without;

use std::collections::BTreeSet;

use turnstile_spec::versions::Amendment;
use turnstile_spec::{System, WrittenTable};

use self::without::WithoutAmendment;
use crate::fault::FaultReport;
use crate::options::Options;
use crate::registry::Systems;
use crate::result::PropertyReport;

/// What is said of one amendment.
#[derive(Clone, Debug)]
pub struct Verification {
    /// Its name.
    pub id: String,
    /// Its reason.
    pub because: String,
    /// What was left out: this one first, then those that need it.
    pub without: Vec<String>,
    /// What is said to show it, in the order of the file.
    pub shown_by: Vec<Evidence>,
}

/// One thing that is said to show an amendment.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// A fault's code, a property of the table, or `system/property`.
    pub by: String,
    /// What came of it.
    pub outcome: EvidenceOutcome,
}

/// What came of leaving an amendment out.
#[derive(Clone, Debug)]
pub enum EvidenceOutcome {
    /// The reader finds fault.
    Fault(Box<FaultReport>),
    /// The property fails.
    Counterexample {
        /// Where: `claim` for the table, `claim/loss` for a world.
        place: String,
        /// The property, with the run.
        property: Box<PropertyReport>,
    },
    /// It fails, and in the same place where only those that need the amendment are left out: it
    /// shows them.
    NotSpecific(String),
    /// Nothing fails: a search came to its end everywhere.
    NoFailure,
    /// Nothing failed, and a search was truncated.
    Truncated(String),
    /// There is nothing of this name, or it cannot be searched.
    Unknown(String),
}

impl EvidenceOutcome {
    /// Where a run shows that a property fails.
    fn place(&self) -> Option<String> {
        match self {
            Self::Counterexample { place, .. } => Some(place.clone()),
            Self::Fault(_)
            | Self::NotSpecific(_)
            | Self::NoFailure
            | Self::Truncated(_)
            | Self::Unknown(_) => None,
        }
    }
}

impl Verification {
    /// What really fails without it.
    pub fn shown(&self) -> impl Iterator<Item = &Evidence> {
        self.shown_by.iter().filter(|shown| {
            matches!(
                shown.outcome,
                EvidenceOutcome::Fault(_) | EvidenceOutcome::Counterexample { .. }
            )
        })
    }

    /// Whether something fails without it.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.shown().next().is_some()
    }

    /// Whether nothing failed and a search was truncated.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        let mut shown = self.shown_by.iter();
        !self.is_needed()
            && shown.any(|shown| matches!(shown.outcome, EvidenceOutcome::Truncated(_)))
    }
}

/// Leaves an amendment out and looks at what is said to show it. The systems are those that may be
/// named; their other machines run what the options say.
#[must_use]
pub fn verify(
    literal: &WrittenTable,
    amendment: &Amendment,
    systems: (Systems, &[System]),
    options: &Options<'_>,
) -> Verification {
    let without = left_out(&amendment.id, &literal.amendments);
    let left = WithoutAmendment::new(literal, &without, systems, options);
    let shown_by = amendment.shown_by.iter();
    Verification {
        id: amendment.id.clone(),
        because: amendment.because.clone(),
        shown_by: shown_by
            .map(|by| Evidence { by: by.clone(), outcome: left.outcome(by) })
            .collect(),
        without: without.into_iter().map(str::to_owned).collect(),
    }
}

/// The amendment and those that need it, directly or through others.
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
