//! What the kernel gets of a directory: names, and with them what it would ask for next.

use std::ffi::OsStr;

use polyfuse::bytes::{Bytes, FillBytes};
use polyfuse::reply::{EntryOut, ReaddirOut};

/// Names of a directory, as long as there is room.
#[derive(Debug)]
pub(crate) struct Listing {
    bytes: Vec<u8>,
    size: usize,
}

/// The size of a name's record without the name, in bytes.
const RECORD: usize = 24;
/// What the size of a record is a multiple of.
const ALIGNMENT: usize = 8;

impl Listing {
    pub(crate) fn new(size: usize) -> Self {
        Self { bytes: Vec::with_capacity(size), size }
    }

    /// Adds a name: its number, its type, and where the next one is. What the kernel gets to know
    /// of the file, if it asks for that, is found out if there is room. Returns whether there was.
    pub(crate) fn add(
        &mut self,
        name: &OsStr,
        (number, kind, next): (u64, u32, u64),
        entry: Option<impl FnOnce() -> EntryOut>,
    ) -> bool {
        let length = (RECORD + name.len()).next_multiple_of(ALIGNMENT);
        let with_entry = length + entry.as_ref().map_or(0, |_| ENTRY);
        if self.bytes.len() + with_entry > self.size {
            return false;
        }
        if let Some(entry) = entry {
            entry().fill_bytes(&mut Appending(&mut self.bytes));
        }
        let mut record = ReaddirOut::new(length);
        let is_full = record.entry(name, number, kind, next);
        debug_assert!(!is_full, "a record of {length} bytes");
        record.fill_bytes(&mut Appending(&mut self.bytes));
        true
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The size of what the kernel gets to know of a file, in bytes.
const ENTRY: usize = 128;

/// Collects bytes.
struct Appending<'a>(&'a mut Vec<u8>);

impl<'a> FillBytes<'a> for Appending<'_> {
    fn put(&mut self, chunk: &'a [u8]) {
        self.0.extend_from_slice(chunk);
    }
}
