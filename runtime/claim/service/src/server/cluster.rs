//! Claims on a replicated log: each member applies the same operations to its own engine.
//!
//! A request becomes an operation, which the leader stamps with its time and proposes. Every member
//! applies it; the one that has received the request responds. All decisions are made when an
//! operation is applied, from replicated state: no member reads a clock for one.

mod archive;
mod catch_up;
mod contact;
mod forward;
mod hang_up;
mod inbox;
mod lead;
mod limits;
mod machine;
mod member_clock;
pub(super) mod membership;
mod operation;
mod options;
mod replica;
mod report;
mod save;
mod shared;
mod snapshot;
mod submit;
#[cfg(test)]
mod walk;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use hyper::header::HeaderValue;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use turnstile_host::random_bytes;
use turnstile_host::store::Store;
use turnstile_raft::network::Network;
use turnstile_raft::{Member, Role};

use self::catch_up::ReadRounds;
use self::forward::Forwarder;
use self::hang_up::HangUps;
use self::inbox::Inbox;
use self::lead::Leading;
use self::machine::ClaimMachine;
use self::replica::Replica;
use self::save::Saves;
use self::shared::Shared;
use super::abort_on_drop::AbortOnDrop;
use super::audit::Audit;
use crate::server::access::origin::{MemberRun, RequestOrigin};
use crate::server::state::backend::{Backend, Boxed};
use crate::server::state::claim_engine::ClaimEngine;
use crate::server::state::outlet::ReplyOutlet;
use crate::server::state::reply::Reply;
use crate::server::web::call::{ClaimRequest, EngineReply, FIRST_WATCH};
use crate::wire::request::Bounds;

pub use archive::Snapshot;
pub(super) use limits::LimitsInForce;
pub use options::ClusterOptions;

/// The engine of a member of a cluster, for the HTTP handlers.
pub(crate) struct ReplicatedEngine {
    own: MemberRun,
    forwarder: Forwarder,
    shared: Arc<Shared>,
    inbox: Arc<Inbox>,
    reads: ReadRounds,
    hang_ups: HangUps,
    options: ClusterOptions,
    /// The number of requests of this process that wait, and its maximum.
    waiting: AtomicUsize,
    waits_max: usize,
    saves: Saves,
    _leading: AbortOnDrop<()>,
    runtime: Handle,
    /// Once the member is in a cluster.
    id: OnceLock<HeaderValue>,
}

impl std::fmt::Debug for ReplicatedEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplicatedEngine").field("own", &self.own).finish_non_exhaustive()
    }
}

/// What a member takes from the options of its server.
pub(super) struct MemberSetup {
    pub(super) limits: LimitsInForce,
    pub(super) audit: Option<Audit>,
    pub(super) wall_us: fn() -> u64,
    pub(super) waits_max: usize,
}

impl ReplicatedEngine {
    /// Starts a member.
    ///
    /// # Errors
    /// When the store is damaged, or of another member or cluster; or when the options contradict
    /// each other.
    pub(super) async fn start(
        options: ClusterOptions,
        setup: MemberSetup,
        store: Box<dyn Store>,
        network: Arc<dyn Network>,
    ) -> io::Result<Self> {
        let MemberSetup { limits, audit, wall_us, waits_max } = setup;
        let raft = options.raft.clone();
        let own = MemberRun { member: raft.id, run: u64::from_le_bytes(random_bytes()?) };
        let (orphaned, orphans) = HangUps::channel();
        let replica = Replica::new(own, raft.group.clone(), limits, ReplyOutlet(audit));
        let shared = Arc::new(Shared::new(replica, orphaned.clone()));
        let (inbox, machine) =
            (Inbox::new(), ClaimMachine { shared: shared.clone(), version: options.version });
        let (heartbeat, lease) = (raft.heartbeat, raft.election_most);
        let member = Member::start_with(raft, store, machine, network, inbox.clone()).await?;
        let forwarder = Forwarder { member, shared: shared.clone(), lease };
        inbox.open(forwarder.clone());
        let leading = Leading { forwarder: forwarder.clone(), limits, wall_us, heartbeat };
        Ok(Self {
            own,
            saves: Saves::new(Arc::clone(&shared)),
            shared,
            inbox,
            reads: ReadRounds::default(),
            hang_ups: HangUps::start(forwarder.clone(), (orphaned, orphans)),
            forwarder,
            options,
            waiting: AtomicUsize::new(0),
            waits_max,
            _leading: AbortOnDrop::spawn(leading.run()),
            runtime: Handle::current(),
            id: OnceLock::new(),
        })
    }

