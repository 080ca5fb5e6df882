//! The keys of a log in its store, and the encoding of their values.

use std::io;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use turnstile_host::store::{Batch, Key};
use turnstile_host::unsupported_version;

use super::mark::Mark;

/// The version of the format, the member's id, and the number of this log.
pub(crate) const OWNER: Key = Key::single(1);
/// The size of that.
pub(crate) const OWNER_BYTES: usize = 1 + 8 + 8;
pub(super) const VOTE: Key = Key::single(2);
pub(super) const PURGED: Key = Key::single(3);
pub(super) const COMMITTED: Key = Key::single(4);
pub(super) const SNAPSHOT: Key = Key::single(SNAPSHOT_KIND);
/// The group of the member.
pub(super) const GROUP: Key = Key::single(8);

pub(super) const SNAPSHOT_KIND: u8 = 5;
pub(super) const CHUNK_KIND: u8 = 6;
pub(super) const ENTRY_KIND: u8 = 7;
/// What the member is to begin with what was restored.
pub(super) const FOUNDING: Key = Key::single(9);
/// The name of the application.
pub(super) const APPLICATION: Key = Key::single(10);

/// The version of the format of all values. It is none of a claim server's store, whose first value
/// has the same key.
const VERSION: u8 = 17;

/// The key of an entry.
pub(super) const fn entry(index: u64) -> Key {
    Key::numbered(ENTRY_KIND, index)
}

/// The value of [`OWNER`].
pub(super) fn owner(member: u64, number: u64) -> Vec<u8> {
    let mut value = Vec::with_capacity(OWNER_BYTES);
    value.push(VERSION);
    value.extend_from_slice(&member.to_le_bytes());
    value.extend_from_slice(&number.to_le_bytes());
    value
}

/// The number of the log.
///
/// # Errors
/// When the store has another format, or belongs to another member.
pub(super) fn check_owner(value: &[u8], member: u64) -> io::Result<u64> {
    let Some((&version, id)) = value.split_first() else { return Err(invalid("no owner")) };
    if version != VERSION {
        let remedy = "start the program that wrote it";
        return Err(unsupported_version("the store's log", version, VERSION, remedy));
    }
    let (id, number) = id.split_first_chunk().ok_or_else(|| invalid("an incomplete owner"))?;
    let owner = u64::from_le_bytes(*id);
    if owner != member {
        return Err(invalid(&format!("the log belongs to member {owner}, not to {member}")));
    }
    self::number(number)
}

/// # Errors
/// When the value is none of a number.
pub(super) fn number(value: &[u8]) -> io::Result<u64> {
    let bytes = value.try_into().map_err(|_| invalid("a number of a wrong length"))?;
    Ok(u64::from_le_bytes(bytes))
}

pub(super) fn put_mark(out: &mut Vec<u8>, mark: &Mark) {
    out.extend_from_slice(&mark.index.to_le_bytes());
    out.extend_from_slice(&mark.id);
}

/// # Errors
/// When the value is too short.
pub(super) fn mark(value: &[u8]) -> io::Result<Mark> {
    let (index, id) = value.split_first_chunk().ok_or_else(|| invalid("an incomplete mark"))?;
    Ok(Mark { index: u64::from_le_bytes(*index), id: Bytes::copy_from_slice(id) })
}

/// The place of a snapshot in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SnapshotRecord {
    generation: u32,
    chunks: u32,
    /// The last entry that the snapshot covers.
    pub(super) upto: Option<u64>,
}

impl SnapshotRecord {
    /// # Errors
    /// When the snapshot has too many chunks.
    pub(super) fn after(
        before: Option<Self>,
        upto: Option<u64>,
        chunks: usize,
    ) -> io::Result<Self> {
        let chunks = u32::try_from(chunks).map_err(io::Error::other)?;
        let generation = before.map_or(0, |before| before.generation).wrapping_add(1);
        Ok(Self { generation, chunks, upto })
    }

    /// The keys of the chunks.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> + use<> {
        let first = u64::from(self.generation) << 32;
        (first..first + u64::from(self.chunks)).map(|number| Key::numbered(CHUNK_KIND, number))
    }

    pub(super) fn put(&self, batch: &mut Batch) {
        let value = postcard::to_allocvec(self).expect("a record of numbers can be encoded");
        batch.put(&SNAPSHOT, &value);
    }

    /// # Errors
    /// When the value is no record.
    pub(super) fn read(value: &[u8]) -> io::Result<Self> {
        postcard::from_bytes(value).map_err(|error| invalid(&error.to_string()))
    }
}

pub(super) fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the store has no valid log: {what}"))
}
