//! What a snapshot says about the log.

use std::io;

use bytes::Bytes;
use openraft::SnapshotMeta;
use serde::{Deserialize, Serialize};

use crate::encoding::snapshot::SnapshotParts;
use crate::engine::log::authors::Authors;
use crate::engine::log::encoding::decode;
use crate::group::MemberNode;

pub(super) type Meta = SnapshotMeta<u64, MemberNode>;

/// What a snapshot says about the log.
#[derive(Serialize, Deserialize)]
pub(super) struct SnapshotHead {
    pub(super) meta: Meta,
    pub(super) version: u32,
    pub(super) authors: Authors,
}

impl SnapshotHead {
    /// Reads that of a whole snapshot.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub(super) fn read(snapshot: Bytes) -> io::Result<Self> {
        decode(&SnapshotParts::decode(snapshot)?.meta)
    }
}
