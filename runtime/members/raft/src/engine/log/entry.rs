//! An entry of the log, the process that has written it, and the types of such a log.
//!
//! A member whose disk is as it was before may lead once more in a term in which it has led. Its
//! entries then have the ids of others that it has lost, and only the process tells them apart.

use std::fmt;

use bytes::Bytes;
use openraft::entry::{FromAppData, RaftEntry, RaftPayload};
use openraft::{EntryPayload, LogId, Membership, MessageSummary as _, RaftLogId};
use serde::{Deserialize, Serialize};

use crate::engine::runtime::SeededRuntime;
use crate::group::MemberNode;

openraft::declare_raft_types!(
    /// The types of the log: an entry has many operations, and its response their answers.
    pub(crate) TypeConfig:
        D = Bytes,
        R = Vec<Bytes>,
        NodeId = u64,
        Node = MemberNode,
        Entry = Entry,
        SnapshotData = Bytes,
        Responder = openraft::impls::OneshotResponder<TypeConfig>,
        AsyncRuntime = SeededRuntime
);

/// Openraft with these types.
pub(crate) type Raft = openraft::Raft<TypeConfig>;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    head: EntryHead,
    pub(crate) payload: EntryPayload<TypeConfig>,
}

/// Which entry it is, and by whom: how an encoded entry begins.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct EntryHead {
    pub(crate) id: LogId<u64>,
    /// The number of the process of the leader; 0 until it stores the entry, and of the founder.
    pub(crate) process: u64,
}

impl Entry {
    pub(crate) const fn new(id: LogId<u64>, payload: EntryPayload<TypeConfig>) -> Self {
        Self { head: EntryHead { id, process: 0 }, payload }
    }

    pub(crate) const fn head(&self) -> EntryHead {
        self.head
    }

    /// Notes the process of a leader, which stores its own entry.
    pub(crate) const fn written_by(&mut self, process: u64) {
        self.head.process = process;
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.head.id, self.payload.summary())
    }
}

impl RaftPayload<u64, MemberNode> for Entry {
    fn is_blank(&self) -> bool {
        self.payload.is_blank()
    }

    fn get_membership(&self) -> Option<&Membership<u64, MemberNode>> {
        self.payload.get_membership()
    }
}

impl RaftLogId<u64> for Entry {
    fn get_log_id(&self) -> &LogId<u64> {
        &self.head.id
    }

    fn set_log_id(&mut self, id: &LogId<u64>) {
        self.head.id = *id;
    }
}

impl RaftEntry<u64, MemberNode> for Entry {
    fn new_blank(id: LogId<u64>) -> Self {
        Self::new(id, EntryPayload::Blank)
    }

    fn new_membership(id: LogId<u64>, members: Membership<u64, MemberNode>) -> Self {
        Self::new(id, EntryPayload::Membership(members))
    }
}

impl FromAppData<Bytes> for Entry {
    fn from_app_data(operations: Bytes) -> Self {
        Self::new(LogId::default(), EntryPayload::Normal(operations))
    }
}
