//! Who has written the applied entries.

use std::collections::BTreeMap;

use openraft::CommittedLeaderId;
use serde::{Deserialize, Serialize};

use crate::engine::log::entry::EntryHead;

/// So many authors are kept, the newest ones.
const AUTHORS_MAX: usize = 1024;

/// The leader of a term, and the process that it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Author {
    pub(crate) leader: CommittedLeaderId<u64>,
    pub(crate) process: u64,
}

impl EntryHead {
    pub(crate) const fn author(&self) -> Author {
        Author { leader: self.id.leader_id, process: self.process }
    }
}

impl Author {
    /// Whether this is another process that has led the term: one of the two had an older disk.
    pub(crate) fn has_rival(&self, other: &Self) -> bool {
        self.leader == other.leader && self.process != other.process
    }
}

/// Each author, by the index of its first entry, and the index of the last applied entry. A term of
/// openraft may have several leaders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Authors {
    first: BTreeMap<u64, Author>,
    last: Option<u64>,
}

impl Authors {
    /// Adds an entry, which follows those before.
    pub(crate) fn add(&mut self, entry: &EntryHead) {
        self.last = Some(entry.id.index);
        let author = entry.author();
        if self.first.last_key_value().is_some_and(|(_, last)| *last == author) {
            return;
        }
        self.first.insert(entry.id.index, author);
        if self.first.len() > AUTHORS_MAX {
            self.first.pop_first();
        }
    }

    /// The author of an entry; `None` if it is older than what is kept, or not applied.
    pub(crate) fn of(&self, index: u64) -> Option<Author> {
        let known = self.first.range(..=index).next_back().filter(|_| Some(index) <= self.last);
        known.map(|(_, author)| *author)
    }
}

#[cfg(test)]
mod tests {
    use openraft::LogId;

    use crate::engine::log::authors::*;

    #[test]
    fn an_entry_has_the_author_of_those_before_it_and_the_oldest_are_forgotten() {
        let (mut authors, last) = (Authors::default(), 2 * AUTHORS_MAX as u64 + 9);
        // Two authors in each term, of two entries each.
        let leader = |index: u64| CommittedLeaderId::new(index / 4, index / 2 % 2);
        let head = |index| EntryHead { id: LogId::new(leader(index), index), process: 7 };
        (0..=last).for_each(|index| authors.add(&head(index)));
        assert_eq!(authors.first.len(), AUTHORS_MAX);
        for index in [last, last - 1, last - 2, last - 3] {
            assert_eq!(authors.of(index), Some(head(index).author()), "{index}");
        }
        assert_eq!(authors.of(last + 1), None, "it is not applied");
        let first = *authors.first.keys().next().expect("it has some");
        assert_eq!(authors.of(first), Some(head(first).author()));
        assert_eq!(authors.of(first - 1), None);
    }
}
