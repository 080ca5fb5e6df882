//! A granted claim: fencing token, deadline, refresh, release.
//!
//! Its state depends on the core's last notice and on the clock: after its deadline, a lease does
//! not count as held.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use turnstile_claim_core::client::Notice;

use super::clock::Clock;
use super::command::ClaimView;
use super::driver::ended;
use super::error::{Error, ErrorKind};
use super::handle::ClaimHandle;

/// The server's answers to the release of a claim that was revoked or has expired, and of one that
/// it has deleted since.
const NOT_ACTIVE: u16 = 400;
const NOT_KEPT: u16 = 404;

/// The state of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    /// The lock is held.
    Held,
    /// The lock is held, but a renewal has failed and is being retried.
    Jeopardy,
    /// The lock is lost: another client may hold it. This state is final.
    Lost,
}

/// A claim that holds or held the lock. Dropping it releases the lock.
#[derive(Debug)]
pub struct Claim {
    handle: Arc<ClaimHandle>,
}

impl Claim {
    pub(super) const fn new(handle: Arc<ClaimHandle>) -> Self {
        Self { handle }
    }

    /// The name of the resource.
    #[must_use]
    pub fn resource(&self) -> &str {
        &self.handle.resource
    }

    /// The claim's URL at the server.
    #[must_use]
    pub fn url(&self) -> String {
        self.handle.url().unwrap_or_default()
    }

    /// The fencing token, to be sent with each request to the protected resource; `None` if the
    /// server implements the original protocol only.
    #[must_use]
    pub fn fencing_token(&self) -> Option<u64> {
        self.handle.view.borrow().token
    }

    /// Until when the lock is guaranteed to be held: the time at which the last acknowledged
    /// renewal was *sent*, plus the ttl, minus a margin for clock drift. If the machine is
    /// suspended, earlier by the duration of the suspension.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.on_shared_clock().map(|(deadline, _)| deadline)
    }

    /// The deadline, also in seconds of `CLOCK_BOOTTIME`, which all processes of the machine share.
    pub(crate) fn on_shared_clock(&self) -> Option<(Instant, f64)> {
        let deadline = self.handle.view.borrow().deadline?;
        let clock = &self.handle.clock;
        Some((clock.awake(deadline), clock.shared(deadline)))
    }

    /// The deadline in time since the boot, suspensions of the machine included
    /// (`CLOCK_BOOTTIME`), which all processes of the machine share.
    #[must_use]
    pub fn deadline_since_boot(&self) -> Option<Duration> {
        let (_, seconds) = self.on_shared_clock()?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// The margin: how long before its expiry at the server the lease counts as lost.
    #[must_use]
    pub fn margin(&self) -> Duration {
        self.handle.view.borrow().margin
    }

    /// The current state of the lease.
    #[must_use]
    pub fn lease_state(&self) -> LeaseState {
        lease_state(&self.handle.view.borrow(), &self.handle.clock)
    }

    /// Whether the lock is guaranteed to be held now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.lease_state() != LeaseState::Lost
    }

    /// Completes when the claim is lost, which is before its lease can expire at the server.
    pub fn lost(&self) -> impl Future<Output = ()> + Send + use<> {
        let (mut view, clock) = (self.handle.view.clone(), self.handle.clock.clone());
        async move {
            loop {
                let deadline = {
                    let now = view.borrow_and_update();
                    if lease_state(&now, &clock) == LeaseState::Lost {
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

    /// Why the claim is lost; `None` if it is held.
    #[must_use]
    pub fn loss(&self) -> Option<Error> {
        (!self.is_held()).then(|| self.handle.lost())
    }

    /// Observes changes of the claim's deadline and lease state.
    #[must_use]
    pub fn changes(&self) -> Changes {
        let mut view = self.handle.view.clone();
        view.mark_unchanged();
        Changes { view, clock: self.handle.clock.clone(), is_lost: false }
    }

    /// Renews the lease now instead of when it is due; `ttl` replaces its duration.
    ///
    /// # Errors
    /// When the claim is lost before the renewal is answered.
    pub async fn refresh(&self, ttl: Option<Duration>) -> Result<(), Error> {
        if let Some(ttl) = ttl {
            super::retry_policy::check_ttl(ttl).map_err(|cause| self.handle.error(cause))?;
        }
        let (mut view, clock) = (self.handle.view.clone(), &self.handle.clock);
        let before = view.borrow_and_update().deadline;
        self.handle.refresh(ttl);
        loop {
            {
                let now = view.borrow_and_update();
                if lease_state(&now, clock) == LeaseState::Lost {
                    return Err(self.handle.lost());
                }
                if now.deadline != before {
                    return Ok(());
                }
            }
            tokio::select! {
                biased;
                changed = view.changed() => if changed.is_err() {
                    return Err(self.handle.lost());
                },
                () = passed(before, clock) => {}
            }
        }
    }

    /// Releases the lock, and returns when the server has acknowledged it or the lease is over.
    ///
    /// # Errors
    /// When the claim was lost before, according to the server, or it refuses the request.
    pub async fn release(self) -> Result<(), Error> {
        self.handle.release();
        ended(self.handle.view.clone()).await;
        let last = self.handle.view.borrow().notice;
        match last {
            Some(Notice::Released) => Ok(()),
            Some(Notice::Failed { status: Some(NOT_ACTIVE | NOT_KEPT) }) => Err(self.handle.lost()),
            Some(Notice::Failed { status }) => {
                let reason = self.handle.view.borrow().reason.clone();
                Err(self.handle.error(ErrorKind::Refused { status: status.unwrap_or(0), reason }))
            }
            Some(Notice::TimedOut) => Err(self.handle.error(self.handle.timed_out())),
            Some(Notice::Acquired { .. } | Notice::KeyNeeded | Notice::TooSlow | Notice::Lost)
            | None => Err(self.handle.lost()),
        }
    }

    /// Releases the lock, and returns when the server has acknowledged it, or after `timeout`. An
    /// unacknowledged release is retried as long as the runtime lives; otherwise the lease expires.
    ///
    /// # Errors
    /// When the claim was lost before, the server refuses the request, or it does not answer in
    /// time.
    pub async fn release_within(self, timeout: Duration) -> Result<(), Error> {
        let handle = self.handle.clone();
        let released = tokio::time::timeout(timeout, self.release()).await;
        released.unwrap_or_else(|_| Err(handle.error(handle.no_response_in(timeout))))
    }
}

/// The changes of a claim's lease state and deadline; it does not keep the claim alive.
#[derive(Debug)]
pub struct Changes {
    view: watch::Receiver<ClaimView>,
    clock: Clock,
    is_lost: bool,
}

impl Changes {
    /// Waits for the next change. Returns `false` after the claim was lost or released.
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
        self.is_lost = lease_state(&self.view.borrow(), &self.clock) == LeaseState::Lost;
        is_open || self.is_lost
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.handle.release();
    }
}

/// Completes when a deadline has passed. If the machine is suspended meanwhile, the claim's driver
/// detects that.
async fn passed(deadline: Option<Instant>, clock: &Clock) {
    sleep_until(deadline.map_or_else(Instant::now, |deadline| clock.awake(deadline))).await;
}

fn lease_state(view: &ClaimView, clock: &Clock) -> LeaseState {
    let is_told = matches!(view.notice, Some(Notice::Acquired { .. }));
    let is_in_time = view.deadline.is_some_and(|deadline| clock.now() < deadline);
    match (is_told && is_in_time, view.is_in_jeopardy) {
        (true, false) => LeaseState::Held,
        (true, true) => LeaseState::Jeopardy,
        (false, _) => LeaseState::Lost,
    }
}
