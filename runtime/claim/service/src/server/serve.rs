//! The server: opens its store, serves connections, and shuts down without losing data.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use turnstile_claim_core::record::Records;
use turnstile_claim_core::scenario::server_words;

use super::abort_on_drop::AbortOnDrop;
#[cfg(feature = "cluster")]
use super::cluster::{ClusterOptions, LimitsInForce, MemberSetup, ReplicatedEngine};
use super::options::Options;
use super::runtime::release_memory;
use crate::server::access::auth_throttle::AuthThrottle;
use crate::server::access::session::Sessions;
use crate::server::connections::connection::Connection;
use crate::server::connections::listen::{Accept, TakenAddress, announce, turn_away};
use crate::server::connections::slots::ConnectionSlots;
use crate::server::state::backend::Single;
use crate::server::state::handle::{EngineHandle, server_id};
use crate::server::state::outlet::ReplyOutlet;
use crate::server::state::restore::open;
use crate::server::state::saved::{self, Loaded};
use crate::server::state::service::ClaimService;
use crate::server::web::http::AppState;
use turnstile_host::at as at_place;
use turnstile_host::store::Store;
use turnstile_host::{Host, Pause, random_bytes, simulation};
#[cfg(feature = "cluster")]
use turnstile_raft::network::Network;

/// The storage of claims.
pub enum Storage {
    /// None: claims are kept in memory only.
    Memory,
    /// A store whose syncs block a thread of [`super::runtime`].
    Blocking(Box<dyn Store>),
    /// A store that does not block; the function returns the simulated duration of each sync.
    Simulated(Box<dyn Store>, Box<dyn FnMut() -> Duration + Send>),
}

/// A server that has read its store and does not listen yet.
#[derive(Debug)]
pub struct Server {
    shared: Arc<EngineHandle>,
    options: Options,
    /// If it is no member of a cluster.
    single: Option<(Host<ClaimService>, Option<Committer>)>,
    /// If it is one.
    #[cfg(feature = "cluster")]
    member: Option<Arc<ReplicatedEngine>>,
}

/// The store to commit to, and the simulated duration of its syncs.
struct Committer(Box<dyn Store>, Option<Pause>);

/// The tasks of a server that is no member of a cluster.
struct HostTasks {
    timers: AbortOnDrop<()>,
    committing: Option<AbortOnDrop<bool>>,
}

impl HostTasks {
    fn start(host: Host<ClaimService>, committer: Option<Committer>) -> Self {
        let commit =
            |Committer(store, pause)| AbortOnDrop::spawn(host.clone().commit(store, pause));
        let committing = committer.map(commit);
        Self { timers: AbortOnDrop::spawn(host.drive_timers()), committing }
    }

    /// Waits for the last commit.
    async fn end(self) -> io::Result<()> {
        drop(self.timers);
        match self.committing {
            Some(committing) => committing.end().await.map(drop),
            None => Ok(()),
        }
    }
}

/// Gives memory back whenever many connections have closed.
async fn release(slots: Arc<ConnectionSlots>) {
    loop {
        slots.have_shrunk().await;
        release_memory().await;
    }
}

impl std::fmt::Debug for Committer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Committer")
    }
}

impl Server {
    /// Opens a server on a store.
    ///
    /// # Errors
    /// When the store cannot be read, or the system has no source of randomness.
    pub fn open(storage: Storage, mut options: Options) -> io::Result<Self> {
        let trace = options.trace.take();
        let wall_us = (options.wall_us)();
        let retention = options.retention(matches!(storage, Storage::Memory));
        let audit = options.audit.clone();
        let mut committer = match storage {
            Storage::Memory => None,
            Storage::Blocking(store) => Some(Committer(store, None)),
            Storage::Simulated(store, pause) => Some(Committer(store, Some(pause))),
        };
        let found = match &mut committer {
            Some(Committer(store, _)) => saved::read(&mut **store)?,
            None => Loaded::default(),
        };
        let observer =
            trace.map(|trace| trace.observer::<Records>(&server_words(retention.limits)));
        let (known, new) = (found.server, u128::from_le_bytes(random_bytes()?));
        let mut state = open(found, retention, wall_us, observer);
        state.engine.service.new_server = known.is_none().then_some(new);
        let host = Host::new(state, ReplyOutlet(audit));
        if committer.as_ref().is_some_and(|Committer(store, _)| !store.takes_writes()) {
            host.begin_without_store();
        }
        let id = server_id(&format!("{:032x}", known.unwrap_or(new)));
        Ok(Self {
            shared: EngineHandle::new(Arc::new(Single { host: host.clone(), id })),
            options,
            single: Some((host, committer)),
            #[cfg(feature = "cluster")]
            member: None,
        })
    }

