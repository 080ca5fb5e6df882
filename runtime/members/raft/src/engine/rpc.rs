//! Openraft's requests over a [`Network`], as postcard.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use openraft::error::{Fatal, RaftError, ReplicationClosed, Unreachable};
use openraft::network::{Backoff, RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{AppendEntriesRequest, AppendEntriesResponse, VoteRequest, VoteResponse};
use openraft::{OptionalSend, Snapshot, Vote};
use serde::Serialize;
use tokio::sync::Semaphore;

use super::client::{CallResult, Client};
use super::request::{Append, Request};
use super::stream::{Receiving, Sent, send};
use crate::engine::log::answered::Answered;
use crate::engine::log::encoding::{decode, encode};
use crate::engine::log::entry::{Raft, TypeConfig};
use crate::engine::log::unsynced::Unsynced;
use crate::group::MemberNode;
use crate::network::{Boxed, Handler};
use crate::news::News;
use crate::peers::{Acknowledged, Peers};

/// Makes the clients of a member.
pub(super) struct Rpc {
    pub(super) peers: Arc<Peers>,
    pub(super) unsynced: Arc<Unsynced>,
    pub(super) answered: Arc<Answered>,
    pub(super) heartbeat: Duration,
}

impl RaftNetworkFactory<TypeConfig> for Rpc {
    type Network = Client;

    async fn new_client(&mut self, to: u64, node: &MemberNode) -> Client {
        let (peers, unsynced) = (Arc::clone(&self.peers), Arc::clone(&self.unsynced));
        let (log, heartbeat, answered) = (node.log, self.heartbeat, Arc::clone(&self.answered));
        Client { to, log, peers, unsynced, answered, heartbeat, is_new: true }
    }
}

/// A leader whose store does not sync for so many heartbeats is silent: members trust it for six.
const SILENT_AFTER: u32 = 3;

impl RaftNetwork<TypeConfig> for Client {
    async fn append_entries(
        &mut self,
        mut request: AppendEntriesRequest<TypeConfig>,
        _option: RPCOption,
    ) -> CallResult<AppendEntriesResponse<u64>> {
        // A read does not wait for a sync before it is confirmed.
        let is_told_again = std::mem::take(&mut self.is_new) || !request.entries.is_empty();
        let sync_most = SILENT_AFTER * self.heartbeat;
        let committed = self.unsynced.committed(request.leader_commit, is_told_again, sync_most);
        request.leader_commit = committed.await;
        let (term, previous) = (request.vote.leader_id().term, request.prev_log_id);
        let last = request.entries.last().map(|entry| entry.head().id).or(previous);
        let committed = last.min(request.leader_commit).map(|id| id.index);
        let author = previous.and_then(|previous| self.answered.author_of(previous.index));
        let process_before = author.map(|author| author.process);
        let append = Append { entries: request, process_before };
        let answer = self.call(&Request::Append(append)).await;
        match &answer {
            Ok(AppendEntriesResponse::Success) => {
                let last = last.map(|id| id.index);
                self.peers.acknowledged(self.to, Acknowledged { term, last, committed });
            }
            // Openraft relies on it that this does not happen.
            Ok(AppendEntriesResponse::Conflict) => {
                let index = previous.map_or(0, |id| id.index);
                let is_new = self.peers.lacks(self.to, term, index);
                is_new.map_err(|error| Unreachable::new(&error))?;
            }
            Ok(AppendEntriesResponse::PartialSuccess(_) | AppendEntriesResponse::HigherVote(_))
            | Err(_) => {}
        }
        answer
    }

    async fn full_snapshot(
        &mut self,
        vote: Vote<u64>,
        snapshot: Snapshot<TypeConfig>,
        cancel: impl Future<Output = ReplicationClosed> + OptionalSend + 'static,
        option: RPCOption,
    ) -> Sent {
        tokio::select! {
            biased;
            closed = cancel => Err(closed.into()),
            sent = send(self, vote, snapshot, option) => sent,
        }
    }

    async fn vote(
        &mut self,
        request: VoteRequest<u64>,
        _option: RPCOption,
    ) -> CallResult<VoteResponse<u64>> {
        self.call(&Request::Vote(request)).await
    }

    fn backoff(&self) -> Backoff {
        // The delay before a request to an unreachable member.
        Backoff::new(std::iter::repeat(self.heartbeat))
    }
}

/// Answers the requests of other members.
pub(super) struct Requests {
    raft: Raft,
    answered: Arc<Answered>,
    news: Arc<News>,
    places: Semaphore,
    receiving: Receiving,
}

/// The maximum number of requests that openraft has at a time. Each member sends one at a time, and
/// repeats it; while a full disk blocks openraft, they would accumulate.
const REQUESTS_MAX: usize = 64;

impl Requests {
    pub(super) fn new(raft: Raft, answered: Arc<Answered>, news: Arc<News>) -> Self {
        let (places, receiving) = (Semaphore::new(REQUESTS_MAX), Receiving::default());
        Self { raft, answered, news, places, receiving }
    }

    /// Appends entries, unless this member has answered for others at their place.
    async fn append(&self, append: Append) -> Result<Option<Bytes>, String> {
        let Append { entries: request, process_before } = append;
        let entries = request.entries.iter().map(|entry| entry.head());
        let before = request.prev_log_id.into_iter().map(|id| (id, process_before));
        let sent = before.chain(entries.map(|head| (head.id, Some(head.process))));
        self.answered.check_entries(&request.vote.leader_id, sent)?;
        Ok(reply(&self.raft.append_entries(request).await))
    }

    /// Stops, since acknowledged changes are lost.
    async fn stop(&self, why: String) {
        self.answered.set_loss(why);
        self.news.ring();
        // A panic there is reported there.
        let _stopped = self.raft.shutdown().await;
    }

    async fn answer(&self, request: &[u8]) -> Option<Bytes> {
        let _place = self.places.try_acquire().ok()?;
        let request = match decode(request) {
            Ok(request) => request,
            Err(error) => {
                tracing::warn!(%error, "a request of another member cannot be read");
                return None;
            }
        };
        let answer = match request {
            Request::Append(request) => self.append(request).await,
            Request::Vote(request) => Ok(reply(&self.raft.vote(request).await)),
            Request::Snapshot(part) => self.receiving.take(&self.raft, &self.answered, part).await,
        };
        match answer {
            Ok(answer) => answer,
            Err(why) => {
                self.stop(why).await;
                None
            }
        }
    }
}

impl Handler for Requests {
    fn handle(&self, request: Bytes) -> Boxed<'_, Option<Bytes>> {
        Box::pin(async move { self.answer(&request).await })
    }
}

/// A member that has stopped does not answer.
fn reply<T: Serialize, E: Serialize>(result: &Result<T, RaftError<u64, E>>) -> Option<Bytes> {
    match result {
        Err(RaftError::Fatal(Fatal::Stopped | Fatal::Panicked | Fatal::StorageError(_))) => None,
        Ok(_) | Err(RaftError::APIError(_)) => Some(encode(result)),
    }
}
