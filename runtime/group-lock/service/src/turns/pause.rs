//! The pause before a lock that another member holds is asked for again.

use std::time::Duration;

/// The pause before a lock that another member holds is asked for again, at least and at most; a
/// [`PART`] of the time waited so far in between.
pub(crate) const POLL: (Duration, Duration) =
    (Duration::from_millis(5), Duration::from_millis(200));
/// The least pause for each lock that a process waits for, so that many are no load.
const POLL_EACH: Duration = Duration::from_micros(50);
/// A lock that was waited for as long as so many pauses is asked for again after one.
const PART: u32 = 64;

/// The longest pause before a lock is asked for again, of so many that a process wants.
pub(crate) fn pause(waited: Duration, wanted: usize) -> Duration {
    let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
    let least = POLL.0.max(POLL_EACH.saturating_mul(wanted)).min(POLL.1);
    (waited / PART).clamp(least, POLL.1)
}

#[cfg(test)]
mod tests {
    use crate::turns::pause::*;

    #[test]
    fn polls_become_rare_with_time_and_with_the_number_of_locks() {
        let ms = Duration::from_millis;
        for (waited, wanted, expected) in [
            (ms(0), 1, ms(5)),
            (ms(320), 1, ms(5)),
            (ms(6400), 1, ms(100)),
            (ms(3_600_000), 1, ms(200)),
            (ms(0), 1000, ms(50)),
            (ms(0), usize::MAX, ms(200)),
        ] {
            assert_eq!(pause(waited, wanted), expected, "{waited:?}, {wanted}");
        }
    }
}
