//! A claim on its way: asked for, waited for, and given up by whoever stops waiting.
//!
//! It asks the manager's core and waits for what it tells; what follows is the core's.

use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};
use turnstile_core::claim::client::Notice;

use super::claim::Claim;
use super::drive::ended;
use super::error::{Cause, Error};
use super::manager::{Manager, check_ttl};
use super::order::{New, Order, Refusal, View};
use super::pace::Pace;
use super::slot::Slot;

/// A claim that is being asked for.
#[derive(Debug)]
#[must_use = "nothing is asked until this is awaited"]
pub struct Ask {
    manager: Manager,
    resource: String,
    ttl: Duration,
    timeout: Option<Duration>,
    data: Option<Box<RawValue>>,
}

impl Ask {
    pub(super) fn new(
        manager: Manager,
        resource: &str,
        ttl: Duration,
        timeout: Option<Duration>,
    ) -> Self {
        Self { manager, resource: resource.into(), ttl, timeout, data: None }
    }

    /// How long the lease lasts without a renewal.
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// How long to wait for the lock.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What others see of this claim; host, process id and command unless given.
    pub fn data(mut self, data: &impl serde::Serialize) -> Self {
        self.data = serde_json::value::to_raw_value(data).ok();
        self
    }

    /// What others see of this claim, JSON already.
    pub fn raw_data(mut self, data: Box<RawValue>) -> Self {
        self.data = Some(data);
        self
    }

    async fn acquire(self) -> Result<Claim, Error> {
        let error = |cause| Error { resource: self.resource.clone(), claim: None, cause };
        check_ttl(self.ttl).map_err(error)?;
        self.manager.shared.setup.held.check(&self.resource).map_err(error)?;
        let slot = loop {
            let (slot, refused) = self.begin();
            // From here on whoever stops waiting gives up.
            let slot = Waiting(Some(slot));
            match refused.await {
                // It was not refused, then.
                Err(_) => break slot,
                Ok(Refusal::Ending(first)) => ended(first).await,
                Ok(Refusal::Final(cause)) => return Err(error(cause)),
            }
        };
        slot.granted().await
    }

    /// Asks for the claim, and tells where it is said if it is refused at once.
    fn begin(&self) -> (Arc<Slot>, oneshot::Receiver<Refusal>) {
        let shared = &self.manager.shared;
        let key = shared.dice.lock().unwrap_or_else(PoisonError::into_inner).number();
        let (view, seen) = watch::channel(View::default());
        let (refused, refusal) = oneshot::channel();
        let orders = shared.orders();
        let new = New {
            resource: self.resource.clone(),
            key,
            user_data: self.data.clone().or_else(who),
            pace: Pace { ttl: self.ttl, timeout: self.timeout },
            view,
            refused,
        };
        // Where nobody takes it the view closes, and says so.
        let _dead = orders.send(Order::Claim(Box::new(new)));
        let slot = Slot {
            resource: self.resource.clone(),
            key,
            place: shared.caller.place().clone(),
            clock: shared.setup.clock.clone(),
            view: seen,
            orders,
        };
        (Arc::new(slot), refusal)
    }
}

impl IntoFuture for Ask {
    type Output = Result<Claim, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.acquire())
    }
}

/// Someone waits for the lock; dropped, it gives up.
struct Waiting(Option<Arc<Slot>>);

impl Waiting {
    /// Waits for the lock, or why it is not to be had.
    async fn granted(mut self) -> Result<Claim, Error> {
        let slot = self.0.clone().expect("it is there until it is granted");
        let mut view = slot.view.clone();
        let told = view.wait_for(|view| view.notice.is_some()).await.map(|view| view.notice);
        let cause = match told.ok().flatten() {
            Some(Notice::Acquired { .. }) => {
                self.0 = None;
                return Ok(Claim::new(slot));
            }
            Some(Notice::TimedOut) => slot.late(),
            Some(Notice::Failed { status }) => {
                let reason = view.borrow().reason.clone();
                Cause::Refused { status: status.unwrap_or(0), reason }
            }
            Some(Notice::Lost) => Cause::Lost,
            Some(Notice::Released) => Cause::GivenUp,
            // No user is told that a key is needed.
            Some(Notice::KeyNeeded) | None => {
                view.borrow().trouble.clone().unwrap_or(Cause::GivenUp)
            }
        };
        Err(slot.error(cause))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(slot) = &self.0 {
            slot.leave();
        }
    }
}

/// Host, process id and command.
fn who() -> Option<Box<RawValue>> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let command: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().chars().take(200).collect())
        .take(20)
        .collect();
    let data = serde_json::json!({
        "host": host.as_deref().map(str::trim),
        "pid": std::process::id(),
        "command": command.join(" "),
    });
    serde_json::value::to_raw_value(&data).ok()
}
