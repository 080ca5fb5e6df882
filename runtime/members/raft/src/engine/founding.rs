//! The first entry of a group, which each of its first members writes.

use std::collections::BTreeSet;

use openraft::error::{InitializeError, RaftError};
use openraft::raft::AppendEntriesRequest;
use openraft::{CommittedLeaderId, EntryPayload, LogId, Membership, Vote};

use super::metrics::FOUNDER;
use super::{Engine, stopped};
use crate::engine::log::entry::Entry;
use crate::error::MemberError;
use crate::group::Group;

impl Engine {
    /// Whether the log has members.
    pub(crate) fn has_members(&self) -> bool {
        self.raft.metrics().borrow().membership_config.nodes().next().is_some()
    }

    /// Writes the first members of the group, unless the log has members, or another one that has
    /// written them was elected.
    pub(crate) async fn begin(&self, group: &Group) -> Result<(), MemberError> {
        if self.has_members() || !group.logs.contains_key(&self.id) {
            return Ok(());
        }
        let restored = self.raft.metrics().borrow().last_applied;
        if let Some(restored) = restored {
            return self.begin_after(restored, group).await;
        }
        match self.raft.initialize(group.nodes()).await {
            Ok(()) | Err(RaftError::APIError(InitializeError::NotAllowed(_))) => Ok(()),
            Err(RaftError::APIError(InitializeError::NotInMembers(error))) => {
                Err(MemberError::Membership { why: error.to_string() })
            }
            Err(RaftError::Fatal(fatal)) => Err(stopped(fatal)),
        }
    }

    /// Openraft initializes empty logs only: after a state the entry comes as from a leader, in the
    /// first term of the new group, which is after all of the former one.
    async fn begin_after(&self, restored: LogId<u64>, group: &Group) -> Result<(), MemberError> {
        let term = restored.leader_id.term.strict_add(1);
        let log_id = LogId::new(CommittedLeaderId::new(term, FOUNDER), restored.index + 1);
        let ids: BTreeSet<u64> = group.logs.keys().copied().collect();
        let payload = EntryPayload::Membership(Membership::new(vec![ids], group.nodes()));
        let request = AppendEntriesRequest {
            vote: Vote::new_committed(term, FOUNDER),
            prev_log_id: Some(restored),
            entries: vec![Entry::new(log_id, payload)],
            leader_commit: Some(restored),
        };
        let appended = self.raft.append_entries(request).await;
        appended.map(|_| ()).map_err(stopped)
    }
}
