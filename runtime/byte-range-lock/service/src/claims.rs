//! The claim server of this project as the file server: one claim for each file.
//!
//! A claim excludes every other one, so a manager that has it has LockWrite, and managers do not
//! share files. Its lease is extended at each check of the core, and by the claim's own client.
//! What a manager knows of a file's contents is the claim's fencing token: if the next claim has
//! the next token, then nobody had the file in between.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, sleep_until};
use turnstile_claim::client::{Claim, Error, ErrorKind, LockClient};

use crate::cache::CachedFile;
use crate::file_server::{FileServer, Lapse, Reply, ServerLock};
use crate::local::RETRY;

/// How long a program that does not wait is kept waiting for a server that does not answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// A file whose lock is a claim.
#[derive(Debug)]
pub struct ClaimedFile<C> {
    shared: Arc<ClaimedShared<C>>,
    runtime: Handle,
}

#[derive(Debug)]
struct ClaimedShared<C> {
    client: LockClient,
    resource: String,
    lease: Duration,
    cache: C,
    held: Mutex<HeldClaim>,
}

/// The claim of a file, and what is known of its contents.
#[derive(Debug, Default)]
struct HeldClaim {
    claim: Option<Arc<Claim>>,
    watch: Option<JoinHandle<()>>,
    token: Option<u64>,
    contents: u64,
}

impl<C: CachedFile> ClaimedFile<C> {
    /// A file that nobody has claimed yet: the resource of its claims, and how long each lasts
    /// without being extended.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    #[must_use]
    pub fn new(client: LockClient, resource: String, lease: Duration, cache: C) -> Self {
        let held = Mutex::default();
        let shared = Arc::new(ClaimedShared { client, resource, lease, cache, held });
        Self { shared, runtime: Handle::current() }
    }
}

impl HeldClaim {
    /// The claim, if it is not lost.
    fn live(&self) -> Option<Arc<Claim>> {
        self.claim.clone().filter(|claim| claim.is_held())
    }

    /// Stops using the claim.
    fn take(&mut self) -> Option<Arc<Claim>> {
        if let Some(watch) = self.watch.take() {
            watch.abort();
        }
        self.claim.take()
    }
}

impl<C: CachedFile> ClaimedShared<C> {
    fn held(&self) -> MutexGuard<'_, HeldClaim> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers with the lock if the claim is live.
    fn grant(&self, lock: ServerLock, reply: Reply) -> Result<(), Reply> {
        let held = self.held();
        let Some(claim) = held.live() else { return Err(reply) };
        let (contents, until) = (held.contents, claim.deadline());
        // The answer may cause the release of the claim.
        drop((held, claim));
        reply.granted(lock, contents, until);
        Ok(())
    }

    /// Claims the file, unless nobody wants it any more.
    async fn claim(self: Arc<Self>, lock: ServerLock, reply: Reply) {
        if self.held().take().is_some() {
            // It is lost, and is to be gone before the next one.
            self.client.abandon(&self.resource).await;
        }
        let queued = Arc::new(Notify::new());
        let shared = self.clone();
        let acquire = shared.acquire(&queued);
        tokio::pin!(acquire);
        let patience = Instant::now() + PATIENCE;
        let mut is_told = false;
        let claim = loop {
            tokio::select! {
                claim = &mut acquire => break claim,
                () = queued.notified() => reply.busy(),
                () = sleep_until(patience), if !is_told => {
                    is_told = true;
                    reply.busy();
                }
                () = reply.given_up() => return,
            }
        };
        match claim {
            Ok(claim) => self.claimed(claim, lock, reply).await,
            Err(error) => {
                tracing::error!(file = self.cache.name(), %error, "a file is not claimed");
                reply.refused();
            }
        }
    }

    /// Claims the file. If this client has a claim of it, as of a file of the same name that was
    /// closed and is still being released, it is waited for.
    async fn acquire(&self, queued: &Arc<Notify>) -> Result<Claim, Error> {
        let [mut pause, longest] = RETRY;
        loop {
            let acquire = self.client.claim(&self.resource).ttl(self.lease);
            match acquire.on_queued(queued.clone()).await {
                Err(Error { cause: ErrorKind::Claimed { .. }, .. }) => sleep(pause).await,
                outcome => return outcome,
            }
            pause = longest.min(pause * 2);
        }
    }

    /// Keeps a new claim, drops what is older than it, and answers.
    async fn claimed(self: Arc<Self>, claim: Claim, lock: ServerLock, reply: Reply) {
        let claim = Arc::new(claim);
        let token = claim.fencing_token();
        let watch = tokio::spawn(watch(claim.lost(), reply.lapse()));
        let is_same = {
            let mut held = self.held();
            let is_same = held.token.zip(token).is_some_and(|(last, token)| token == last + 1);
            held.contents += u64::from(!is_same);
            (held.claim, held.watch, held.token) = (Some(claim), Some(watch), token);
            is_same
        };
        let shared = self.clone();
        let dropped = spawn_blocking(move || {
            if !is_same || shared.cache.is_stale() {
                shared.cache.drop_copies();
            }
        });
        // Copies that cannot be dropped are reported where that fails.
        let _dropped = dropped.await;
        // If it was lost meanwhile, the call counts as unanswered, and is repeated.
        let _unanswered = self.grant(lock, reply);
    }

    async fn extend(self: Arc<Self>, reply: Reply) {
        let Some(claim) = self.held().live() else { return reply.refused() };
        match patiently(claim.refresh(None), &reply).await {
            Ok(()) => {
                let contents = self.held().contents;
                reply.extended(contents, claim.deadline());
            }
            Err(error) => {
                tracing::warn!(file = self.cache.name(), %error, "its locks are lost");
                reply.refused();
            }
        }
    }

    async fn release(self: Arc<Self>, reply: Reply) {
        let shared = self.clone();
        let written = spawn_blocking(move || shared.cache.write_back()).await;
        if let Ok(Err(error)) = written {
            let file = self.cache.name();
            tracing::error!(file, %error, "changes are not written back");
        }
        let claim = self.held().take();
        if claim.as_ref().is_some_and(|claim| !claim.is_held()) {
            tracing::warn!(file = self.cache.name(), "its lock was lost before it was released");
        }
        patiently(self.client.abandon(&self.resource), &reply).await;
        // Not before: it would be released, and the name be another file's when it is abandoned.
        drop(claim);
        reply.released();
    }
}

/// Waits for a server, and tells after some time that it is slow.
async fn patiently<T>(answer: impl Future<Output = T>, reply: &Reply) -> T {
    tokio::pin!(answer);
    tokio::select! {
        answer = &mut answer => return answer,
        () = sleep(PATIENCE) => reply.busy(),
    }
    answer.await
}

/// Tells the manager when a claim is lost before the lease that it knows of is over.
async fn watch(lost: impl Future<Output = ()>, lapse: Lapse) {
    lost.await;
    lapse.lapsed();
}

impl<C: CachedFile> FileServer for ClaimedFile<C> {
    fn lock(&self, lock: ServerLock, reply: Reply) {
        if let Err(reply) = self.shared.grant(lock, reply) {
            self.runtime.spawn(self.shared.clone().claim(lock, reply));
        }
    }

    fn extend(&self, reply: Reply) {
        self.runtime.spawn(self.shared.clone().extend(reply));
    }

    fn release(&self, reply: Reply) {
        self.runtime.spawn(self.shared.clone().release(reply));
    }
}
