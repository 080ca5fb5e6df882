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

/// What the last change of the members does to the vote of one, where it is not known to be
/// finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteChange {
    /// It gets one.
    Given,
    /// It loses it.
    Taken,
    /// It has lost it: the others say so, and do not tell it more.
    Gone,
}

impl VoteChange {
    /// The change as lists of members name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Given => "added",
            Self::Taken => "removed",
            Self::Gone => "gone",
        }
    }

    /// A member whose change is in progress, in words, by the name of the change.
    #[must_use]
    pub fn words(name: Option<&str>, is_voter: bool) -> &'static str {
        match name {
            Some("added") => "gets a vote: the change is not finished",
            Some("removed") => "is removed: the change is not finished",
            Some("gone") => "is none for the others: the list is of the time before",
            Some(_) | None if is_voter => "votes",
            Some(_) | None => "has no vote yet",
        }
    }
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
    /// Whether it hears no leader, and a majority does not know it: it was removed while it was
    /// away, or the others run with older data, and acknowledged changes are lost.
    pub is_unknown: bool,
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
        is_in_log || self.is_told_removed || self.is_unknown
    }

    /// Whether a member has a vote, now or after the change in progress.
    #[must_use]
    pub fn is_voter(&self, id: u64) -> bool {
        is_voter(&self.voters, id)
    }

    /// What the change in progress does to the vote of a member; `None`: nothing, or there is none.
    #[must_use]
    pub fn vote_change(&self, id: u64) -> Option<VoteChange> {
        if id == self.id && (self.is_told_removed || self.is_unknown) {
            return Some(VoteChange::Gone);
        }
        vote_change(&self.voters, id)
    }
}

fn is_voter(voters: &[BTreeSet<u64>], id: u64) -> bool {
    voters.iter().any(|voters| voters.contains(&id))
}

fn vote_change(voters: &[BTreeSet<u64>], id: u64) -> Option<VoteChange> {
    let [before, after] = voters else { return None };
    match (before.contains(&id), after.contains(&id)) {
        (false, true) => Some(VoteChange::Given),
        (true, false) => Some(VoteChange::Taken),
        (true, true) | (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_in_progress_names_those_whose_votes_change() {
        let between = |voters: &[&[u64]]| {
            let sets = voters.iter().map(|set| set.iter().copied().collect());
            let voters: Vec<BTreeSet<u64>> = sets.collect();
            [1, 2, 3].map(|id| (is_voter(&voters, id), vote_change(&voters, id)))
        };
        let (given, taken) = (Some(VoteChange::Given), Some(VoteChange::Taken));
        assert_eq!(between(&[&[1, 2], &[1, 3]]), [(true, None), (true, taken), (true, given)]);
        assert_eq!(between(&[&[1, 2]]), [(true, None), (true, None), (false, None)]);
        assert_eq!(
            VoteChange::words(given.map(VoteChange::name), true).split(':').next(),
            Some("gets a vote")
        );
        assert_eq!(VoteChange::words(None, false), "has no vote yet");
    }
}
