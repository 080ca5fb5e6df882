//! A claim that its user holds: token, deadline, refresh, release.
//!
//! What it shows is what the core has told, and the clock: a lease that can no longer be counted
//! on is not held, whoever says so.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use turnstile_core::claim::client::{Command, Notice};

use super::drive::{View, Wish};
use super::error::{Cause, Error};
use super::manager::Slot;

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
    view: watch::Receiver<View>,
    wishes: mpsc::UnboundedSender<Wish>,
}

impl Claim {
    pub(super) const fn new(
        slot: Arc<Slot>,
        view: watch::Receiver<View>,
        wishes: mpsc::UnboundedSender<Wish>,
    ) -> Self {
        Self { slot, view, wishes }
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
        self.view.borrow().token
    }

    /// Until when the lock can be counted on: the last answered renewal's *sending*, plus the ttl,
    /// less a margin.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.view.borrow().deadline
    }

    /// How long before its lease can lapse at the server a claim counts as lost.
    #[must_use]
    pub fn margin(&self) -> Duration {
        self.view.borrow().margin
    }

    /// How it stands now.
    #[must_use]
    pub fn standing(&self) -> Standing {
        standing(&self.view.borrow())
    }

    /// Whether the lock can be counted on now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.standing() != Standing::Lost
    }

    /// Ends when the claim is lost, which is before its lease can lapse at the server.
    pub fn lost(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut view = self.view.clone();
        async move {
            loop {
                let deadline = {
                    let now = view.borrow_and_update();
                    if standing(&now) == Standing::Lost {
                        return;
                    }
                    now.deadline.unwrap_or_else(Instant::now)
                };
                tokio::select! {
                biased;
                    changed = view.changed() => if changed.is_err() { return },
                    () = sleep_until(deadline) => {}
                }
            }
        }
    }

    /// What tells when the claim's deadline or standing changes.
    #[must_use]
    pub fn changes(&self) -> Changes {
        let mut view = self.view.clone();
        view.mark_unchanged();
        Changes { view, is_lost: false }
    }

    /// Renews the lease now, rather than when it is due; from now on for this ttl, if one is given.
    ///
    /// # Errors
    /// When the claim is lost before a renewal is answered.
    pub async fn refresh(&self, ttl: Option<Duration>) -> Result<(), Error> {
        if let Some(ttl) = ttl {
            super::manager::check_ttl(ttl).map_err(|cause| self.slot.error(cause))?;
        }
        let mut view = self.view.clone();
        let before = view.borrow_and_update().deadline;
        let _ended = self.wishes.send(Wish::Refresh(ttl));
        loop {
            {
                let now = view.borrow_and_update();
                if standing(&now) == Standing::Lost {
                    return Err(self.slot.error(Cause::Lost));
                }
                if now.deadline != before {
                    return Ok(());
                }
            }
            let deadline = before.unwrap_or_else(Instant::now);
            tokio::select! {
                biased;
                _ = view.changed() => {}
                () = sleep_until(deadline) => {}
            }
        }
    }

    /// Gives the lock back, and returns once the server has acknowledged it.
    ///
    /// # Errors
    /// When the claim was lost before, or the server refuses.
    pub async fn release(self) -> Result<(), Error> {
        self.slot.begin_end();
        let _ended = self.wishes.send(Wish::Tell(Command::Release));
        let mut view = self.view.clone();
        // The channel closes once the core has nothing more to do.
        while view.changed().await.is_ok() {}
        let last = view.borrow().notice;
        match last {
            Some(Notice::Released) => Ok(()),
            Some(Notice::Failed { status }) => {
                let reason = view.borrow().reason.clone();
                Err(self.slot.error(Cause::Refused { status: status.unwrap_or(0), reason }))
            }
            Some(Notice::TimedOut) => Err(self.slot.error(Cause::TimedOut)),
            Some(Notice::Acquired { .. } | Notice::Lost) | None => {
                Err(self.slot.error(Cause::Lost))
            }
        }
    }
}

/// The changes of a claim's standing and deadline; it does not keep the claim.
#[derive(Debug)]
pub struct Changes {
    view: watch::Receiver<View>,
    is_lost: bool,
}

impl Changes {
    /// Waits for the next one. False once the claim has been lost or released.
    pub async fn next(&mut self) -> bool {
        if self.is_lost {
            return false;
        }
        let deadline = self.view.borrow().deadline.unwrap_or_else(Instant::now);
        let is_open = tokio::select! {
                biased;
            changed = self.view.changed() => changed.is_ok(),
            () = sleep_until(deadline) => true,
        };
        self.is_lost = standing(&self.view.borrow()) == Standing::Lost;
        is_open || self.is_lost
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.slot.begin_end();
        // Nobody listens once the claim is over, and then nothing is held.
        let _ended = self.wishes.send(Wish::Tell(Command::Release));
    }
}

pub(super) fn standing(view: &View) -> Standing {
    let is_told = matches!(view.notice, Some(Notice::Acquired { .. }));
    let is_in_time = view.deadline.is_some_and(|deadline| Instant::now() < deadline);
    match (is_told && is_in_time, view.is_in_jeopardy) {
        (true, false) => Standing::Held,
        (true, true) => Standing::Jeopardy,
        (false, _) => Standing::Lost,
    }
}
