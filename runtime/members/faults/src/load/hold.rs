//! The command that runs under a lock and writes down when it ran.
//!
//! It writes the time every millisecond, so that a kill leaves a record that is at most so much too
//! short: two records that overlap are of two commands that ran at the same time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Between two times that are written.
const STEP: Duration = Duration::from_millis(1);

/// A command that ran under a lock, in nanoseconds of the machine's monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    /// The lock's name.
    pub(crate) lock: String,
    /// The fencing token: a text of one length, so that texts are ordered as tokens are.
    pub(crate) token: String,
    /// The member through which the lock was taken.
    pub(crate) member: u8,
    /// When the command began.
    pub(crate) from: u64,
    /// When it surely ran for the last time.
    pub(crate) until: u64,
}

/// The machine's monotonic clock, in nanoseconds. It is read without the C library, whose clock
/// may be shifted for this process.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let parts = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
    let (Ok(seconds), Ok(nanoseconds)) = parts else { return 0 };
    seconds * 1_000_000_000 + nanoseconds
}

/// Runs for some time and writes it down, with the token.
pub(crate) fn run(record: &Path, token: &str, lasts: Duration) -> io::Result<()> {
    let file = File::create(record)?;
    let from = now();
    let end = from + u64::try_from(lasts.as_nanos()).unwrap_or(u64::MAX);
    let times = [from, from].map(u64::to_le_bytes).concat();
    file.write_all_at(&[&times, token.as_bytes()].concat(), 0)?;
    let mut time = from;
    while time < end {
        std::thread::sleep(STEP);
        time = now();
        file.write_all_at(&time.to_le_bytes(), 8)?;
    }
    Ok(())
}

/// The token of a command, when it began, and when it surely ran for the last time; nothing if it
/// did not come so far.
pub(crate) fn read(record: &Path) -> Option<(String, u64, u64)> {
    let bytes = std::fs::read(record).ok()?;
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let token = str::from_utf8(bytes.get(16..)?).ok()?;
    Some((token.to_owned(), number(0)?, number(8)?))
}
