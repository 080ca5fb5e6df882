//! What takes the requests of a server: this process alone, or a member of a cluster.

use std::fmt::Debug;
use std::pin::Pin;

use hyper::header::HeaderValue;
use turnstile_host::Host;

use crate::server::access::origin::RequestOrigin;
use crate::server::state::claim_engine::ClaimEngine;
use crate::server::state::reply::Reply;
use crate::server::state::service::ClaimService;
use crate::server::web::call::{ClaimRequest, EngineReply};
use crate::wire::request::Bounds;

/// What will be answered.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The engine of claims, wherever its decisions are made.
pub(crate) trait Backend: Debug + Send + Sync {
    /// The id of the server or the cluster; `None` for a member that is in no cluster yet.
    fn id(&self) -> Option<HeaderValue>;

    /// Calls a function once with the engine, and wakes the tasks that have work.
    fn with(&self, act: &mut dyn FnMut(&mut ClaimEngine<'_>));

    /// Takes a request that may change claims.
    fn submit(&self, request: ClaimRequest, origin: RequestOrigin) -> Boxed<'_, EngineReply>;

    /// Shows a claim, or waits for its end, if the client asks for that.
    fn watch(&self, id: u64, origin: RequestOrigin) -> EngineReply;

    /// Returns when a read has all changes that were answered before the call, by any member.
    ///
    /// # Errors
    /// The 503 when that cannot be confirmed.
    fn refresh(&self) -> Boxed<'_, Result<(), Reply>>;

    /// The limits on fields of requests that are in force in the cluster.
    fn bounds(&self) -> Option<Bounds>;

    /// Whether the store rejects writes. Never blocks.
    fn is_failed(&self) -> bool;

    /// Whether requests can be answered. A member of a cluster that does not lead asks the leader.
    ///
    /// # Errors
    /// Why they cannot.
    fn readiness(&self) -> Boxed<'_, Result<(), &'static str>>;

    /// How many groups of changes were synced to the disk: by a member, those of its log.
    fn commits(&self) -> u64;

    /// The metrics of the replicated log; empty if there is none.
    fn log_metrics(&self) -> Boxed<'_, String>;

    /// Waits until the engine has stopped by itself, and returns the reason.
    fn failed(&self) -> Boxed<'_, String>;

    /// Ends all long polls, because the server is about to stop.
    fn end_waits(&self) -> Boxed<'_, ()>;

    /// Takes no more requests.
    fn close(&self) -> Boxed<'_, ()>;

    /// The reply to a request that will have none.
    fn no_response(&self) -> Reply;

    /// Cancels a request whose client has disconnected or has its response.
    fn hang_up(&self, caller: u64);
}

/// This process alone. Timers and the committing task share its host.
#[derive(Debug)]
pub(crate) struct Single {
    pub(crate) host: Host<ClaimService>,
    pub(crate) id: HeaderValue,
}

impl Single {
    fn call<T>(&self, act: impl FnOnce(&mut ClaimEngine<'_>) -> T) -> T {
        self.host.with(|state| act(&mut ClaimEngine(state)))
    }
}

impl Backend for Single {
    fn id(&self) -> Option<HeaderValue> {
        Some(self.id.clone())
    }

    fn with(&self, act: &mut dyn FnMut(&mut ClaimEngine<'_>)) {
        self.call(act);
    }

    fn submit(&self, request: ClaimRequest, origin: RequestOrigin) -> Boxed<'_, EngineReply> {
        Box::pin(async move { self.call(|engine| engine.execute(request, &origin)) })
    }

    fn watch(&self, id: u64, origin: RequestOrigin) -> EngineReply {
        self.call(|engine| engine.watch(id, &origin))
    }

    fn refresh(&self) -> Boxed<'_, Result<(), Reply>> {
        Box::pin(async { Ok(()) })
    }

    fn bounds(&self) -> Option<Bounds> {
        None
    }

    fn is_failed(&self) -> bool {
        self.host.is_failed()
    }

    fn readiness(&self) -> Boxed<'_, Result<(), &'static str>> {
        let is_failed = self.is_failed();
        Box::pin(async move { if is_failed { Err("the storage rejects writes") } else { Ok(()) } })
    }

    fn commits(&self) -> u64 {
        self.call(|engine| engine.0.commits())
    }

    fn log_metrics(&self) -> Boxed<'_, String> {
        Box::pin(async { String::new() })
    }

    fn failed(&self) -> Boxed<'_, String> {
        Box::pin(std::future::pending())
    }

    fn end_waits(&self) -> Boxed<'_, ()> {
        Box::pin(async { self.call(|engine| engine.end_waits()) })
    }

    fn close(&self) -> Boxed<'_, ()> {
        Box::pin(async { self.host.close() })
    }

    fn no_response(&self) -> Reply {
        Reply::storage_in_trouble()
    }

    fn hang_up(&self, caller: u64) {
        self.call(|engine| engine.hang_up(caller));
    }
}
