//! A claim that its user holds: token, deadline, refresh, release.
//!
//! What it shows is what the core has told, and the clock: a lease that can no longer be counted
//! on is not held, whoever says so.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use turnstile_core::claim::client::Notice;

use super::clock::Clock;
use super::drive::ended;
use super::error::{Cause, Error};
use super::order::View;
use super::slot::Slot;

/// What refuses the release of a claim that was revoked or has expired, and of one that the server
/// has forgotten since.
const NOT_ACTIVE: u16 = 400;
const NOT_KEPT: u16 = 404;

/// How a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The lock is held.
    Held,
    /// The lock is held, but a renewal has failed and is being tried again.
    Jeopardy,
    /// The lock may be another's. It never comes back.
    Lost,
}

/// A claim whose lock is held, or was. Dropping it releases it.
#[derive(Debug)]
pub struct Claim {
    slot: Arc<Slot>,
}

impl Claim {
    pub(super) const fn new(slot: Arc<Slot>) -> Self {
        Self { slot }
    }

    /// What is claimed.
    #[must_use]
    pub fn resource(&self) -> &str {
        &self.slot.resource
    }

    /// The claim's URL at the server.
    #[must_use]
    pub fn url(&self) -> String {
        self.slot.url().unwrap_or_default()
    }

    /// What to show to whatever the lock protects; none from a server of the original protocol.
    #[must_use]
    pub fn fencing_token(&self) -> Option<u64> {
        self.slot.view.borrow().token
    }

    /// Until when the lock can be counted on: the last answered renewal's *sending*, plus the ttl,
    /// less a margin. Earlier, by as long as it takes, if the machine is suspended meanwhile.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.on_shared_clock().map(|(deadline, _)| deadline)
    }

    /// The deadline, and the same on the clock that all processes of the machine share.
    pub(crate) fn on_shared_clock(&self) -> Option<(Instant, f64)> {
        let deadline = self.slot.view.borrow().deadline?;
        let clock = &self.slot.clock;
        Some((clock.awake(deadline), clock.shared(deadline)))
    }

    /// How long before its lease can lapse at the server a claim counts as lost.
    #[must_use]
    pub fn margin(&self) -> Duration {
        self.slot.view.borrow().margin
    }

    /// How it stands now.
    #[must_use]
    pub fn standing(&self) -> Standing {
        standing(&self.slot.view.borrow(), &self.slot.clock)
    }

    /// Whether the lock can be counted on now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.standing() != Standing::Lost
    }

    /// Ends when the claim is lost, which is before its lease can lapse at the server.
    pub fn lost(&self) -> impl Future<Output = ()> + Send + use<> {
        let (mut view, clock) = (self.slot.view.clone(), self.slot.clock.clone());
        async move {
            loop {
                let deadline = {
                    let now = view.borrow_and_update();
                    if standing(&now, &clock) == Standing::Lost {
                        return;
                    }
                    now.deadline
                };
                tokio::select! {
                    biased;
                    changed = view.changed() => if changed.is_err() { return },
                    () = passed(deadline, &clock) => {}
                }
            }
        }
    }

    /// What tells when the claim's deadline or standing changes.
    #[must_use]
    pub fn changes(&self) -> Changes {
        let mut view = self.slot.view.clone();
        view.mark_unchanged();
        Changes { view, clock: self.slot.clock.clone(), is_lost: false }
    }

    /// Renews the lease now, rather than when it is due; from now on for this ttl, if one is given.
    ///
    /// # Errors
    /// When the claim is lost before a renewal is answered.
    pub async fn refresh(&self, ttl: Option<Duration>) -> Result<(), Error> {
        if let Some(ttl) = ttl {
            super::manager::check_ttl(ttl).map_err(|cause| self.slot.error(cause))?;
        }
        let (mut view, clock) = (self.slot.view.clone(), &self.slot.clock);
        let before = view.borrow_and_update().deadline;
        self.slot.refresh(ttl);
        loop {
            {
                let now = view.borrow_and_update();
                if standing(&now, clock) == Standing::Lost {
                    return Err(self.slot.error(Cause::Lost));
                }
                if now.deadline != before {
                    return Ok(());
                }
            }
            tokio::select! {
                biased;
                changed = view.changed() => if changed.is_err() {
                    return Err(self.slot.error(Cause::Lost));
                },
                () = passed(before, clock) => {}
            }
        }
    }

    /// Gives the lock back, and returns once the server has acknowledged it, or the lease is over.
    ///
    /// # Errors
    /// When the claim was lost before, as far as the server knows, or it refuses otherwise.
    pub async fn release(self) -> Result<(), Error> {
        self.slot.leave();
        ended(self.slot.view.clone()).await;
        let last = self.slot.view.borrow().notice;
        match last {
            Some(Notice::Released) => Ok(()),
            Some(Notice::Failed { status: Some(NOT_ACTIVE | NOT_KEPT) }) => {
                Err(self.slot.error(Cause::Lost))
            }
            Some(Notice::Failed { status }) => {
                let reason = self.slot.view.borrow().reason.clone();
                Err(self.slot.error(Cause::Refused { status: status.unwrap_or(0), reason }))
            }
            Some(Notice::TimedOut) => Err(self.slot.error(self.slot.late())),
            Some(Notice::Acquired { .. } | Notice::KeyNeeded | Notice::Lost) | None => {
                Err(self.slot.error(Cause::Lost))
            }
        }
    }

    /// Gives the lock back, and returns once the server has acknowledged it, or after this time.
    /// What is not acknowledged by then is asked for again as long as the runtime lives, and lapses
    /// with its lease.
    ///
    /// # Errors
    /// When the claim was lost before, the server refuses, or it does not answer in time.
    pub async fn release_within(self, patience: Duration) -> Result<(), Error> {
        let slot = self.slot.clone();
        let released = tokio::time::timeout(patience, self.release()).await;
        released.unwrap_or_else(|_| Err(slot.error(slot.unheard(patience))))
    }
}

/// The changes of a claim's standing and deadline; it does not keep the claim.
#[derive(Debug)]
pub struct Changes {
    view: watch::Receiver<View>,
    clock: Clock,
    is_lost: bool,
}

impl Changes {
    /// Waits for the next one. False once the claim has been lost or released.
    pub async fn next(&mut self) -> bool {
        if self.is_lost {
            return false;
        }
        let deadline = self.view.borrow().deadline;
        let is_open = tokio::select! {
            biased;
            changed = self.view.changed() => changed.is_ok(),
            () = passed(deadline, &self.clock) => true,
        };
        self.is_lost = standing(&self.view.borrow(), &self.clock) == Standing::Lost;
        is_open || self.is_lost
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.slot.leave();
    }
}

/// Ends when a deadline has passed, if the machine does not sleep meanwhile; if it does, the
/// claim's driver finds out.
async fn passed(deadline: Option<Instant>, clock: &Clock) {
    sleep_until(deadline.map_or_else(Instant::now, |deadline| clock.awake(deadline))).await;
}

fn standing(view: &View, clock: &Clock) -> Standing {
    let is_told = matches!(view.notice, Some(Notice::Acquired { .. }));
    let is_in_time = view.deadline.is_some_and(|deadline| clock.now() < deadline);
    match (is_told && is_in_time, view.is_in_jeopardy) {
        (true, false) => Standing::Held,
        (true, true) => Standing::Jeopardy,
        (false, _) => Standing::Lost,
    }
}
