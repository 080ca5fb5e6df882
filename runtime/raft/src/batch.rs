//! The encoding of many operations in one log entry.
//!
//! A log entry costs the leader one sync, which it awaits; so the operations that wait share one.

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

/// The length of an operation, in front of it.
const LEN_BYTES: usize = 4;

/// Appends an operation.
pub(crate) fn put(out: &mut BytesMut, operation: &[u8]) {
    let len = u32::try_from(operation.len()).expect("operations are limited far below 4 GiB");
    out.put_u32_le(len);
    out.extend_from_slice(operation);
}

/// The operations of an entry; `None` if the bytes are not a list of operations.
pub(crate) fn split(mut entry: Bytes) -> Option<Vec<Bytes>> {
    let mut operations = Vec::new();
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
    Some(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_come_back_and_a_cut_entry_is_rejected() {
        let mut out = BytesMut::new();
        let operations = [&b"first"[..], b"", b"third"];
        operations.iter().for_each(|operation| put(&mut out, operation));
        let entry = out.freeze();
        assert_eq!(split(entry.clone()).expect("it is whole"), operations);
        for len in [1, 8, entry.len() - 1] {
            assert_eq!(split(entry.slice(..len)), None, "cut at {len}");
        }
    }
}
