//! The leaders that have written the applied entries.

use std::collections::BTreeMap;

use openraft::{CommittedLeaderId, LogId};
use serde::{Deserialize, Serialize};

/// So many leaders are kept, the newest ones.
const LEADERS_MAX: usize = 1024;

/// Each leader, with its term, by the index of its first entry. A term of openraft may have
/// several.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Terms(BTreeMap<u64, CommittedLeaderId<u64>>);

impl Terms {
    /// Adds an entry, which follows those before.
    pub(super) fn add(&mut self, id: LogId<u64>) {
        if self.0.last_key_value().is_some_and(|(_, last)| *last == id.leader_id) {
            return;
        }
        self.0.insert(id.index, id.leader_id);
        if self.0.len() > LEADERS_MAX {
            self.0.pop_first();
        }
    }

    /// The leader of an entry; `None` if it is older than what is kept.
    pub(super) fn leader(&self, index: u64) -> Option<CommittedLeaderId<u64>> {
        self.0.range(..=index).next_back().map(|(_, leader)| *leader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_the_leader_of_those_before_it_and_the_oldest_are_forgotten() {
        let (mut terms, last) = (Terms::default(), 2 * LEADERS_MAX as u64 + 9);
        // Two leaders in each term, of two entries each.
        let leader = |index: u64| CommittedLeaderId::new(index / 4, index / 2 % 2);
        (0..=last).for_each(|index| terms.add(LogId::new(leader(index), index)));
        assert_eq!(terms.0.len(), LEADERS_MAX);
        for index in [last, last - 1, last - 2, last - 3] {
            assert_eq!(terms.leader(index), Some(leader(index)), "{index}");
        }
        assert_eq!(terms.leader(last + 9), Some(leader(last)));
        let first = *terms.0.keys().next().expect("it has some");
        assert_eq!((terms.leader(first), terms.leader(first - 1)), (Some(leader(first)), None));
    }
}
