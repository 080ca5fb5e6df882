//! The engine as shared by the tasks of all connections.

use std::sync::Arc;

use tokio::sync::Semaphore;
use turnstile_host::{Host, Outlet};

use super::audit::Audit;
use super::call::{EngineReply, OutgoingReply, PendingReply};
use super::claim_engine::ClaimEngine;
use super::disconnect::DisconnectWatch;
use super::reply::Reply;
use super::service::ClaimService;

/// The engine, shared by requests, timers and the committing task.
#[derive(Debug)]
pub(crate) struct EngineHandle {
    host: Host<ClaimService>,
    /// Permits one read-only task at a time, so that readers do not starve writers.
    reading: Semaphore,
}

impl EngineHandle {
    pub(crate) fn new(host: Host<ClaimService>) -> Arc<Self> {
        Arc::new(Self { host, reading: Semaphore::new(1) })
    }

    pub(crate) fn host(&self) -> Host<ClaimService> {
        self.host.clone()
    }

    /// Calls a function with the engine, and wakes the tasks that have work.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut ClaimEngine<'_>) -> T) -> T {
        self.host.with(|state| act(&mut ClaimEngine(state)))
    }

    /// Calls a short read-only function, one reader at a time, and then yields.
    pub(crate) async fn read<T>(&self, act: impl FnOnce(&mut ClaimEngine<'_>) -> T) -> T {
        let result = {
            let _turn = self.reading.acquire().await;
            self.with(act)
        };
        tokio::task::yield_now().await;
        result
    }

    /// Whether the store rejects writes. Never blocks.
    pub(crate) fn is_failed(&self) -> bool {
        self.host.is_failed()
    }

    /// Waits for a response. Dropping the future cancels the request.
    pub(crate) async fn answer(&self, pending: EngineReply) -> Reply {
        let PendingReply { caller, mut reply, until } = match pending {
            EngineReply::Ready(reply) => return reply,
            EngineReply::Pending(pending) => pending,
        };
        let line = HangUpOnDrop { handle: self, caller };
        let reply = match until {
            None => reply.await,
            Some(until) => match tokio::time::timeout_at(until, &mut reply).await {
                Ok(reply) => reply,
                Err(_elapsed) => {
                    self.with(|engine| engine.watch_no_longer(caller));
                    reply.await
                }
            },
        };
        drop(line);
        // The sender is dropped without a response only when the server fails.
        reply.unwrap_or_else(|_| Reply::storage_in_trouble())
    }

    /// Waits for a response. If a long poll's client closes its sending side, the request is
    /// cancelled: the client cannot be distinguished from one that is gone.
    pub(crate) async fn answer_to(
        &self,
        pending: EngineReply,
        disconnect: &DisconnectWatch,
    ) -> Reply {
        if !matches!(&pending, EngineReply::Pending(pending) if pending.caller != 0) {
            return self.answer(pending).await;
        }
        tokio::select! {
            biased;
            reply = self.answer(pending) => reply,
            () = disconnect.end() => {
                Reply::message(408, "The connection was closed while the request waited")
            }
        }
    }
}

/// The outlet for responses and lines of the audit log.
pub(super) struct ReplyOutlet(pub(super) Option<Audit>);

impl Outlet<OutgoingReply> for ReplyOutlet {
    fn deliver(&self, answers: &mut Vec<OutgoingReply>, is_durable: bool) {
        for OutgoingReply(sender, reply) in answers.drain(..) {
            let reply = if is_durable { reply } else { Reply::storage_in_trouble() };
            // An error means that the client is gone.
            let _gone = sender.send(reply);
        }
    }

    fn log(&self, lines: &[u8]) {
        if let Some(audit) = &self.0 {
            audit.write(lines);
        }
    }
}

/// Cancels a waiting request if it is dropped before its response.
struct HangUpOnDrop<'a> {
    handle: &'a EngineHandle,
    caller: u64,
}

impl Drop for HangUpOnDrop<'_> {
    fn drop(&mut self) {
        if self.caller != 0 {
            self.handle.with(|engine| engine.hang_up(self.caller));
        }
    }
}
