//! What one member asks another for openraft.

use bytes::Bytes;
use openraft::Vote;
use openraft::raft::{AppendEntriesRequest, VoteRequest};
use serde::{Deserialize, Serialize};

use super::snapshot_head::Meta;
use crate::engine::log::entry::TypeConfig;

/// What one member asks another. The answer is the `Result` of openraft's own handler.
#[derive(Serialize, Deserialize)]
pub(super) enum Request {
    Append(Append),
    Vote(VoteRequest<u64>),
    Snapshot(Part),
}

/// Entries, and the process that has written the one before them, if it is known.
#[derive(Serialize, Deserialize)]
pub(super) struct Append {
    pub(super) entries: AppendEntriesRequest<TypeConfig>,
    pub(super) process_before: Option<u64>,
}

/// A part of a snapshot; the first one is empty, and asks.
#[derive(Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) vote: Vote<u64>,
    pub(super) meta: Meta,
    /// The size of the snapshot.
    pub(super) len: u64,
    pub(super) offset: u64,
    pub(super) data: Bytes,
}
