//! The writes of the logs after an image, by key: the last write of each key.
//!
//! The values stay in the logs' bytes; only the position of each is kept.

use std::io;
use std::num::NonZeroUsize;

use crate::store::format::entry::take_entry;
use crate::store::format::key::Key;

/// The writes of some logs.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The logs' bytes, in order.
    logs: Vec<Vec<u8>>,
    /// In the order of writing, until they are sorted.
    writes: Vec<(Key, Option<Span>)>,
}

/// The position of a value.
#[derive(Clone, Copy, Debug)]
struct Span {
    log: u32,
    len: u32,
    /// The position of a removed value: no value is at the start of a log.
    at: NonZeroUsize,
}

impl Changes {
    /// Adds the writes of a frame at this position of the log being read.
    pub(super) fn note(&mut self, at: usize, entries: &[u8]) -> io::Result<()> {
        let log = u32::try_from(self.logs.len()).map_err(io::Error::other)?;
        let end = at + entries.len();
        let mut rest = entries;
        while !rest.is_empty() {
            let (key, value) = take_entry(&mut rest)?;
            let span = value.and_then(|value| {
                // A value is the last of its entry.
                let at = NonZeroUsize::new(end - rest.len() - value.len())?;
                Some(Span { log, len: u32::try_from(value.len()).ok()?, at })
            });
            self.writes.push((key, span));
        }
        Ok(())
    }

    /// Adds the log that was read.
    pub(super) fn close(&mut self, log: Vec<u8>) {
        self.logs.push(log);
    }

    /// The bytes of the last log.
    pub(super) fn last_log(&self) -> Option<&[u8]> {
        self.logs.last().map(Vec::as_slice)
    }

    /// Sorts the writes by key, and drops all but the last of each key.
    pub(super) fn sort(&mut self) {
        self.writes.sort_by_key(|(key, _)| *key);
        self.writes.dedup_by(|later, before| {
            let is_same = later.0 == before.0;
            if is_same {
                *before = *later;
            }
            is_same
        });
    }

    /// The last write of each key, after sorting; `None` if the key was removed.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, Option<&[u8]>)> {
        self.writes.iter().map(|(key, span)| {
            let value = span.map(|Span { log, len, at }| {
                &self.logs[log as usize][at.get()..at.get() + len as usize]
            });
            (key, value)
        })
    }
}
