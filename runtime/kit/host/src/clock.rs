//! A node's time: a monotonic clock that continues across restarts, and the dates that go with it.
//!
//! Leases and durations use the monotonic clock only. The wall clock is read once, at the start,
//! and dates are computed from it; so a change of the wall clock has no effect until the next
//! start.

use tokio::time::{Duration, Instant};

/// The longest outage, in microseconds, that is believed; a longer one means that the wall clock
/// was changed.
const OUTAGE_MAX_US: u64 = YEAR_US;

const YEAR_US: u64 = 366 * 86_400 * 1_000_000;

/// A time of a node and its date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Microseconds of running time and outages of the node. Only differences are meaningful.
    pub at_us: u64,
    /// Microseconds since the Unix epoch.
    pub date_us: u64,
}

/// Reads the time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    anchor: Moment,
    started: Instant,
}

/// The instant after a duration, at most one year from now.
pub(crate) fn after(time: Duration) -> Instant {
    Instant::now() + time.min(Duration::from_micros(YEAR_US))
}

impl Clock {
    /// Continues from the last run. The outage is the difference of the wall clock, if that is
    /// plausible.
    #[must_use]
    pub fn start(wall_us: u64, last_alive: Moment) -> Self {
        let outage_us = wall_us.checked_sub(last_alive.date_us);
        let outage_us = outage_us.filter(|outage_us| *outage_us <= OUTAGE_MAX_US).unwrap_or(0);
        let at_us = last_alive.at_us.saturating_add(outage_us);
        Self { anchor: Moment { at_us, date_us: wall_us }, started: Instant::now() }
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Moment {
        let counted = u64::try_from(self.started.elapsed().as_micros());
        let counted = counted.expect("no node runs for 500,000 years");
        let Moment { at_us, date_us } = self.anchor;
        Moment { at_us: at_us + counted, date_us: date_us.saturating_add(counted) }
    }

    /// The current time without its date.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        self.now().at_us
    }

    /// The instant at which this clock reads `at_us`, at most one year from now.
    #[must_use]
    pub fn instant(&self, at_us: u64) -> Instant {
        let ahead_us = at_us.saturating_sub(self.now_us()).min(YEAR_US);
        Instant::now() + Duration::from_micros(ahead_us)
    }
}

/// The wall clock, in microseconds since the Unix epoch.
#[must_use]
pub fn wall_us() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // A clock before 1970 has not been set; use the epoch.
    since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(u64::MAX / 2))
}
