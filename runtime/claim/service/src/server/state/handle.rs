//! The engine as shared by the tasks of all connections: of this server alone, or replicated.

use std::sync::Arc;

use hyper::header::HeaderValue;
use tokio::sync::Semaphore;
use turnstile_host::Host;

use crate::server::access::origin::RequestOrigin;
#[cfg(feature = "cluster")]
use crate::server::cluster::ReplicatedEngine;
use crate::server::connections::disconnect::DisconnectWatch;
use crate::server::state::claim_engine::ClaimEngine;
use crate::server::state::reply::Reply;
use crate::server::state::service::ClaimService;
use crate::server::web::call::{ClaimRequest, EngineReply, FIRST_WATCH, PendingReply};
use crate::wire::request::Bounds;

/// The engine, shared by all requests.
#[derive(Debug)]
pub(crate) struct EngineHandle {
    backend: Backend,
    /// Permits one read-only task at a time, so that readers do not starve writers.
    reading: Semaphore,
}

/// What takes the requests.
#[derive(Debug)]
enum Backend {
    /// This process alone, and its id. Timers and the committing task share it.
    Single(Host<ClaimService>, HeaderValue),
    /// A member of a cluster.
    #[cfg(feature = "cluster")]
    Replicated(Box<ReplicatedEngine>),
}

impl EngineHandle {
    pub(crate) fn new(host: Host<ClaimService>, server: u128) -> Arc<Self> {
        let backend = Backend::Single(host, server_id(&format!("{server:032x}")));
        Arc::new(Self { backend, reading: Semaphore::new(1) })
    }

    /// The id of the server or the cluster; `None` for a member that is in no cluster yet.
    pub(crate) fn id(&self) -> Option<HeaderValue> {
        match &self.backend {
            Backend::Single(_, id) => Some(id.clone()),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.id(),
        }
    }

    #[cfg(feature = "cluster")]
    pub(crate) fn replicated(engine: ReplicatedEngine) -> Arc<Self> {
        let backend = Backend::Replicated(Box::new(engine));
        Arc::new(Self { backend, reading: Semaphore::new(1) })
    }

    /// The host, if the server is no member of a cluster.
    pub(crate) fn host(&self) -> Option<Host<ClaimService>> {
        match &self.backend {
            Backend::Single(host, _) => Some(host.clone()),
            #[cfg(feature = "cluster")]
            Backend::Replicated(_) => None,
        }
    }

    /// The member of a cluster, if the server is one.
    #[cfg(feature = "cluster")]
    pub(crate) const fn cluster(&self) -> Option<&ReplicatedEngine> {
        match &self.backend {
            Backend::Single(_, _) => None,
            Backend::Replicated(engine) => Some(engine),
        }
    }

    /// Calls a function with the engine, and wakes the tasks that have work. What the function
    /// changes is of this process alone: changes of claims go through [`EngineHandle::submit`].
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut ClaimEngine<'_>) -> T) -> T {
        match &self.backend {
            Backend::Single(host, _) => host.with(|state| act(&mut ClaimEngine(state))),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.with(act),
        }
    }

    /// Takes a request that may change claims.
    pub(crate) async fn submit(&self, request: ClaimRequest, origin: RequestOrigin) -> EngineReply {
        match &self.backend {
            Backend::Single(_, _) => self.with(|engine| engine.execute(request, &origin)),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.submit(request, origin).await,
        }
    }

    /// Shows a claim, or waits for its end, if the client asks for that.
    pub(crate) fn watch(&self, id: u64, origin: RequestOrigin) -> EngineReply {
        match &self.backend {
            Backend::Single(_, _) => self.with(|engine| engine.watch(id, &origin)),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.watch(id, origin),
        }
    }

    /// Returns when a read has all changes that were answered before the call, by any member.
    ///
    /// # Errors
    /// The 503 when that cannot be confirmed.
    pub(crate) async fn refresh(&self) -> Result<(), Reply> {
        match &self.backend {
            Backend::Single(_, _) => Ok(()),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.refresh().await,
        }
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

    /// The limits on fields of requests that are in force in the cluster.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        match &self.backend {
            Backend::Single(_, _) => None,
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => Some(engine.bounds()),
        }
    }

    /// Whether the store rejects writes. Never blocks.
    pub(crate) fn is_failed(&self) -> bool {
        match &self.backend {
            Backend::Single(host, _) => host.is_failed(),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.is_failed(),
        }
    }

    /// Whether requests can be answered. A member of a cluster that does not lead asks the leader.
    ///
    /// # Errors
    /// Why they cannot.
    pub(crate) async fn readiness(&self) -> Result<(), &'static str> {
        match &self.backend {
            Backend::Single(host, _) if host.is_failed() => Err("the storage rejects writes"),
            Backend::Single(_, _) => Ok(()),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.readiness().await,
        }
    }

    /// How many groups of changes were synced to the disk: by a member, those of its log.
    pub(crate) fn commits(&self) -> u64 {
        match &self.backend {
            Backend::Single(host, _) => host.with(|state| ClaimEngine(state).0.commits()),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.member().status().syncs,
        }
    }

    /// The metrics of the replicated log; empty if there is none.
    pub(crate) async fn log_metrics(&self) -> String {
        match &self.backend {
            Backend::Single(_, _) => String::new(),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.metrics().await,
        }
    }

    /// Waits until the engine has stopped by itself, and returns the reason.
    pub(crate) async fn failed(&self) -> String {
        match &self.backend {
            Backend::Single(_, _) => std::future::pending().await,
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.failed().await,
        }
    }

    /// Ends all long polls, because the server is about to stop.
    pub(crate) async fn end_waits(&self) {
        match &self.backend {
            Backend::Single(_, _) => self.with(|engine| engine.end_waits()),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.end_waits().await,
        }
    }

    /// Takes no more requests.
    pub(crate) async fn close(&self) {
        match &self.backend {
            Backend::Single(host, _) => host.close(),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.stop().await,
        }
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

    fn no_response(&self) -> Reply {
        match &self.backend {
            Backend::Single(_, _) => Reply::storage_in_trouble(),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.outcome_unknown(),
        }
    }

    /// Cancels a request whose client has disconnected or has its response.
    fn hang_up(&self, caller: u64) {
        match &self.backend {
            Backend::Single(_, _) => self.with(|engine| engine.hang_up(caller)),
            #[cfg(feature = "cluster")]
            Backend::Replicated(engine) => engine.hang_up(caller),
        }
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
