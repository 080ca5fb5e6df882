//! A claim on its way: asked for, waited for, and given up by whoever stops waiting.
//!
//! It starts the claim's core and waits for what it tells; what follows is the core's.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use turnstile_core::claim::client::Notice;

use super::chain::Link;
use super::claim::Claim;
use super::drive::{Drive, View};
use super::error::{Cause, Error};
use super::manager::{Manager, Slot, check_ttl};
use super::pace::{Dice, Pace};

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
        let slot = loop {
            let ending = match self.begin() {
                Ok(slot) => break slot,
                Err(first) if first.is_ending.load(Ordering::Relaxed) => first,
                Err(first) => {
                    let first = first.url().unwrap_or_else(|| "a claim not yet answered".into());
                    return Err(error(Cause::Claimed { first }));
                }
            };
            let mut view = ending.view.clone();
            // The slot is removed before the channel closes.
            while view.changed().await.is_ok() {}
        };
        // From here on whoever stops waiting gives up.
        let waiting = Waiting { slot: Some(slot.clone()) };
        let mut view = slot.view.clone();
        let told = view.wait_for(|view| view.notice.is_some()).await.map(|view| view.notice);
        let cause = match told.ok().flatten() {
            Some(Notice::Acquired { .. }) => {
                waiting.keep();
                let wishes = slot.wishes.clone();
                return Ok(Claim::new(slot, view, wishes));
            }
            Some(Notice::TimedOut) => Cause::TimedOut,
            Some(Notice::Failed { status }) => {
                let reason = view.borrow().reason.clone();
                Cause::Refused { status: status.unwrap_or(0), reason }
            }
            Some(Notice::Lost) => Cause::Lost,
            Some(Notice::Released) => Cause::GivenUp,
            None => view.borrow().trouble.clone().unwrap_or(Cause::GivenUp),
        };
        // The core is giving the claim up already.
        slot.begin_end();
        waiting.keep();
        Err(slot.error(cause))
    }

    /// Starts the claim's core, unless the resource has one already.
    fn begin(&self) -> Result<Arc<Slot>, Arc<Slot>> {
        let shared = &self.manager.shared;
        let mut slots = shared.slots();
        if let Some(first) = slots.get(&self.resource) {
            return Err(first.clone());
        }
        let (wishes, wished) = mpsc::unbounded_channel();
        let (view, seen) = watch::channel(View::default());
        let slot = Arc::new(Slot {
            resource: self.resource.clone(),
            place: shared.caller.place().clone(),
            view: seen,
            wishes,
            is_ending: AtomicBool::new(false),
        });
        slots.insert(self.resource.clone(), slot.clone());
        let seed = shared.dice.lock().unwrap_or_else(PoisonError::into_inner).number();
        let node = format!("client {seed:016x}");
        let pace = Pace { ttl: self.ttl, timeout: self.timeout };
        let (resource, user_data) = (self.resource.clone(), self.data.clone().or_else(who));
        let run: Pin<Box<dyn Future<Output = watch::Sender<View>> + Send>> = match &shared.chain {
            Some(chain) => {
                let chain = chain.clone();
                Box::pin(Link { chain, resource, user_data, pace, wishes: wished, view }.run())
            }
            None => {
                let drive = Drive {
                    caller: shared.caller.clone(),
                    resource,
                    user_data,
                    pace,
                    dice: Dice::seeded(seed),
                    trace: shared.setup.trace.as_ref().map(|trace| trace.of(&node)),
                    wishes: wished,
                    view,
                };
                Box::pin(drive.run())
            }
        };
        let (shared, resource) = (shared.clone(), self.resource.clone());
        tokio::spawn(async move {
            let view = run.await;
            shared.slots().remove(&resource);
            drop(view);
        });
        Ok(slot)
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
struct Waiting {
    slot: Option<Arc<Slot>>,
}

impl Waiting {
    fn keep(mut self) {
        self.slot = None;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(slot) = &self.slot {
            slot.give_up();
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
