//! The client for programs without an async runtime: the same claims, on a thread of their own.
//!
//! It adds nothing but waiting. It must not be used from within an async runtime.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tokio::runtime::{Builder, Runtime};

use crate::client::{self, Cause, Error, Setup, Standing};

/// How long a manager that is dropped waits for its claims to be given back.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Claims resources of one server. Dropping it gives back whatever it still holds.
#[derive(Debug)]
pub struct Manager {
    manager: client::Manager,
    runtime: Arc<Runtime>,
}

impl Manager {
    /// A manager for the server at this address, all else as it is by default.
    ///
    /// # Errors
    /// When the address is none.
    pub fn connect(url: &str) -> Result<Self, Error> {
        Self::build(Setup::new(url))
    }

    /// A manager.
    ///
    /// # Errors
    /// When the address or the token is none, or no thread is to be had.
    pub fn build(setup: Setup) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| Cause::System(error.to_string()))?;
        let manager = {
            let _inside = runtime.enter();
            setup.build()?
        };
        Ok(Self { manager, runtime: Arc::new(runtime) })
    }

    /// Asks for a resource; [`Ask::wait`] waits for it.
    pub fn claim(&self, resource: &str) -> Ask {
        Ask { ask: self.manager.claim(resource), runtime: self.runtime.clone() }
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        self.runtime.block_on(self.manager.close(CLOSE_MAX));
    }
}

/// A claim that is to be asked for.
#[derive(Debug)]
#[must_use = "nothing is asked until this is waited for"]
pub struct Ask {
    ask: client::Ask,
    runtime: Arc<Runtime>,
}

impl Ask {
    /// How long the lease lasts without a renewal.
    pub fn ttl(self, ttl: Duration) -> Self {
        Self { ask: self.ask.ttl(ttl), ..self }
    }

    /// How long to wait for the lock.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { ask: self.ask.timeout(timeout), ..self }
    }

    /// What others see of this claim, as JSON.
    pub fn raw_data(self, data: Box<RawValue>) -> Self {
        Self { ask: self.ask.raw_data(data), ..self }
    }

    /// Waits for the lock.
    ///
    /// # Errors
    /// When it is not to be had.
    pub fn wait(self) -> Result<Claim, Error> {
        let Self { ask, runtime } = self;
        let claim = runtime.block_on(ask.into_future())?;
        Ok(Claim { claim: Some(claim), runtime })
    }
}

/// A claim whose lock is held, or was. Dropping it releases it.
#[derive(Debug)]
pub struct Claim {
    claim: Option<client::Claim>,
    runtime: Arc<Runtime>,
}

impl Claim {
    fn claim(&self) -> &client::Claim {
        self.claim.as_ref().expect("it is there until it is released")
    }

    /// What is claimed.
    #[must_use]
    pub fn resource(&self) -> &str {
        self.claim().resource()
    }

    /// The claim's URL at the server.
    #[must_use]
    pub fn url(&self) -> String {
        self.claim().url()
    }

    /// What to show to whatever the lock protects.
    #[must_use]
    pub fn fencing_token(&self) -> Option<u64> {
        self.claim().fencing_token()
    }

    /// Until when the lock can be counted on.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.claim().deadline().map(tokio::time::Instant::into_std)
    }

    /// How it stands now.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.claim().standing()
    }

    /// Whether the lock can be counted on now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.claim().is_held()
    }

    /// Waits until the claim is lost, or for so long; true if it is lost.
    #[must_use]
    pub fn wait_lost(&self, patience: Duration) -> bool {
        let lost = self.claim().lost();
        self.runtime.block_on(async { tokio::time::timeout(patience, lost).await.is_ok() })
    }

    /// Renews the lease now.
    ///
    /// # Errors
    /// When the claim is lost before a renewal is answered.
    pub fn refresh(&self, ttl: Option<Duration>) -> Result<(), Error> {
        self.runtime.block_on(self.claim().refresh(ttl))
    }

    /// Gives the lock back, and returns once the server has acknowledged it.
    ///
    /// # Errors
    /// When the claim was lost before, or the server refuses.
    pub fn release(mut self) -> Result<(), Error> {
        let claim = self.claim.take().expect("it is there until it is released");
        self.runtime.block_on(claim.release())
    }
}
