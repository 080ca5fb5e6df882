//! The encoding of many operations in one log entry.
//!
//! A log entry costs the leader one sync, which it awaits; so the operations that wait share one.
//! They have one version, by which all members apply them.

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

/// The length of an operation, in front of it.
const LEN_BYTES: usize = 4;

/// An entry without operations.
pub(crate) fn begin(version: u32) -> BytesMut {
    let mut out = BytesMut::new();
    out.put_u32_le(version);
    out
}

/// Appends an operation.
pub(crate) fn put(out: &mut BytesMut, operation: &[u8]) {
    let len = u32::try_from(operation.len()).expect("operations are limited far below 4 GiB");
    out.put_u32_le(len);
    out.extend_from_slice(operation);
}

/// The version and the operations of an entry; `None` if the bytes are not a list of operations.
pub(crate) fn split(mut entry: Bytes) -> Option<(u32, Vec<Bytes>)> {
    let mut operations = Vec::new();
    let version = entry.try_get_u32_le().ok()?;
    while !entry.is_empty() {
        if entry.len() < LEN_BYTES {
            return None;
        }
        let len = entry.get_u32_le() as usize;
        if entry.len() < len {
            return None;
        }
        operations.push(entry.split_to(len));
    }
    Some((version, operations))
}

#[cfg(test)]
mod tests {
    use crate::encoding::batch::*;

    #[test]
    fn operations_come_back_and_a_cut_entry_is_rejected() {
        let mut out = begin(3);
        let operations = [&b"first"[..], b"", b"third"];
        operations.iter().for_each(|operation| put(&mut out, operation));
        let entry = out.freeze();
        let (version, split_again) = split(entry.clone()).expect("it is whole");
        assert_eq!((version, &split_again[..]), (3, &operations.map(Bytes::from_static)[..]));
        for len in [1, 5, 12, entry.len() - 1] {
            assert_eq!(split(entry.slice(..len)), None, "cut at {len}");
        }
    }
}
