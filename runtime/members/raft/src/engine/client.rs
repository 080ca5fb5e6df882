//! The client of one member.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use openraft::error::{RPCError, RaftError, RemoteError, Unreachable};
use serde::de::DeserializeOwned;

use super::request::Request;
use crate::encoding::kinds::LOG;
use crate::engine::log::answered::Answered;
use crate::engine::log::encoding::decode;
use crate::engine::log::unsynced::Unsynced;
use crate::group::MemberNode;
use crate::peers::Peers;

pub(super) type CallResult<T> = Result<T, RPCError<u64, MemberNode, RaftError<u64>>>;

/// Sends requests to one member.
pub(super) struct Client {
    pub(super) to: u64,
    /// The number of the log that it has as a member of the engine's last change of the members:
    /// the answers of another log count for no majority.
    pub(super) log: u64,
    pub(super) peers: Arc<Peers>,
    pub(super) unsynced: Arc<Unsynced>,
    pub(super) answered: Arc<Answered>,
    pub(super) heartbeat: Duration,
    /// It has sent no entries and no heartbeat. Openraft confirms each read by a new client.
    pub(super) is_new: bool,
}

impl Client {
    /// Sends a request and waits for the bytes of its answer.
    pub(super) async fn exchange(&self, request: &Request) -> Result<Bytes, Unreachable> {
        let put =
            |head| postcard::to_extend(request, head).expect("the log's types can be encoded");
        let answer = self.peers.call((self.to, Some(self.log)), LOG, put).await;
        answer.map_err(|error| Unreachable::new(&error))
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn call<T: DeserializeOwned>(&self, request: &Request) -> CallResult<T> {
        let answer = self.exchange(request).await?;
        let answer: io::Result<Result<T, RaftError<u64>>> = decode(&answer);
        match answer {
            Ok(answer) => Ok(answer.map_err(|error| RemoteError::new(self.to, error))?),
            Err(error) => Err(RPCError::Unreachable(Unreachable::new(&error))),
        }
    }
}