    /// Starts a member of a cluster on its store, which no other program may use. A new member
    /// waits until [`turnstile_raft::Member::initialize`] or `add_member` of [`Server::member`]
    /// makes it one of a cluster.
    ///
    /// # Errors
    /// When the store is damaged, or of another member; or when the options contradict each other.
    #[cfg(feature = "cluster")]
    pub async fn join(
        cluster: ClusterOptions,
        store: Box<dyn Store>,
        network: Arc<dyn Network>,
        options: Options,
    ) -> io::Result<Self> {
        cluster.check(options.body_max)?;
        let setup = MemberSetup {
            limits: LimitsInForce::new(&options.retention(true), &options.bounds),
            audit: options.audit.clone(),
            wall_us: options.wall_us,
            waits_max: options.room().waits(),
        };
        let member = Arc::new(ReplicatedEngine::start(cluster, setup, store, network).await?);
        let shared = EngineHandle::new(member.clone());
        Ok(Self { shared, options, single: None, member: Some(member) })
    }

    /// The member of the replicated log; `None` if the server is in no cluster.
    #[cfg(feature = "cluster")]
    #[must_use]
    pub fn member(&self) -> Option<&turnstile_raft::Member> {
        self.member.as_deref().map(ReplicatedEngine::member)
    }

    /// Completes when the server cannot go on, since its member of a cluster has stopped by itself;
    /// with the reason.
    pub fn failed(&self) -> impl Future<Output = String> + Send + use<> {
        let shared = self.shared.clone();
        async move { shared.failed().await }
    }

    /// Listens on an address, prints it on standard output, and serves until `stop` completes.
    ///
    /// # Errors
    /// When it cannot listen.
    pub async fn listen(
        self,
        address: TakenAddress,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let listener = address.listen().map_err(at_place("--listen"))?;
        let at = listener.local_addr()?;
        announce(self.scheme(), at)?;
        self.log_start(&format!("{}://{at}", self.scheme()));
        self.serve(listener, stop).await?;
        tracing::info!("stopped");
        Ok(())
    }

    fn log_start(&self, address: &str) {
        let data = self.options.data.as_ref().map(|data| data.display().to_string());
        let data = data.as_deref().unwrap_or("none: claims are in memory only");
        if self.single.is_some() {
            let (claims, live) = self.shared.with(|engine| engine.counts());
            tracing::info!(address, data, claims, live, "serving");
        } else {
            // A member of a cluster has not applied its log before a leader is elected.
            tracing::info!(address, data, "serving");
        }
    }

    const fn scheme(&self) -> &'static str {
        if self.options.tls.is_some() { "https" } else { "http" }
    }

    /// Serves connections until `stop` completes, then waits for the open ones.
    ///
    /// # Errors
    /// When the committing task has panicked.
    pub async fn serve<A: Accept>(
        self,
        mut listener: A,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let slots = ConnectionSlots::new(self.options.room());
        let app = Arc::new(self.app(&slots));
        let Self { shared, options, single, .. } = self;
        let tasks = single.map(|(host, committer)| HostTasks::start(host, committer));
        let _releasing = AbortOnDrop::spawn(release(slots.clone()));
        let (stopping, is_stopping) = watch::channel(false);
        let (alive, mut all_gone) = mpsc::channel::<()>(1);
        let options = Arc::new(options);
        options.audit_server("start", options.is_after_unclean_stop.then_some("unclean stop"));
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                biased;
                accepted = listener.accept() => accepted,
                () = &mut stop => break,
            };
            let (stream, from) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Probably out of file descriptors: wait until connections close.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            };
            let Some(slot) = slots.take(from.ip()).await else {
                turn_away(&stream);
                continue;
            };
            let connection = Connection {
                app: app.clone(),
                options: options.clone(),
                from,
                is_stopping: is_stopping.clone(),
                slot,
                _alive: alive.clone(),
            };
            simulation::spawn(connection.serve(Box::new(stream)));
        }
        drop((alive, listener));
        stopping.send_replace(true);
        shared.end_waits().await;
        // Connections that are still open then are closed.
        let _all_done = tokio::time::timeout(options.drain_max, all_gone.recv()).await;
        shared.close().await;
        if let Some(tasks) = tasks {
            tasks.end().await?;
        }
        options.audit_server("stop", None);
        Ok(())
    }

    fn app(&self, slots: &Arc<ConnectionSlots>) -> AppState {
        let options = &self.options;
        AppState {
            shared: self.shared.clone(),
            #[cfg(feature = "cluster")]
            member: self.member.clone(),
            bounds: options.bounds,
            body_max: options.body_max,
            body_timeout: options.body_timeout,
            wait_max_us: u64::try_from(options.wait_max.as_micros()).unwrap_or(u64::MAX),
            scheme: self.scheme(),
            public_url: options.public_url.clone(),
            hosts: options.hosts.clone(),
            tokens: options.tokens.clone(),
            sessions: Sessions::default(),
            auth_throttle: AuthThrottle::new(options.wrong_tokens_max),
            audit: options.audit.clone(),
            wall_us: options.wall_us,
            slots: slots.clone(),
            certificates: options.certificates.clone(),
        }
    }
}
