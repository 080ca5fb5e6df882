//! What shows that an amendment is needed: the checks that it names, and what they find without it.

use crate::results::fault::FaultReport;
use crate::results::result::PropertyReport;

/// A check named in an amendment's `shown-by`, and its outcome.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// A diagnostic's code, a property of the table, or `system/property`.
    pub by: String,
    /// Its outcome without the amendment.
    pub outcome: EvidenceOutcome,
}

/// The outcome of a check without an amendment.
#[derive(Clone, Debug)]
pub enum EvidenceOutcome {
    /// The reader reports the diagnostic.
    Fault(Box<FaultReport>),
    /// The property fails.
    Counterexample {
        /// The result that has it: `claim` for the table, `claim/loss` for a world.
        place: String,
        /// The property, with its counterexample.
        property: Box<PropertyReport>,
    },
    /// It fails, but also if only the dependent amendments are removed: that is evidence for them.
    NotSpecific(String),
    /// It does not fail, and every search was exhaustive.
    NoFailure,
    /// It did not fail, and a search was truncated.
    Truncated(String),
    /// No check has this name, or it cannot be searched.
    Unknown(String),
}

impl EvidenceOutcome {
    /// A result in which the property fails, with its counterexample.
    pub(super) fn place(&self) -> Option<String> {
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
