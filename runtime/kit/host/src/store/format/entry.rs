//! The encoding of one write in a frame: kind, key length, key, value length, value.
//!
//! It reads and writes slices only. The frame's checksum protects the bytes.

use std::io;

use crate::store::format::key::Key;

/// Set in an entry's first byte when the key is removed.
pub(crate) const REMOVED: u8 = 0x80;

/// Appends one write: kind, length of the number, number, value length, value. The function appends
/// the value.
pub(crate) fn put_entry(out: &mut Vec<u8>, key: &Key, value: impl FnOnce(&mut Vec<u8>)) {
    put_key(out, key, 0);
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    let begin = out.len();
    value(out);
    let len = out.len().checked_sub(begin).expect("a value is only appended");
    let len = u32::try_from(len).expect("values are limited far below 4 GiB");
    out[at..begin].copy_from_slice(&len.to_le_bytes());
}

/// Appends the removal of a key: kind, length of the number, number.
pub(crate) fn remove_entry(out: &mut Vec<u8>, key: &Key) {
    put_key(out, key, REMOVED);
}

fn put_key(out: &mut Vec<u8>, key: &Key, removed: u8) {
    out.push(key.kind | removed);
    let number = key.number.map(u64::to_le_bytes);
    let number = number.as_ref().map_or(&[][..], |number| number);
    out.extend_from_slice(&(number.len() as u16).to_le_bytes());
    out.extend_from_slice(number);
}

/// Removes one write from the front of the bytes.
pub(crate) fn take_entry<'a>(rest: &mut &'a [u8]) -> io::Result<(Key, Option<&'a [u8]>)> {
    let kind = take(rest, 1)?[0];
    let len = u16::from_le_bytes(take_array(rest)?);
    let name = take(rest, usize::from(len))?;
    let number = match name {
        [] => None,
        name => Some(u64::from_le_bytes(name.try_into().map_err(|_| broken())?)),
    };
    let key = match kind & !REMOVED {
        0 => return Err(broken()),
        kind => Key { kind, number },
    };
    if kind & REMOVED != 0 {
        return Ok((key, None));
    }
    let len = u32::from_le_bytes(take_array(rest)?);
    Ok((key, Some(take(rest, len as usize)?)))
}

pub(crate) fn take<'a>(rest: &mut &'a [u8], len: usize) -> io::Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(len).ok_or_else(broken)?;
    *rest = left;
    Ok(taken)
}

pub(crate) fn take_array<const N: usize>(rest: &mut &[u8]) -> io::Result<[u8; N]> {
    let taken = take(rest, N)?;
    Ok(taken.try_into().expect("just so many were taken"))
}

pub(crate) fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the store has an entry with an unknown format")
}

#[cfg(test)]
mod tests {
    use crate::store::format::entry::*;

    #[test]
    fn an_entry_comes_back() {
        let mut out = Vec::new();
        let keys = [Key::single(1), Key::numbered(2, 7), Key::numbered(127, u64::MAX)];
        for key in &keys {
            put_entry(&mut out, key, |out| out.extend_from_slice(b"value"));
            remove_entry(&mut out, key);
        }
        let mut rest = out.as_slice();
        for key in keys {
            assert_eq!(take_entry(&mut rest).expect("whole"), (key, Some(&b"value"[..])));
            assert_eq!(take_entry(&mut rest).expect("whole"), (key, None));
        }
        assert!(rest.is_empty());
    }
}
