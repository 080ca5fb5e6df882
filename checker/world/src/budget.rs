//! Budgets: how often each kind of fault, and each rationed command, may happen in a run.
//!
//! What is left is part of a state, packed into one word. Nothing here knows what a fault does.

/// A budget of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The kind's name, as YAML and verdicts spell it: `lost answer`.
    pub name: String,
    /// How often it may happen; `None`: any number of times.
    pub limit: Option<u8>,
}

/// A budget, by its place in the world's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BudgetId(pub u8);

/// What is left of each budget: four bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Left(pub u64);

impl Left {
    /// Budgets in a world at most.
    pub const KINDS: usize = 16;
    /// The largest limit.
    pub const LIMIT: u8 = 14;
    const BITS: u64 = 4;
    const ENDLESS: u64 = 15;

    /// Every budget untouched. There are at most [`Left::KINDS`], each at most [`Left::LIMIT`].
    #[must_use]
    pub fn full(budgets: &[Budget]) -> Self {
        assert!(budgets.len() <= Self::KINDS, "a world has at most {} budgets", Self::KINDS);
        let word = budgets.iter().rev().fold(0, |word, budget| {
            let left = budget.limit.map_or(Self::ENDLESS, u64::from);
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

    /// How much is left; `None`: without end.
    #[must_use]
    pub fn of(self, id: BudgetId) -> Option<u8> {
        let left = self.0 >> (u64::from(id.0) * Self::BITS) & Self::ENDLESS;
        if left == Self::ENDLESS { None } else { u8::try_from(left).ok() }
    }

    /// One less, or nothing where none is left.
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
    use super::{Budget, BudgetId, Left};

    #[test]
    fn a_budget_is_spent_alone_and_to_the_end() {
        let budgets = [("a", Some(2)), ("b", None), ("c", Some(1))]
            .map(|(name, limit)| Budget { name: name.to_owned(), limit });
        let full = Left::full(&budgets);
        let less = full.spend(BudgetId(0)).and_then(|left| left.spend(BudgetId(0)));
        let less = less.expect("two were there");
        assert_eq!(less.of(BudgetId(0)), Some(0));
        assert_eq!(less.spend(BudgetId(0)), None);
        assert_eq!(less.of(BudgetId(2)), Some(1));
        assert_eq!(less.spend(BudgetId(1)), Some(less), "without end");
    }
}
