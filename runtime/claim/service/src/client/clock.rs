//! The client's clock, which counts suspensions of the machine, as the server's clock does.
//!
//! A lease also runs while its holder's machine is suspended. `CLOCK_MONOTONIC` stops then, so the
//! time of suspension is added. Setting the wall clock has no effect.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};
use tokio::time::Instant;

/// The clock of a client and its claims.
#[derive(Clone)]
pub struct Clock {
    slept: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("slept", &(self.slept)()).finish()
    }
}

impl Default for Clock {
    fn default() -> Self {
        let before = slept();
        // The two clocks cannot be read at the same instant: ignore differences below this.
        let whole = |time: Duration| Duration::from_millis(time.as_millis() as u64);
        Self::new(move || whole(slept().saturating_sub(before)))
    }
}

impl Clock {
    /// A clock of a machine that has been suspended for as long as the function returns.
    #[must_use]
    pub fn new(slept: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { slept: Arc::new(slept) }
    }

    /// The current time of this clock, which is not an instant of the process's clock.
    pub(super) fn now(&self) -> Instant {
        Instant::now() + (self.slept)()
    }

    /// The process's instant at which this clock reads `at`, unless the machine is suspended again.
    pub(super) fn awake(&self, at: Instant) -> Instant {
        at.checked_sub((self.slept)()).unwrap_or_else(Instant::now)
    }

    /// Converts an instant of this clock to seconds of `CLOCK_BOOTTIME`.
    pub(crate) fn shared(&self, at: Instant) -> f64 {
        let now = self.now();
        let ahead = at.saturating_duration_since(now).as_secs_f64();
        boot() + ahead - now.saturating_duration_since(at).as_secs_f64()
    }

    /// Converts seconds of `CLOCK_BOOTTIME` to an instant of this clock, at the earliest now.
    pub(super) fn instant(&self, shared: f64) -> Instant {
        self.now() + Duration::try_from_secs_f64(shared - boot()).unwrap_or_default()
    }
}

/// Seconds since the boot, including suspensions.
fn boot() -> f64 {
    read(ClockId::Boottime).as_secs_f64()
}

/// How long the machine has been suspended since the boot.
fn slept() -> Duration {
    // Read first, so that the time between the two reads does not count as suspension.
    let all = read(ClockId::Boottime);
    all.saturating_sub(read(ClockId::Monotonic))
}

fn read(clock: ClockId) -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    let seconds = u64::try_from(tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(tv_nsec).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_has_slept_counts() {
        let clock = Clock::new(|| Duration::from_secs(60));
        let ahead = clock.now() - Instant::now();
        assert!(ahead > Duration::from_secs(59), "{ahead:?}");
        let at = clock.now() + Duration::from_secs(100);
        let awake = clock.awake(at) - Instant::now();
        assert!(awake > Duration::from_secs(99) && awake <= Duration::from_secs(100), "{awake:?}");
        assert!(clock.awake(Instant::now()) <= Instant::now(), "what is past is past");
    }

    #[test]
    fn two_clocks_of_one_machine_agree_on_the_shared_one() {
        let (one, other) = (Clock::default(), Clock::new(|| Duration::from_secs(5)));
        let shared = one.shared(one.now() + Duration::from_secs(7));
        let ahead = other.instant(shared) - other.now();
        assert!(ahead > Duration::from_secs(6) && ahead <= Duration::from_secs(7), "{ahead:?}");
        assert!(other.instant(shared - 100.0) <= other.now());
    }
}
