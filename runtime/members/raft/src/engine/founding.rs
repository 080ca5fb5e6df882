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

/// Whether the log has members.
fn has_members(engine: &Engine) -> bool {
    engine.raft.metrics().borrow().membership_config.nodes().next().is_some()
}

/// Writes the first members of the group, unless the log has members, or another one that has
/// written them was elected.
pub(crate) async fn begin(engine: &Engine, group: &Group) -> Result<(), MemberError> {
    if has_members(engine) || !group.logs.contains_key(&engine.id) {
        return Ok(());
    }
    let restored = engine.raft.metrics().borrow().last_applied;
    if let Some(restored) = restored {
        return begin_after(engine, restored, group).await;
    }
    match engine.raft.initialize(group.nodes()).await {
        Ok(()) | Err(RaftError::APIError(InitializeError::NotAllowed(_))) => Ok(()),
        Err(RaftError::APIError(InitializeError::NotInMembers(error))) => {
            Err(MemberError::Membership { why: error.to_string() })
        }
        Err(RaftError::Fatal(fatal)) => Err(stopped(fatal)),
    }
}

/// Openraft initializes empty logs only: after a state the entry comes as from a leader, in the
/// first term of the new group, which is after all of the former one.
async fn begin_after(
    engine: &Engine,
    restored: LogId<u64>,
    group: &Group,
) -> Result<(), MemberError> {
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
    let appended = engine.raft.append_entries(request).await;
    appended.map(|_| ()).map_err(stopped)
}