    /// The replicated log.
    pub(super) const fn member(&self) -> &Member {
        &self.forwarder.member
    }

    /// The bytes of a file of all claims.
    ///
    /// # Errors
    /// As of [`Saves::next`].
    pub(super) async fn save(&self) -> Result<Bytes, Reply> {
        self.saves.next().await
    }
}

impl Backend for ReplicatedEngine {
    fn id(&self) -> Option<HeaderValue> {
        self.cluster_id()
    }

    fn with(&self, act: &mut dyn FnMut(&mut ClaimEngine<'_>)) {
        self.shared.with(|engine| act(engine));
    }

    fn submit(&self, request: ClaimRequest, origin: RequestOrigin) -> Boxed<'_, EngineReply> {
        Box::pin(self.propose(request, origin))
    }

    /// It decides nothing, so that it is of this process alone.
    fn watch(&self, id: u64, origin: RequestOrigin) -> EngineReply {
        let wait_us = origin.wait_us.map(|wait_us| self.wait_us(wait_us));
        let origin = RequestOrigin { wait_us, ..origin };
        let reply = self.shared.with(|engine| engine.watch(id, &origin));
        if matches!(reply, EngineReply::Pending(_)) {
            self.waiting.fetch_add(1, Ordering::Relaxed);
        }
        reply
    }

    fn refresh(&self) -> Boxed<'_, Result<(), Reply>> {
        let is_confirmed = timeout(self.options.request_timeout, async {
            while !self.reads.confirm(&self.forwarder).await {
                let now = self.member().leadership();
                if now.role == Role::Leader && !self.forwarder.has_majority(now) {
                    return false;
                }
                sleep(self.options.raft.heartbeat).await;
            }
            true
        });
        Box::pin(async {
            match is_confirmed.await {
                Ok(true) => Ok(()),
                Ok(false) | Err(_) => Err(self.not_executed()),
            }
        })
    }

    fn bounds(&self) -> Option<Bounds> {
        Some(self.shared.lock().limits().bounds())
    }

    /// Whether the member follows no log any more, or its store rejects writes.
    fn is_failed(&self) -> bool {
        let status = self.member().status();
        status.failure.is_some()
            || status.is_store_failing
            || self.shared.lock().failure().is_some()
    }

    fn readiness(&self) -> Boxed<'_, Result<(), &'static str>> {
        Box::pin(self.check_ready())
    }

    fn commits(&self) -> u64 {
        self.member().status().syncs
    }

    fn log_metrics(&self) -> Boxed<'_, String> {
        Box::pin(self.metrics())
    }

    fn failed(&self) -> Boxed<'_, String> {
        Box::pin(async {
            let why = self.member().failed().await;
            self.shared.lock().failure().map_or(why, str::to_owned)
        })
    }

    fn end_waits(&self) -> Boxed<'_, ()> {
        Box::pin(self.end_waits_of_run())
    }

    fn close(&self) -> Boxed<'_, ()> {
        Box::pin(async {
            self.inbox.close();
            self.member().stop().await;
        })
    }

    fn no_response(&self) -> Reply {
        self.outcome_unknown()
    }

    fn hang_up(&self, caller: u64) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        if caller >= FIRST_WATCH {
            self.shared.with(|engine| engine.hang_up(caller));
        } else if self.shared.lock().waits(caller) {
            self.hang_ups.hang_up(caller);
        }
    }
}

impl Drop for ReplicatedEngine {
    fn drop(&mut self) {
        // A member without its tasks must not lead. To stop one twice does nothing.
        self.inbox.close();
        let member = self.member().clone();
        let _stopping = self.runtime.spawn(async move { member.stop().await });
    }
}
