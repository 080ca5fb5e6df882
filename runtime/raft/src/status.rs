//! What a member knows about itself and the others.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::error::Members;

/// The role of a member in its term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It receives the log without a vote.
    Learner,
    /// It follows a leader.
    Follower,
    /// It stands for election.
    Candidate,
    /// It leads.
    Leader,
    /// It has stopped.
    Stopped,
}

/// Who leads, as far as a member knows: a part of its [`Status`] that is cheap to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leadership {
    /// The role of the member.
    pub role: Role,
    /// Its term.
    pub term: u64,
    /// The leader of the term, if it is known.
    pub leader: Option<u64>,
    /// On a leader, the time since a majority last acknowledged it; `None` on others.
    pub millis_since_quorum_ack: Option<u64>,
}

/// The status of a member at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The id of the member.
    pub id: u64,
    /// Its role.
    pub role: Role,
    /// Its term.
    pub term: u64,
    /// The leader of the term, if it is known.
    pub leader: Option<u64>,
    /// The index of the last entry of the log.
    pub last_log_index: Option<u64>,
    /// The index of the last applied entry.
    pub applied_index: Option<u64>,
    /// The term of the last applied entry. On a leader, its own once it has applied the log of all
    /// former terms.
    pub applied_term: Option<u64>,
    /// The index of the last entry in the snapshot.
    pub snapshot_index: Option<u64>,
    /// The index of the last purged entry.
    pub purged_index: Option<u64>,
    /// The sets of voters: two while a change is in progress, both of which need a majority.
    pub voters: Vec<BTreeSet<u64>>,
    /// All members, with their addresses.
    pub members: Members,
    /// On a leader, the time since a majority last acknowledged it; `None` on others.
    pub millis_since_quorum_ack: Option<u64>,
    /// The group: its name, and the members with which it began. `None` for a member that is to be
    /// added.
    pub group: Option<String>,
    /// The members with which this one does not work, and why: they are of another group, for
    /// example, or have lost their log. This one is among them while another process has its id.
    pub refused: BTreeMap<u64, String>,
    /// Whether this member hears no leader, and others say that it is none any more.
    pub is_told_removed: bool,
    /// Whether the store rejects writes.
    pub is_store_failing: bool,
    /// How many syncs of the store have succeeded since the start.
    pub syncs: u64,
    /// How long they took together.
    pub sync_time: Duration,
    /// Why the member has stopped by itself.
    pub failure: Option<String>,
}

impl Status {
    /// Whether the member was one, and is none any more, as far as it knows.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        let is_in_log = !self.members.is_empty() && !self.members.contains_key(&self.id);
        is_in_log || self.is_told_removed
    }
}
