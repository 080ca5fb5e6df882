//! A file as it was at some time, by which later changes are noticed.

use std::os::fd::AsFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::fstat;
use rustix::io::Errno;

use super::stat::since_epoch;

/// A change that is as recent as this may have the time of the next one.
const COARSE: Duration = Duration::from_millis(20);

/// A file as it was at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    size: i64,
    changed: Duration,
}

/// The file as it is now.
pub(super) fn seen(file: impl AsFd) -> Result<Seen, Errno> {
    let stat = fstat(file)?;
    Ok(Seen { size: stat.st_size, changed: since_epoch(stat.st_ctime, stat.st_ctime_nsec) })
}

/// Whether a later change has another time.
pub(super) fn is_distinct(seen: Seen) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.checked_sub(seen.changed).is_some_and(|ago| ago > COARSE)
}
