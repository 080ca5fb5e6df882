//! What is said of one property: a verdict, and what it rests on.

use crate::replay::Trail;

/// What came out for a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Searched to the end: it holds.
    Holds,
    /// A run shows that it does not.
    Fails,
    /// It holds under the fairness stated; without it a run shows that it does not.
    FailsOnlyUnfairly,
    /// It holds, but its premise was never reached.
    Vacuous,
    /// No failure was found, and the search was cut.
    Incomplete,
}

impl Verdict {
    /// Its spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::FailsOnlyUnfairly => "fails only unfairly",
            Self::Vacuous => "vacuous",
            Self::Incomplete => "incomplete",
        }
    }
}

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
