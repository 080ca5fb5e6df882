//! The judgement of one property: its verdict, counterexample or witness, and assumptions.

use crate::trail::Trail;

/// The verdict on a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds; the search was exhaustive.
    Holds,
    /// A counterexample violates it.
    Fails,
    /// It holds under the fairness assumed; an unfair counterexample violates it.
    HoldsUnderFairness,
    /// It holds, but its antecedent holds in no reachable state.
    Vacuous,
    /// No violation was found, and the search was truncated.
    Incomplete,
}

impl Verdict {
    /// Its spelling in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::HoldsUnderFairness => "fails only unfairly",
            Self::Vacuous => "vacuous",
            Self::Incomplete => "incomplete",
        }
    }
}

/// The judgement of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The counterexample, or the witness of a `sometimes`.
    pub trail: Option<Trail>,
    /// The paths to the other states that violate an invariant or a `can reach`, if the request
    /// asks for every one and the state graph was recorded.
    pub others: Vec<Trail>,
    /// The fairness conditions assumed.
    pub assumptions: Vec<String>,
    /// The fairness conditions that are not needed.
    pub not_needed: Vec<String>,
}

impl Judgement {
    pub(super) fn plain(verdict: Verdict) -> Self {
        let (others, assumptions, not_needed) = (Vec::new(), Vec::new(), Vec::new());
        Self { verdict, trail: None, others, assumptions, not_needed }
    }

    pub(super) fn with_trail(verdict: Verdict, trail: Trail) -> Self {
        Self { trail: Some(trail), ..Self::plain(verdict) }
    }
}
