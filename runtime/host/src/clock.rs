//! A node's time: a monotonic clock that goes on over restarts, and dates beside it.
//!
//! Leases and durations are counted by the first alone, which never goes back. The wall clock is
//! read once, at the start, and says what date it is from there on: neither notices when someone
//! sets it, and one that was wrong at one start is forgotten with the next.

use tokio::time::{Duration, Instant};

/// An outage that seems longer than this is a wall clock that was set.
const OUTAGE_MAX_US: u64 = YEAR_US;

const YEAR_US: u64 = 366 * 86_400 * 1_000_000;

/// A time as a node counts it, and the date that it had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Microseconds that the node has lived, and outages. Only differences say something.
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

/// The instant after so long, or in a year if that is sooner.
pub(crate) fn after(time: Duration) -> Instant {
    Instant::now() + time.min(Duration::from_micros(YEAR_US))
}

impl Clock {
    /// Goes on from the last life. An outage counts as long as the wall clock says, if that can be.
    #[must_use]
    pub fn start(wall_us: u64, last_alive: Moment) -> Self {
        let outage_us = wall_us.checked_sub(last_alive.date_us);
        let outage_us = outage_us.filter(|outage_us| *outage_us <= OUTAGE_MAX_US).unwrap_or(0);
        let at_us = last_alive.at_us.saturating_add(outage_us);
        Self { anchor: Moment { at_us, date_us: wall_us }, started: Instant::now() }
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Moment {
        let counted = u64::try_from(self.started.elapsed().as_micros());
        let counted = counted.expect("no node runs for 500,000 years");
        let Moment { at_us, date_us } = self.anchor;
        Moment { at_us: at_us + counted, date_us: date_us.saturating_add(counted) }
    }

    /// Now, without its date.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        self.now().at_us
    }

    /// The instant at which this clock will read so much, or in a year if that is sooner.
    #[must_use]
    pub fn instant(&self, at_us: u64) -> Instant {
        let ahead_us = at_us.saturating_sub(self.now_us()).min(YEAR_US);
        Instant::now() + Duration::from_micros(ahead_us)
    }
}

/// What the machine's wall clock reads.
#[must_use]
pub fn wall_us() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // A clock before 1970 is not set yet; the node then counts from the epoch.
    since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(u64::MAX / 2))
}
