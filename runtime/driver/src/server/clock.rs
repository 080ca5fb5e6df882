//! The server's time: the wall clock once, at the start, and a monotonic clock from there on.
//!
//! So neither durations nor leases notice when someone sets the wall clock. It never goes back,
//! not even over a restart.

use tokio::time::{Duration, Instant};

/// Microseconds since the Unix epoch, as the server counts them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    anchor_us: u64,
    started: Instant,
}

impl Clock {
    /// Starts to count at the wall clock's time, or at the time of the last life if that is later.
    #[must_use]
    pub(crate) fn start(wall_us: u64, last_alive_us: u64) -> Self {
        Self { anchor_us: wall_us.max(last_alive_us), started: Instant::now() }
    }

    /// Now.
    #[must_use]
    pub(crate) fn now_us(&self) -> u64 {
        let counted = self.started.elapsed().as_micros();
        self.anchor_us + u64::try_from(counted).expect("no server runs for 500,000 years")
    }

    /// The instant at which this clock will read so much.
    #[must_use]
    pub(crate) fn instant(&self, at_us: u64) -> Instant {
        self.started + Duration::from_micros(at_us.saturating_sub(self.anchor_us))
    }
}

/// What the machine's wall clock reads.
#[must_use]
pub(crate) fn wall_us() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // A clock before 1970 is not set yet; the server then counts from the epoch.
    since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(u64::MAX / 2))
}
