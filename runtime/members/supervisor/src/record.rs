//! What a supervisor says to its reaper: records of one length, each written at once.

use std::time::Duration;

use rustix::process::Pid;

use crate::guarded::Guarded;

/// The length of a record in bytes. A write of so few bytes to a pipe is atomic.
pub(crate) const RECORD_LEN: usize = 17;

/// Stands for a time that never comes.
const NEVER: u64 = u64::MAX;

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// The command's process group.
    Group(Pid),
    /// Until when the command may run.
    Guard(Guarded),
    /// The command has ended.
    Done,
}

impl Record {
    /// Neither allocates nor locks: it is called between fork and exec.
    pub(crate) const fn to_bytes(self) -> [u8; RECORD_LEN] {
        let (kind, first, second) = match self {
            Self::Group(group) => (b'g', group.as_raw_nonzero().get() as u64, 0),
            Self::Guard(Guarded { term_at, kill_at }) => (b'l', nanos(term_at), nanos(kill_at)),
            Self::Done => (b'.', 0, 0),
        };
        let mut bytes = [kind; RECORD_LEN];
        let (first, second) = (first.to_ne_bytes(), second.to_ne_bytes());
        let mut at = 0;
        while at < first.len() {
            bytes[1 + at] = first[at];
            bytes[1 + first.len() + at] = second[at];
            at += 1;
        }
        bytes
    }

    /// `None` if it is no record.
    pub(crate) fn read(bytes: [u8; RECORD_LEN]) -> Option<Self> {
        let (kind, numbers) = bytes.split_first()?;
        let (first, second) = numbers.split_first_chunk::<8>()?;
        let first = u64::from_ne_bytes(*first);
        let second = u64::from_ne_bytes(second.try_into().ok()?);
        match kind {
            b'g' => i32::try_from(first).ok().and_then(Pid::from_raw).map(Self::Group),
            b'l' => Some(Self::Guard(Guarded { term_at: time(first), kill_at: time(second) })),
            b'.' => Some(Self::Done),
            _ => None,
        }
    }
}

const fn nanos(time: Option<Duration>) -> u64 {
    match time {
        Some(time) if time.as_nanos() < NEVER as u128 => time.as_nanos() as u64,
        _ => NEVER,
    }
}

const fn time(nanos: u64) -> Option<Duration> {
    if nanos == NEVER { None } else { Some(Duration::from_nanos(nanos)) }
}
