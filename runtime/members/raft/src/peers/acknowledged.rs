//! What the other members have acknowledged to this one.

use std::collections::BTreeMap;

/// What a member has acknowledged.
#[derive(Clone, Copy, Default)]
pub(crate) struct Acknowledged {
    /// The term in which this one led it last.
    pub(crate) term: u64,
    /// The greatest index of an entry that it has acknowledged in that term.
    pub(crate) last: Option<u64>,
    /// The greatest index of a committed entry that it has acknowledged in any term.
    pub(crate) committed: Option<u64>,
}

/// What each member has acknowledged.
#[derive(Default)]
pub(super) struct AcknowledgedEntries(BTreeMap<u64, Acknowledged>);

impl AcknowledgedEntries {
    pub(super) fn add(&mut self, id: u64, more: Acknowledged) {
        let known = self.0.entry(id).or_default();
        let last = if more.term == known.term { known.last.max(more.last) } else { more.last };
        let committed = known.committed.max(more.committed);
        *known = Acknowledged { term: more.term, last, committed };
    }

    /// The greatest index of a committed entry that a member has acknowledged.
    pub(super) fn committed(&self, id: u64) -> Option<u64> {
        self.0.get(&id).and_then(|known| known.committed)
    }

    /// Whether a member has acknowledged an entry in a term.
    pub(super) fn has(&self, id: u64, term: u64, index: u64) -> bool {
        self.0.get(&id).is_some_and(|known| known.term == term && known.last >= Some(index))
    }
}
