//! The blocking client, for programs without an async runtime. It runs on a thread of its own.
//!
//! It must not be used from within an async runtime.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tokio::runtime::{Builder, Runtime};

use crate::client::{self, Error, ErrorKind, LeaseState, LockClientBuilder};

/// The maximum time for which a dropped client waits for its claims to be released.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Claims resources of one server. Dropping the client releases all its claims.
#[derive(Debug)]
pub struct LockClient {
    client: client::LockClient,
    runtime: Arc<Runtime>,
}

impl LockClient {
    /// A client of the server at this URL, with default settings.
    ///
    /// # Errors
    /// When the URL is invalid.
    pub fn connect(url: &str) -> Result<Self, Error> {
        Self::build(LockClientBuilder::new(url))
    }

    /// Builds a client.
    ///
    /// # Errors
    /// When the URL or the token is invalid, or the system cannot create a thread.
    pub fn build(builder: LockClientBuilder) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| ErrorKind::System(error.to_string()))?;
        let client = {
            let _inside = runtime.enter();
            builder.build()?
        };
        Ok(Self { client, runtime: Arc::new(runtime) })
    }

    /// Prepares a claim of a resource; [`Acquire::wait`] sends it.
    pub fn claim(&self, resource: &str) -> Acquire {
        Acquire { request: self.client.claim(resource), runtime: self.runtime.clone() }
    }
}

impl Drop for LockClient {
    fn drop(&mut self) {
        if !self.runtime.block_on(self.client.close(CLOSE_MAX)) {
            tracing::warn!("claims are not released: their leases lapse at the server");
        }
    }
}

/// A claim to be sent.
#[derive(Debug)]
#[must_use = "no request is sent until this is waited for"]
pub struct Acquire {
    request: client::Acquire,
    runtime: Arc<Runtime>,
}

impl Acquire {
    /// Sets the duration of the lease without a renewal, at least 100 ms.
    pub fn ttl(self, ttl: Duration) -> Self {
        Self { request: self.request.ttl(ttl), ..self }
    }

    /// Sets the maximum time to wait for the lock.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { request: self.request.timeout(timeout), ..self }
    }

    /// Sets the claim's user data, as JSON.
    pub fn raw_data(self, data: Box<RawValue>) -> Self {
        Self { request: self.request.raw_data(data), ..self }
    }

    /// Waits for the lock.
    ///
    /// # Errors
    /// When the lock is not granted; see [`ErrorKind`].
    pub fn wait(self) -> Result<Claim, Error> {
        let Self { request, runtime } = self;
        let claim = runtime.block_on(request.into_future())?;
        Ok(Claim { claim: Some(claim), runtime })
    }
}

/// A claim that holds or held the lock. Dropping it releases the lock.
#[derive(Debug)]
pub struct Claim {
    claim: Option<client::Claim>,
    runtime: Arc<Runtime>,
}

impl Claim {
    fn claim(&self) -> &client::Claim {
        self.claim.as_ref().expect("it is there until it is released")
    }

    /// The name of the resource.
    #[must_use]
    pub fn resource(&self) -> &str {
        self.claim().resource()
    }

    /// The claim's URL at the server.
    #[must_use]
    pub fn url(&self) -> String {
        self.claim().url()
    }

    /// The fencing token, to be sent with each request to the protected resource.
    #[must_use]
    pub fn fencing_token(&self) -> Option<u64> {
        self.claim().fencing_token()
    }

    /// Until when the lock is guaranteed to be held.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.claim().deadline().map(tokio::time::Instant::into_std)
    }

    /// The current state of the lease.
    #[must_use]
    pub fn lease_state(&self) -> LeaseState {
        self.claim().lease_state()
    }

    /// Whether the lock is guaranteed to be held now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.claim().is_held()
    }

    /// Waits until the claim is lost, at most for `timeout`. Returns whether it is lost.
    #[must_use]
    pub fn wait_lost(&self, timeout: Duration) -> bool {
        let lost = self.claim().lost();
        self.runtime.block_on(async { tokio::time::timeout(timeout, lost).await.is_ok() })
    }

    /// Renews the lease now; `ttl` replaces its duration.
    ///
    /// # Errors
    /// When the claim is lost before the renewal is answered.
    pub fn refresh(&self, ttl: Option<Duration>) -> Result<(), Error> {
        self.runtime.block_on(self.claim().refresh(ttl))
    }

    /// Releases the lock, and returns when the server has acknowledged it.
    ///
    /// # Errors
    /// When the claim was lost before, or the server refuses the request.
    pub fn release(mut self) -> Result<(), Error> {
        let claim = self.claim.take().expect("it is there until it is released");
        self.runtime.block_on(claim.release())
    }
}
