//! The requests of other members: those of the log, operations that they forward, and those of the
//! application.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::changes::{Changes, MemberChange};
use crate::encoding::kinds::{APPLICATION, CHANGE, LOG, OPERATION};
use crate::engine::Engine;
use crate::error::MemberError;
use crate::network::calls::ANSWERING_MAX;
use crate::network::{Boxed, CallError, Handler};
use crate::options::Options;
use crate::peers::{self, HANDSHAKE, Head, Peers};
use crate::proposer::{Proposals, WeakProposals, submit, try_room};

/// The maximum number of forwarded operations that wait at the leader.
const FORWARDED_MAX: usize = 1024;
/// The maximum number of the application's requests, and changes of the members, that wait. A
/// further one gets no answer.
const OTHERS_MAX: usize = 4096;
/// What a member says to one whose entries contradict what it has answered for.
const STOPPED: &str =
    "it has stopped, since acknowledged changes are lost; its own log says how they are kept";

// Those of the log do not wait for them: a network answers more at a time.
const _: () = assert!(FORWARDED_MAX + OTHERS_MAX < ANSWERING_MAX);

/// Answers other members. The network, which has this, outlives the member: so it has no handle of
/// the member that keeps it from being dropped.
pub(crate) struct Inbox<H> {
    peers: Weak<Peers>,
    log: H,
    engine: Weak<Engine>,
    proposals: WeakProposals,
    changes: Weak<Changes>,
    timeout: Duration,
    forwarded: Semaphore,
    others: Semaphore,
    /// The bytes of those operations.
    room: Arc<Semaphore>,
    application: Arc<dyn Handler>,
}

impl Inbox<()> {
    /// The inbox of a member.
    pub(crate) fn of(
        peers: &Arc<Peers>,
        engine: &Arc<Engine>,
        proposals: &Proposals,
        changes: &Arc<Changes>,
        options: &Options,
        application: Arc<dyn Handler>,
    ) -> Inbox<impl Handler + use<>> {
        Inbox {
            peers: Arc::downgrade(peers),
            log: engine.requests(),
            engine: Arc::downgrade(engine),
            proposals: proposals.downgrade(),
            changes: Arc::downgrade(changes),
            timeout: options.timeout,
            forwarded: Semaphore::new(FORWARDED_MAX),
            others: Semaphore::new(OTHERS_MAX),
            room: Arc::new(Semaphore::new(options.queue_bytes)),
            application,
        }
    }
}

impl<H> Inbox<H> {
    async fn execute(&self, operation: Bytes) -> Result<Bytes, MemberError> {
        let _waiting = self.forwarded.try_acquire().map_err(|_| MemberError::QueueFull)?;
        let _room = try_room(&self.room, operation.len()).ok_or(MemberError::QueueFull)?;
        self.engine.upgrade().ok_or_else(MemberError::stopped)?.check_leader()?;
        let proposals = self.proposals.upgrade().ok_or_else(MemberError::stopped)?;
        submit(&proposals, operation, Instant::now() + self.timeout).await
    }
}

impl<H> Inbox<H> {
    async fn change(&self, request: &[u8]) -> Result<(), MemberError> {
        let change: MemberChange = postcard::from_bytes(request)
            .map_err(|error| MemberError::Membership { why: error.to_string() })?;
        self.changes.upgrade().ok_or_else(MemberError::stopped)?.make(&change).await
    }
}

impl<H: Handler> Inbox<H> {
    async fn answer(&self, mut request: Bytes) -> Option<Bytes> {
        let peers = self.peers.upgrade()?;
        if request.first() == Some(&HANDSHAKE) {
            return peers.answer(&request[1..]).await;
        }
        let head = Head::take(&mut request)?;
        let sender = match peers.admit(&head).await {
            Ok(sender) => sender,
            Err(refusal) => return refusal,
        };
        let content = match head.kind {
            LOG => {
                // A member of a group has taken this one in.
                if let (None, Some(group)) = (peers.group(), sender.group.group()) {
                    peers.accept(group.clone()).await.ok()?;
                }
                let has_loss = || self.engine.upgrade().is_some_and(|engine| engine.has_loss());
                let content = if has_loss() { None } else { self.log.handle(request).await };
                match content {
                    Some(content) => content,
                    None if has_loss() => return Some(peers::refused(STOPPED)),
                    None => return None,
                }
            }
            OPERATION => {
                let answer = self.execute(request).await;
                postcard::to_allocvec(&answer).expect("an answer can be encoded").into()
            }
            APPLICATION => {
                let _waiting = self.others.try_acquire().ok()?;
                self.application.handle(request).await?
            }
            CHANGE => {
                let _waiting = self.others.try_acquire().ok()?;
                let changed = self.change(&request).await;
                postcard::to_allocvec(&changed).expect("an outcome can be encoded").into()
            }
            // A member of a later version.
            HANDSHAKE.. => return None,
        };
        Some(peers::answer(&content))
    }
}

impl<H: Handler> Handler for Inbox<H> {
    fn handle(&self, request: Bytes) -> Boxed<'_, Option<Bytes>> {
        Box::pin(self.answer(request))
    }
}

/// Has another member propose an operation.
pub(crate) async fn forward(
    peers: &Arc<Peers>,
    to: u64,
    operation: &[u8],
) -> Result<Bytes, MemberError> {
    let answer = call(peers, to, OPERATION, operation).await?;
    let answer: Result<Result<Bytes, MemberError>, _> = postcard::from_bytes(&answer);
    answer.unwrap_or_else(|error| Err(lost(&error.to_string())))
}

/// Has the leader make a change of the members.
pub(crate) async fn forward_change(
    peers: &Arc<Peers>,
    to: u64,
    change: &MemberChange,
) -> Result<(), MemberError> {
    let request = postcard::to_allocvec(change).expect("a change can be encoded");
    let answer = call(peers, to, CHANGE, &request).await?;
    let answer: Result<Result<(), MemberError>, _> = postcard::from_bytes(&answer);
    answer.unwrap_or_else(|error| Err(lost(&error.to_string())))
}

/// Sends a request of the application to another member.
pub(crate) async fn ask(peers: &Arc<Peers>, to: u64, request: &[u8]) -> Result<Bytes, MemberError> {
    call(peers, to, APPLICATION, request).await
}

async fn call(peers: &Arc<Peers>, to: u64, kind: u8, content: &[u8]) -> Result<Bytes, MemberError> {
    let put = |head: Vec<u8>| [&head, content].concat();
    peers.call((to, None), kind, put).await.map_err(|CallError { why }| lost(&why))
}

fn lost(why: &str) -> MemberError {
    MemberError::Lost { why: format!("the member does not answer: {why}") }
}

/// The handler of a member whose application has no requests.
pub(crate) struct NoRequests;

impl Handler for NoRequests {
    fn handle(&self, _request: Bytes) -> Boxed<'_, Option<Bytes>> {
        Box::pin(std::future::ready(None))
    }
}
