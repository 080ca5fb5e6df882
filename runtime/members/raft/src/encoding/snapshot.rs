//! The bytes of a snapshot: a version, what the log says about it, the machine's state, and a
//! checksum over both.
//!
//! The same bytes are stored and sent. The checksum detects damage, not forgery.

use std::hash::Hasher as _;
use std::io;

use bytes::{Buf as _, BufMut as _, Bytes};
use siphasher::sip::SipHasher13;
use turnstile_host::unsupported_version;

const VERSION: u8 = 3;
/// Version, checksum, length of the log's part.
const HEAD_BYTES: usize = 1 + 8 + 4;

/// The parts of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotParts {
    /// The last log id and the membership, encoded by the engine.
    pub(crate) meta: Bytes,
    /// The state, encoded by the machine.
    pub(crate) state: Bytes,
}

impl SnapshotParts {
    pub(crate) fn checksum(&self) -> u64 {
        checksum(&self.meta, &self.state)
    }

    pub(crate) fn encode(&self) -> Bytes {
        encode(&self.meta, self.state.len(), |out| out.extend_from_slice(&self.state))
    }

    /// # Errors
    /// When the bytes are damaged, or of another version.
    pub(crate) fn decode(mut bytes: Bytes) -> io::Result<Self> {
        if bytes.len() < HEAD_BYTES {
            return Err(refuse("is incomplete"));
        }
        let version = bytes.get_u8();
        if version != VERSION {
            let remedy = "use the program that saved it";
            return Err(unsupported_version("the snapshot", version, VERSION, remedy));
        }
        let expected = bytes.get_u64_le();
        let len = bytes.get_u32_le() as usize;
        if bytes.len() < len {
            return Err(refuse("is incomplete"));
        }
        let meta = bytes.split_to(len);
        if checksum(&meta, &bytes) != expected {
            return Err(refuse("is damaged: its checksum is wrong"));
        }
        Ok(Self { meta, state: bytes })
    }
}

/// The bytes of a snapshot whose state a function appends: they are there once. The size of the
/// state may be estimated.
pub(crate) fn encode(meta: &[u8], state_bytes: usize, state: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    let mut out = Vec::with_capacity(HEAD_BYTES + meta.len() + state_bytes);
    let len = u32::try_from(meta.len()).expect("a membership is far below 4 GiB");
    out.put_u8(VERSION);
    out.put_u64_le(0);
    out.put_u32_le(len);
    out.extend_from_slice(meta);
    state(&mut out);
    let sum = checksum(meta, &out[HEAD_BYTES + meta.len()..]);
    out[1..9].copy_from_slice(&sum.to_le_bytes());
    out.into()
}

fn refuse(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the snapshot {why}"))
}

fn checksum(meta: &[u8], state: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(&(meta.len() as u64).to_le_bytes());
    hasher.write(meta);
    hasher.write(state);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use crate::encoding::snapshot::*;

    #[test]
    fn a_snapshot_that_is_cut_or_changed_anywhere_is_refused() {
        let parts = SnapshotParts { meta: Bytes::from("meta"), state: Bytes::from("state") };
        let bytes = parts.encode();
        assert_eq!(SnapshotParts::decode(bytes.clone()).expect("it is whole"), parts);
        for at in 0..bytes.len() {
            assert!(SnapshotParts::decode(bytes.slice(..at)).is_err(), "cut at {at}");
            let mut changed = bytes.to_vec();
            changed[at] ^= 1;
            assert!(SnapshotParts::decode(changed.into()).is_err(), "changed at {at}");
        }
    }

    #[test]
    fn a_snapshot_of_another_version_is_refused() {
        let parts = SnapshotParts { meta: Bytes::from("meta"), state: Bytes::from("state") };
        for version in [0, VERSION - 1, VERSION + 1] {
            let mut bytes = parts.encode().to_vec();
            bytes[0] = version;
            let error = SnapshotParts::decode(bytes.into()).expect_err("it is of another version");
            let expected =
                format!("the snapshot has version {version}, and this program reads version 3: ");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }
}
