//! The header of a log or an image: the file's identity, its key, and the previous position of the
//! chain.
//!
//! It reads and writes slices only.

use std::io;

use crate::random_bytes;
use crate::store::format::entry::take_array;
use crate::store::format::frame::Position;
use crate::store::format::sip::{SipKey, sip};

/// The version of the format of all files of a store, which `docs/store.md` draws.
pub(crate) const VERSION: u8 = 1;
/// The size of a header in bytes.
pub(crate) const HEADER_BYTES: usize = 72;
const MAGIC: [u8; 7] = *b"turnstl";
const LOG: u64 = 1;
const IMAGE: u64 = 2;

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A log: frames follow.
    Log,
    /// An image of this many bytes in total.
    Image(u64),
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub kind: Kind,
    /// The number in the file's name.
    pub number: u64,
    /// The key of the checksums in this file.
    pub key: SipKey,
    /// The position of the chain before a log, or up to which an image has all writes.
    pub position: Position,
}

impl Header {
    /// Creates a header with a random key.
    ///
    /// # Errors
    /// When the system has no source of randomness.
    pub(crate) fn new(kind: Kind, number: u64, position: Position) -> io::Result<Self> {
        Ok(Self { kind, number, key: random_bytes()?, position })
    }

    pub(crate) fn bytes(&self) -> [u8; HEADER_BYTES] {
        let (kind, len) = match self.kind {
            Kind::Log => (LOG, 0),
            Kind::Image(len) => (IMAGE, len),
        };
        let mut bytes = [0; HEADER_BYTES];
        bytes[..7].copy_from_slice(&MAGIC);
        bytes[7] = VERSION;
        bytes[8..24].copy_from_slice(&self.key);
        let numbers = [kind, len, self.number, self.position.sequence, self.position.chain];
        for (place, number) in bytes[24..].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let sum = sip(&self.key, &[], &bytes[..HEADER_BYTES - 8]);
        bytes[HEADER_BYTES - 8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads a header; `None` if it is not complete and valid.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
        let mut rest = &bytes[24..];
        let mut next = || take_array(&mut rest).map(u64::from_le_bytes).ok();
        let (kind, len, number) = (next()?, next()?, next()?);
        let position = Position { sequence: next()?, chain: next()? };
        let kind = match kind {
            LOG => Kind::Log,
            IMAGE => Kind::Image(len),
            _ => return None,
        };
        let key = *bytes[8..].first_chunk()?;
        let header = Self { kind, number, key, position };
        (header.bytes() == *bytes).then_some(header)
    }
}

/// The version in front of a header or a slot of the manifest, if it is not the one that this
/// program reads. 0 is none: a write that is torn there leaves the zero of a new file.
pub(crate) fn other_version(bytes: &[u8]) -> Option<u8> {
    let version = bytes.strip_prefix(&MAGIC).and_then(|rest| rest.first().copied());
    version.filter(|version| ![0, VERSION].contains(version))
}

#[cfg(test)]
mod tests {
    use crate::store::format::header::*;

    #[test]
    fn a_header_comes_back_whole_or_not_at_all() {
        let position = Position { sequence: 7, chain: 8 };
        for kind in [Kind::Log, Kind::Image(900)] {
            let header = Header::new(kind, 5, position).expect("there is randomness");
            let bytes = header.bytes();
            assert_eq!(Header::read(&bytes), Some(header));
            assert_eq!(other_version(&bytes), None);
            for at in 0..bytes.len() {
                assert_eq!(Header::read(&bytes[..at]), None, "cut at {at}");
                let mut flipped = bytes;
                flipped[at] ^= 0x10;
                assert_eq!(Header::read(&flipped), None, "flipped at {at}");
            }
        }
    }
}
