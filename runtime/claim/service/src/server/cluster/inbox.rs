//! The requests of other members.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::sync::Semaphore;
use turnstile_raft::network::{Boxed, Handler};

use super::forward::{Attempt, Forwarder, MemberReply, MemberRequest};
use super::operation::{decode, encode};

/// The maximum number of operations of other members that wait at the leader.
const FORWARDED_MAX: usize = 2048;

/// Answers other members, while this one runs.
pub(super) struct Inbox {
    /// The network has this as long as it exists; so a member that stops is taken from it.
    forwarder: Mutex<Option<Forwarder>>,
    places: Semaphore,
}

impl Inbox {
    pub(super) fn new() -> Arc<Self> {
        let (forwarder, places) = (Mutex::default(), Semaphore::new(FORWARDED_MAX));
        Arc::new(Self { forwarder, places })
    }

    pub(super) fn open(&self, forwarder: Forwarder) {
        *self.forwarder.lock().unwrap_or_else(PoisonError::into_inner) = Some(forwarder);
    }

    pub(super) fn close(&self) {
        *self.forwarder.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    async fn answer(&self, request: Bytes) -> Option<MemberReply> {
        let forwarder = self.forwarder.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        match decode(&request)? {
            MemberRequest::Propose { term, operation } => {
                let Ok(_place) = self.places.try_acquire() else {
                    return Some(MemberReply::Proposed(Attempt::NotExecuted));
                };
                let now = forwarder.member.leadership();
                let attempt = forwarder.propose(now, term, &operation).await;
                Some(MemberReply::Proposed(attempt))
            }
            MemberRequest::ReadIndex => {
                let index = forwarder.member.read_index().await;
                Some(MemberReply::ReadIndex(index.ok().flatten()))
            }
            MemberRequest::Run => Some(MemberReply::Run(forwarder.shared.lock().own)),
        }
    }
}

impl Handler for Inbox {
    fn handle(&self, request: Bytes) -> Boxed<'_, Option<Bytes>> {
        Box::pin(async { self.answer(request).await.map(|reply| encode(&reply).into()) })
    }
}
