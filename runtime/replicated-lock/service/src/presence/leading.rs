//! The leadership of one term, with the contacts of the other members.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use turnstile_replicated_lock_core::types::Address;

/// The leadership of one term.
#[derive(Debug)]
pub(super) struct Leading {
    pub(super) term: u64,
    /// Since when it has reached a majority without a break, and this member has not resigned.
    pub(super) since: Duration,
    /// The last contact of each member.
    pub(super) heard: BTreeMap<Address, Contact>,
    pub(super) is_fresh: bool,
    /// The core is told of its election.
    pub(super) is_elected: bool,
    /// The RESET of its election is applied.
    pub(super) is_reset: bool,
    /// The members with a session that the core is told of as left: the RESET that ends it is on
    /// its way, and they are not present before they have another one.
    pub(super) left: BTreeSet<Address>,
}

/// A report of a member that follows the log.
#[derive(Debug)]
pub(super) struct Contact {
    pub(super) at: Duration,
    /// Whether it was in the majority.
    pub(super) is_joined: bool,
    /// How many commands the leader had applied. The next report is a contact only of a member that
    /// has applied them, too: one whose disk hangs reports, but does not know of its locks.
    pub(super) count: u64,
}

impl Leading {
    pub(super) fn new(term: u64, since: Duration) -> Self {
        let (heard, left) = (BTreeMap::new(), BTreeSet::new());
        Self { term, since, heard, is_fresh: false, is_elected: false, is_reset: false, left }
    }

    /// The majority is lost: what was heard before does not count.
    pub(super) fn restart(&mut self) {
        self.heard.clear();
        self.left.clear();
        (self.is_fresh, self.is_elected, self.is_reset) = (false, false, false);
    }

    pub(super) fn last_heard(&self, address: Address) -> Duration {
        self.heard.get(&address).map_or(self.since, |contact| contact.at)
    }
}
