//! The engine as shared by the tasks of all connections.

use std::ops::Deref;
use std::sync::Arc;

use hyper::header::HeaderValue;
use tokio::sync::Semaphore;

use crate::server::connections::disconnect::DisconnectWatch;
use crate::server::state::backend::Backend;
use crate::server::state::claim_engine::ClaimEngine;
use crate::server::state::reply::Reply;
use crate::server::web::call::{EngineReply, FIRST_WATCH, PendingReply};

/// The engine, shared by all requests.
#[derive(Debug)]
pub(crate) struct EngineHandle {
    backend: Arc<dyn Backend>,
    /// Permits one read-only task at a time, so that readers do not starve writers.
    reading: Semaphore,
}

impl Deref for EngineHandle {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        &*self.backend
    }
}

impl EngineHandle {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Arc<Self> {
        Arc::new(Self { backend, reading: Semaphore::new(1) })
    }

    /// Calls a function with the engine, and wakes the tasks that have work. What the function
    /// changes is of this process alone: changes of claims go through [`Backend::submit`].
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut ClaimEngine<'_>) -> T) -> T {
        let (mut act, mut result) = (Some(act), None);
        self.backend.with(&mut |engine| result = act.take().map(|act| act(engine)));
        result.expect("it is called once")
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
                Err(_elapsed) => match self.wait_no_longer(caller).await {
                    Ok(()) => reply.await,
                    Err(unavailable) => return unavailable,
                },
            },
        };
        drop(line);
        // The sender is dropped without a response only when the server fails.
        reply.unwrap_or_else(|_| self.no_response())
    }

    /// Ends a request whose time is over. Its reply is then ready.
    async fn wait_no_longer(&self, caller: u64) -> Result<(), Reply> {
        if caller < FIRST_WATCH {
            // Only a cluster that cannot be reached leaves it waiting.
            return Err(self.no_response());
        }
        self.refresh().await?;
        self.with(|engine| engine.watch_no_longer(caller));
        Ok(())
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

/// The value of the header with the id of the server.
pub(crate) fn server_id(digits: &str) -> HeaderValue {
    HeaderValue::from_str(digits).expect("digits can be sent")
}

/// Cancels a waiting request if it is dropped before its response.
struct HangUpOnDrop<'a> {
    handle: &'a EngineHandle,
    caller: u64,
}

impl Drop for HangUpOnDrop<'_> {
    fn drop(&mut self) {
        if self.caller != 0 {
            self.handle.hang_up(self.caller);
        }
    }
}
