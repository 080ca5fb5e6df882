//! A pending claim: sent, waited for, and withdrawn if its future is dropped.
//!
//! It sends a command to the client's core and waits for its notice.

use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hyper::Method;
use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot, watch};
use turnstile_claim_core::client::Notice;

use super::builder::LockClientBuilder;
use super::claim::Claim;
use super::command::{ClaimView, NewClaim, Refusal, UserCommand};
use super::driver::ended;
use super::error::{Error, ErrorKind};
use super::handle::ClaimHandle;
use super::retry_policy::{RetryPolicy, check_ttl};
use super::shared::ClientShared;
use crate::client::requests::redact::without_passwords;

/// How long the id of the server is waited for.
const ID_TIMEOUT: Duration = Duration::from_secs(10);

/// A claim to be sent when this is awaited.
#[derive(Debug)]
#[must_use = "no request is sent until this is awaited"]
pub struct Acquire {
    shared: Arc<ClientShared>,
    resource: String,
    ttl: Duration,
    timeout: Option<Duration>,
    data: Option<Box<RawValue>>,
    queued: Option<Arc<Notify>>,
}

impl Acquire {
    pub(super) fn new(shared: Arc<ClientShared>, resource: &str) -> Self {
        let LockClientBuilder { ttl, timeout, .. } = shared.config;
        Self { shared, resource: resource.into(), ttl, timeout, data: None, queued: None }
    }

    /// The name of the resource.
    #[must_use]
    pub fn resource(&self) -> &str {
        &self.resource
    }

    /// Sets the duration of the lease without a renewal, at least 100 ms.
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets the maximum time to wait for the lock.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the claim's user data; by default host, process id and command line, in which the
    /// passwords of URLs are hidden.
    pub fn data(mut self, data: &impl serde::Serialize) -> Self {
        self.data = serde_json::value::to_raw_value(data).ok();
        self
    }

    /// Sets the claim's user data, as JSON.
    pub fn raw_data(mut self, data: Box<RawValue>) -> Self {
        self.data = Some(data);
        self
    }

    /// Notifies once the server has answered that the claim must wait for the lock. A keychain
    /// does not report this.
    pub fn on_queued(mut self, queued: Arc<Notify>) -> Self {
        self.queued = Some(queued);
        self
    }

    async fn acquire(self) -> Result<Claim, Error> {
        let error = |cause| Error { resource: self.resource.clone(), claim: None, cause };
        check_ttl(self.ttl).map_err(error)?;
        self.refuse_held().await.map_err(error)?;
        let handle = loop {
            let (handle, refused) = self.begin();
            // From here on, dropping the future withdraws the claim.
            let handle = WithdrawOnDrop(Some(handle));
            match refused.await {
                // The sender was dropped: the core accepted the claim.
                Err(_) => break handle,
                Ok(Refusal::Ending(first)) => ended(first).await,
                Ok(Refusal::Final(cause)) => return Err(error(cause)),
            }
        };
        handle.granted().await
    }

    /// Refuses a lock that this program runs under. Which server gives it is asked only if there is
    /// a lock of that name.
    async fn refuse_held(&self) -> Result<(), ErrorKind> {
        let ClientShared { config, caller, .. } = &*self.shared;
        if config.held.needs_id(&self.resource) && caller.id().is_none() {
            let path = format!("{}?limit=1", caller.server().path);
            let patience = self.timeout.unwrap_or(ID_TIMEOUT).min(ID_TIMEOUT);
            // Without an answer, URLs are compared.
            let _asked = caller.call(patience, Method::GET, &path, &[], None).await;
        }
        config.held.check(&self.resource, caller.id())
    }

    /// Sends the command; the receiver yields an error if the core refuses the claim at once.
    fn begin(&self) -> (Arc<ClaimHandle>, oneshot::Receiver<Refusal>) {
        let shared = &self.shared;
        let key = shared.rng.lock().unwrap_or_else(PoisonError::into_inner).number();
        let (view, seen) = watch::channel(ClaimView::default());
        let (refused, refusal) = oneshot::channel();
        let commands = shared.commands();
        let new = NewClaim {
            resource: self.resource.clone(),
            key,
            user_data: self.data.clone().or_else(who),
            policy: RetryPolicy { ttl: self.ttl, timeout: self.timeout },
            view,
            refused,
            queued: self.queued.clone(),
        };
        // If the driver has ended, the view is closed, which the caller notices.
        let _dead = commands.send(UserCommand::Claim(Box::new(new)));
        let handle = ClaimHandle {
            resource: self.resource.clone(),
            key,
            ttl: self.ttl,
            caller: shared.caller.clone(),
            clock: shared.config.clock.clone(),
            view: seen,
            commands,
        };
        (Arc::new(handle), refusal)
    }
}

impl IntoFuture for Acquire {
    type Output = Result<Claim, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.acquire())
    }
}

/// A claim that waits for the lock; dropping it withdraws the claim.
struct WithdrawOnDrop(Option<Arc<ClaimHandle>>);

impl WithdrawOnDrop {
    /// Waits until the lock is granted or the claim fails.
    async fn granted(mut self) -> Result<Claim, Error> {
        let handle = self.0.clone().expect("it is there until it is granted");
        let mut view = handle.view.clone();
        let told = view.wait_for(|view| view.notice.is_some()).await.map(|view| view.notice);
        let cause = match told.ok().flatten() {
            Some(Notice::Acquired { .. }) => {
                self.0 = None;
                return Ok(Claim::new(handle));
            }
            Some(Notice::TimedOut) => handle.timed_out(),
            Some(Notice::TooSlow) => view.borrow().too_slow(handle.ttl),
            Some(Notice::Failed { status }) => {
                let view = view.borrow();
                let (status, reason) = (status.unwrap_or(0), view.reason.clone());
                view.trouble.clone().unwrap_or(ErrorKind::Refused { status, reason })
            }
            Some(Notice::Lost) => view.borrow().loss(),
            Some(Notice::Released) => ErrorKind::Abandoned,
            // The driver answers `KeyNeeded` itself.
            Some(Notice::KeyNeeded) | None => {
                view.borrow().trouble.clone().unwrap_or(ErrorKind::Abandoned)
            }
        };
        Err(handle.error(cause))
    }
}

impl Drop for WithdrawOnDrop {
    fn drop(&mut self) {
        if let Some(handle) = &self.0 {
            handle.release();
        }
    }
}

/// Host, process id and command, without the passwords of its URLs.
fn who() -> Option<Box<RawValue>> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let command: Vec<String> = std::env::args_os()
        .map(|word| without_passwords(&word.to_string_lossy()).chars().take(200).collect())
        .take(20)
        .collect();
    let data = serde_json::json!({
        "host": host.as_deref().map(str::trim),
        "pid": std::process::id(),
        "command": command.join(" "),
    });
    serde_json::value::to_raw_value(&data).ok()
}
