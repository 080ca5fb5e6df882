//! What is said of one property: a verdict, and what it rests on.

use crate::report::result::Verdict;
use crate::search::replay::Trail;

/// What is said of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What came out.
    pub verdict: Verdict,
    /// A run that shows it.
    pub trail: Option<Trail>,
    /// The fairness it rests on.
    pub assumptions: Vec<String>,
    /// The fairness that could have been assumed and was not needed.
    pub not_needed: Vec<String>,
}

impl Judged {
    pub(super) fn plain(verdict: Verdict) -> Self {
        Self { verdict, trail: None, assumptions: Vec::new(), not_needed: Vec::new() }
    }

    pub(super) fn shown(verdict: Verdict, trail: Trail) -> Self {
        Self { trail: Some(trail), ..Self::plain(verdict) }
    }
}
