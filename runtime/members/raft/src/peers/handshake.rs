//! The handshake of two members: who each of them is, and whether they work together.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::timeout;

use super::refusals::{Refusal, Refuser, lost_entries, lost_log};
use super::{HANDSHAKE, Peers};
use crate::identity::{GroupIdentity, Handshake, Identity};
use crate::network::CallError;

impl Peers {
    /// Asks a member who it is, unless one that is right has become known in the meantime. The
    /// handshake continues when its caller does not wait for it.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        id: u64,
        is_right: impl Fn(&Identity) -> bool,
    ) -> Result<Identity, CallError> {
        let asking = Arc::clone(self.lock().asking.entry(id).or_default());
        let asking = asking.lock_owned().await;
        if let Some(known) = self.lock().known.get(&id).filter(|known| is_right(known)) {
            return Ok(known.clone());
        }
        let peers = Arc::clone(self);
        let asked = tokio::spawn(async move {
            let _asking = asking;
            peers.identify(id).await
        });
        asked.await.map_err(|_| CallError::new("the member stops"))?
    }

    async fn identify(&self, id: u64) -> Result<Identity, CallError> {
        // Before the question: the answer may be older than what is acknowledged meanwhile.
        let acknowledged = self.lock().acknowledged.committed(id);
        let answer = timeout(self.handshake_max, self.shake_hands(id)).await;
        let answer = answer.map_err(|_| CallError::new(format!("member {id} does not answer")))?;
        let peer: Identity = postcard::from_bytes(&answer?).map_err(|error| {
            CallError::new(format!("member {id} is of another version: {error}"))
        })?;
        let refuse = |why| self.refuse(id, Refusal { why, by: Refuser::This });
        self.check(id, &peer).map_err(refuse)?;
        if acknowledged > peer.last {
            return Err(refuse(lost_entries(id)));
        }
        let mut state = self.lock();
        state.known.insert(id, peer.clone());
        let last = state.processes.entry(id).or_insert((peer.process, None));
        if last.0 != peer.process {
            *last = (peer.process, Some(last.0));
        }
        Ok(peer)
    }

    async fn shake_hands(&self, id: u64) -> Result<Bytes, CallError> {
        let log = self.lock().logs.get(&id).copied();
        let handshake = Handshake { from: self.identity().await, log };
        let request = postcard::to_extend(&handshake, vec![HANDSHAKE]);
        self.network.call(id, request.expect("an identity can be encoded").into()).await
    }

    /// Whether a member has another log than the group has it with.
    pub(super) fn has_lost_log(&self, peer: &Identity) -> bool {
        self.lock().logs.get(&peer.member).is_some_and(|log| *log != peer.log)
    }

    /// Why a member with another log is refused.
    pub(super) fn lost_log(&self, id: u64) -> String {
        lost_log(id, !self.lock().members.is_empty())
    }

    /// Whether this one works with the member that is at the address of another.
    fn check(&self, id: u64, peer: &Identity) -> Result<(), String> {
        if peer.member != id {
            return Err(format!("member {} is at the address of {id}", peer.member));
        }
        if self.has_lost_log(peer) {
            return Err(self.lost_log(id));
        }
        let (ours, theirs) = (self.application, peer.application.as_str());
        if ours != theirs && !ours.is_empty() && !theirs.is_empty() {
            return Err(format!(
                "member {id} is one of {theirs:?}, and member {} of {ours:?}",
                self.id
            ));
        }
        self.lock().group.conflict(self.id, &peer.group, id).map_or(Ok(()), Err)
    }

    /// Answers a handshake.
    pub(crate) async fn answer(&self, handshake: &[u8]) -> Option<Bytes> {
        let Handshake { from, log } = postcard::from_bytes(handshake).ok()?;
        let own = timeout(self.handshake_max, self.log.number()).await.ok()?;
        let id = from.member;
        if log.is_some_and(|log| log != own) {
            let why = format!("member {id} says: {}", self.lost_log(self.id));
            self.refuse(id, Refusal { why, by: Refuser::Other });
        } else if let Err(why) = self.check(id, &from) {
            // It does not ask again, and so is not asked.
            self.refuse(id, Refusal { why, by: Refuser::This });
        } else if let GroupIdentity::In(group) = from.group
            && group.logs.get(&self.id) == Some(&own)
        {
            // Durable before the answer says so.
            timeout(self.handshake_max, self.accept(group)).await.ok()?.ok()?;
        }
        let identity = timeout(self.handshake_max, self.identity()).await.ok()?;
        Some(postcard::to_allocvec(&identity).expect("an identity can be encoded").into())
    }

    /// Who this is, once the number of its log is durable.
    async fn identity(&self) -> Identity {
        let log = self.log.number().await;
        let last = self.log.last_index();
        let state = self.lock();
        let (process, group) = (state.process, state.group.clone());
        let (application, version) = (self.application.to_owned(), self.version);
        Identity { member: self.id, process, log, last, application, version, group }
    }
}
