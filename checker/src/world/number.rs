//! Renumbering: after each step the numbers that grow for ever get the smallest values that keep
//! what is compared, so that a protocol that mints for ever has a finite graph.
//!
//! Numbers compared for equality only are named in the order in which they are met; numbers that
//! are also ordered get their rank. Both start at 0, over all parts of a state together.

use turnstile_core::{Class, Numbers, Order};

/// The new number of each number of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Renaming {
    /// Sorted by class and old number.
    pairs: Vec<(Class, u64, u64)>,
}

impl Renaming {
    /// The renaming of the numbers of a state, met in this order.
    #[must_use]
    pub fn of(numbers: impl IntoIterator<Item = (Class, u64)>) -> Self {
        let mut pairs: Vec<(Class, u64, u64)> = Vec::new();
        for (class, old) in numbers {
            if let Err(place) = pairs.binary_search_by_key(&(class, old), key) {
                let met = pairs.iter().filter(|(other, ..)| *other == class).count();
                pairs.insert(place, (class, old, met as u64));
            }
        }
        let mut rank = 0;
        for index in 0..pairs.len() {
            let same = index > 0 && pairs[index - 1].0 == pairs[index].0;
            rank = if same { rank + 1 } else { 0 };
            if pairs[index].0.order == Order::Rank {
                pairs[index].2 = rank;
            }
        }
        Self { pairs }
    }

    /// Whether every number keeps its value.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.pairs.iter().all(|(_, old, new)| old == new)
    }

    /// The new number of an old one; one that the state does not have stays as it is.
    #[must_use]
    pub fn new_of(&self, class: Class, old: u64) -> u64 {
        match self.pairs.binary_search_by_key(&(class, old), key) {
            Ok(place) => self.pairs[place].2,
            Err(_) => old,
        }
    }

    /// Gives a value its new numbers.
    pub fn rename(&self, value: &mut impl Numbers) {
        value.visit(&mut |class, number| *number = self.new_of(class, *number));
    }
}

fn key(pair: &(Class, u64, u64)) -> (Class, u64) {
    (pair.0, pair.1)
}

/// Adds the numbers of a value to a list, in the order of its visit.
pub fn collect(value: &mut impl Numbers, list: &mut Vec<(Class, u64)>) {
    value.visit(&mut |class, number| list.push((class, *number)));
}

#[cfg(test)]
mod tests {
    use turnstile_core::{Class, Order};

    use super::Renaming;

    const ID: Class = Class { name: "id", order: Order::Equality };
    const TOKEN: Class = Class { name: "token", order: Order::Rank };

    #[test]
    fn ids_are_named_as_met_and_tokens_by_rank() {
        let renaming =
            Renaming::of([(ID, 9), (TOKEN, 70), (ID, 4), (TOKEN, 8), (ID, 9), (TOKEN, 70)]);
        assert_eq!(renaming.new_of(ID, 9), 0);
        assert_eq!(renaming.new_of(ID, 4), 1);
        assert_eq!(renaming.new_of(TOKEN, 8), 0);
        assert_eq!(renaming.new_of(TOKEN, 70), 1);
        assert!(!renaming.is_identity());
        assert!(Renaming::of([(ID, 0), (ID, 1), (TOKEN, 1), (TOKEN, 0)]).is_identity());
    }
}
