//! A snapshot on its way to another member, in parts.
//!
//! The sender asks how much the receiver has, so that a stream that broke is resumed. The receiver
//! keeps the parts in memory until it has another snapshot: after its restart, or for a newer
//! snapshot, a stream begins again.

use bytes::Bytes;
use openraft::error::{Fatal, StreamingError, Unreachable};
use openraft::network::RPCOption;
use openraft::raft::SnapshotResponse;
use openraft::{AnyError, Snapshot, Vote};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::client::Client;
use super::request::{Part, Request};
use crate::engine::log::answered::Answered;
use crate::engine::log::encoding::{decode, encode};
use crate::engine::log::entry::{Raft, TypeConfig};

/// The size of a part, unless the options have another.
const PART_BYTES: usize = 512 << 10;

/// How far the receiver is.
#[derive(Serialize, Deserialize)]
struct Progress {
    vote: Vote<u64>,
    /// How many bytes it has.
    has: u64,
    is_installed: bool,
}

pub(super) type Sent = Result<SnapshotResponse<u64>, StreamingError<TypeConfig, Fatal<u64>>>;

/// Sends a snapshot until it is installed, or another leader has a greater vote.
pub(super) async fn send(
    client: &Client,
    vote: Vote<u64>,
    snapshot: Snapshot<TypeConfig>,
    option: RPCOption,
) -> Sent {
    let Snapshot { meta, snapshot: bytes } = snapshot;
    let part_bytes = option.snapshot_chunk_size().unwrap_or(PART_BYTES).max(1);
    let (mut from, mut to) = (0, 0);
    loop {
        let (offset, len) = (from as u64, bytes.len() as u64);
        let part = Part { vote, meta: meta.clone(), len, offset, data: bytes.slice(from..to) };
        let answer = timeout(option.hard_ttl(), client.exchange(&Request::Snapshot(part))).await;
        let answer = answer.map_err(|elapsed| Unreachable::new(&elapsed))??;
        let progress: Progress = decode(&answer).map_err(|error| Unreachable::new(&error))?;
        if progress.is_installed || progress.vote > vote {
            return Ok(SnapshotResponse::new(progress.vote));
        }
        from = usize::try_from(progress.has).map_or(bytes.len(), |has| has.min(bytes.len()));
        if from == bytes.len() {
            let error = AnyError::error("the receiver has the snapshot, and does not install it");
            return Err(Unreachable::new(&error).into());
        }
        to = from.saturating_add(part_bytes).min(bytes.len());
    }
}

/// The snapshot that a member receives.
#[derive(Default)]
pub(super) struct Receiving(Mutex<Received>);

#[derive(Default)]
struct Received {
    snapshot_id: String,
    content: Content,
}

enum Content {
    Parts(Vec<u8>),
    Whole(Bytes),
    Installed,
}

impl Default for Content {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

impl Receiving {
    /// Takes a part, and installs the snapshot with the last one. Returns the answer; `None` if the
    /// member has stopped.
    ///
    /// # Errors
    /// When acknowledged changes are not in the snapshot.
    pub(super) async fn take(
        &self,
        raft: &Raft,
        answered: &Answered,
        part: Part,
    ) -> Result<Option<Bytes>, String> {
        let mut received = self.0.lock().await;
        let own = raft.metrics().borrow().vote;
        if own > part.vote {
            return Ok(Some(encode(&Progress { vote: own, has: 0, is_installed: false })));
        }
        if received.snapshot_id != part.meta.snapshot_id {
            let snapshot_id = part.meta.snapshot_id.clone();
            *received = Received { snapshot_id, content: Content::default() };
        }
        received.content.add(&part);
        let mut progress =
            Progress { vote: part.vote, has: received.content.len(part.len), is_installed: false };
        if let Content::Whole(bytes) = &received.content {
            answered.check_snapshot(&part.vote.leader_id, part.meta.last_log_id, bytes)?;
            let snapshot = Snapshot { meta: part.meta, snapshot: Box::new(bytes.clone()) };
            let installed = raft.install_full_snapshot(part.vote, snapshot).await;
            let Ok(SnapshotResponse { vote }) = installed else { return Ok(None) };
            progress.vote = vote;
            if progress.vote == part.vote {
                received.content = Content::Installed;
            }
        }
        progress.is_installed = matches!(received.content, Content::Installed);
        Ok(Some(encode(&progress)))
    }
}

impl Content {
    /// Takes a part that is the next one.
    fn add(&mut self, part: &Part) {
        let Self::Parts(bytes) = self else { return };
        if bytes.is_empty() {
            // Without it a vector that grows has up to three times the size. A size that is no
            // snapshot's is not reserved, and its parts do not come.
            let _reserved = bytes.try_reserve_exact(usize::try_from(part.len).unwrap_or(0));
        }
        let whole = bytes.len() as u64 + part.data.len() as u64;
        if part.offset == bytes.len() as u64 && whole <= part.len {
            bytes.extend_from_slice(&part.data);
        }
        if bytes.len() as u64 == part.len {
            *self = Self::Whole(std::mem::take(bytes).into());
        }
    }

    /// How many bytes it has, of so many.
    const fn len(&self, all: u64) -> u64 {
        match self {
            Self::Parts(bytes) => bytes.len() as u64,
            Self::Whole(_) | Self::Installed => all,
        }
    }
}
