//! What the status of a file says: bits of its mode, and its times.

use std::time::Duration;

/// The bits by which a program runs as the owner or the group of its file.
pub(super) const SET_IDS: u32 = 0o6000;

/// A time of a file.
pub(super) fn since_epoch(seconds: i64, nanoseconds: impl TryInto<u32>) -> Duration {
    // Times before 1970 are shown as 1970.
    let seconds = u64::try_from(seconds).unwrap_or(0);
    Duration::new(seconds, nanoseconds.try_into().unwrap_or(0))
}
