//! Budgets: how often each kind of fault and each rationed command may happen on a path.
//!
//! The remaining budgets are part of a state, packed into one word. Nothing here knows what a fault
//! does.

/// A budget of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The kind's name, as YAML and verdicts spell it: `lost answer`.
    pub name: String,
    /// How often it may happen; `None`: any number of times.
    pub limit: Option<u8>,
}

/// A budget, by its index in the world's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BudgetId(pub u8);

/// The remaining budgets: four bits each; 15: no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemainingBudgets(pub u64);

impl RemainingBudgets {
    /// The most budgets of a world.
    pub const KINDS: usize = 16;
    /// The largest limit.
    pub const LIMIT: u8 = 14;
    const BITS: u64 = 4;
    const UNLIMITED: u64 = 15;
    /// No budget has a limit.
    pub(crate) const UNBOUNDED: Self = Self(u64::MAX);

    /// Every budget untouched. There are at most [`RemainingBudgets::KINDS`], each at most
    /// [`RemainingBudgets::LIMIT`].
    #[must_use]
    pub fn full(budgets: &[Budget]) -> Self {
        assert!(budgets.len() <= Self::KINDS, "a world has at most {} budgets", Self::KINDS);
        let word = budgets.iter().rev().fold(0, |word, budget| {
            let left = budget.limit.map_or(Self::UNLIMITED, u64::from);
            assert!(
                budget.limit.is_none_or(|limit| limit <= Self::LIMIT),
                "the budget {} is above {}",
                budget.name,
                Self::LIMIT
            );
            word << Self::BITS | left
        });
        Self(word)
    }

    /// How much is left; `None`: no limit.
    #[must_use]
    pub fn of(self, id: BudgetId) -> Option<u8> {
        let left = self.0 >> (u64::from(id.0) * Self::BITS) & Self::UNLIMITED;
        if left == Self::UNLIMITED { None } else { u8::try_from(left).ok() }
    }

    /// Takes one from a budget; `None` if nothing is left.
    #[must_use]
    pub fn spend(self, id: BudgetId) -> Option<Self> {
        match self.of(id) {
            None => Some(self),
            Some(0) => None,
            Some(_) => Some(Self(self.0 - (1 << (u64::from(id.0) * Self::BITS)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, BudgetId, RemainingBudgets};

    #[test]
    fn a_budget_is_spent_independently_and_exhausted() {
        let budgets = [("a", Some(2)), ("b", None), ("c", Some(1))]
            .map(|(name, limit)| Budget { name: name.to_owned(), limit });
        let full = RemainingBudgets::full(&budgets);
        let less = full.spend(BudgetId(0)).and_then(|left| left.spend(BudgetId(0)));
        let less = less.expect("two were there");
        assert_eq!(less.of(BudgetId(0)), Some(0));
        assert_eq!(less.spend(BudgetId(0)), None);
        assert_eq!(less.of(BudgetId(2)), Some(1));
        assert_eq!(less.spend(BudgetId(1)), Some(less), "no limit");
    }
}
