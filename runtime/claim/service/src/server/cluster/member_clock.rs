//! The leader's time, as a member knows it.
//!
//! A follower continues the time of the last operation that it has applied; so its estimate is
//! never ahead of the leader by more than the drift of the clocks since. A leader continues its
//! estimate of the time at which its term began: its own operations, which are late when it applies
//! them, do not set it back.

use tokio::time::Instant;

/// The estimate of the leader's time.
#[derive(Debug)]
pub(super) struct MemberClock {
    at_us: u64,
    since: Instant,
    /// The term in which this member gives the time.
    leads: Option<u64>,
}

impl MemberClock {
    pub(super) fn new() -> Self {
        Self { at_us: 0, since: Instant::now(), leads: None }
    }

    /// The estimated time, in microseconds.
    pub(super) fn now_us(&self) -> u64 {
        let passed = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.at_us.saturating_add(passed)
    }

    /// When the estimate is this time.
    pub(super) fn instant(&self, at_us: u64) -> Instant {
        self.since + std::time::Duration::from_micros(at_us.saturating_sub(self.at_us))
    }

    /// This member gives the time from now on.
    pub(super) const fn lead(&mut self, term: u64) {
        self.leads = Some(term);
    }

    /// The term in which this member gives the time.
    pub(super) const fn leads(&self) -> Option<u64> {
        self.leads
    }

    /// An operation of a term was applied.
    pub(super) fn applied(&mut self, term: u64, at_us: u64) {
        if self.leads == Some(term) {
            return;
        }
        if self.leads.is_some_and(|own| own < term) {
            self.leads = None;
        }
        (self.at_us, self.since) = (at_us, Instant::now());
    }
}
