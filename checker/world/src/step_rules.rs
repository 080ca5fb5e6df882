//! Rules about single steps: a step is compared with its input and its effects, so that no state
//! has to remember what an earlier step did.

use std::collections::BTreeSet;
use std::fmt;

/// A rule about single steps, by its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepRule(pub &'static str);

impl fmt::Display for StepRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The rules that a step breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Breaches(BTreeSet<StepRule>);

impl Breaches {
    /// Adds a rule, unless the step keeps it.
    pub fn require(&mut self, rule: StepRule, is_kept: bool) {
        if !is_kept {
            self.0.insert(rule);
        }
    }

    /// Adds those of another part of the same step.
    pub fn add(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Whether the step breaks a rule.
    #[must_use]
    pub fn contains(&self, rule: StepRule) -> bool {
        self.0.contains(&rule)
    }

    /// Whether the step breaks none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rules, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = StepRule> {
        self.0.iter().copied()
    }
}
