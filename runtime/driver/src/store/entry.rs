//! How one write lies in a frame: kind, key length, key, value length, value.
//!
//! It reads and writes slices only. Whether the bytes are those that were written is the frame's to
//! say.

use std::io;

use super::Key;

/// The longest key: a resource's name has its own, lower limit.
const KEY_MAX: usize = u16::MAX as usize;

const META: u8 = 1;
const CLAIM: u8 = 2;
const DATA: u8 = 3;
/// Set in an entry's first byte when the key is removed.
const REMOVED: u8 = 0x80;

/// Appends one write: kind, key length, key, value length, value.
pub(super) fn put_entry(out: &mut Vec<u8>, key: &Key, value: Option<&[u8]>) {
    let removed = if value.is_none() { REMOVED } else { 0 };
    match key {
        Key::Meta => put_key(out, META | removed, &[]),
        Key::Claim(id) => put_key(out, CLAIM | removed, &id.to_le_bytes()),
        Key::Data(id) => put_key(out, DATA | removed, &id.to_le_bytes()),
    }
    if let Some(value) = value {
        let len = u32::try_from(value.len()).expect("values are limited far below 4 GiB");
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(value);
    }
}

fn put_key(out: &mut Vec<u8>, kind: u8, key: &[u8]) {
    assert!(key.len() <= KEY_MAX, "a key is limited");
    out.push(kind);
    out.extend_from_slice(&(key.len() as u16).to_le_bytes());
    out.extend_from_slice(key);
}

/// Takes one write off the front.
pub(super) fn take_entry<'a>(rest: &mut &'a [u8]) -> io::Result<(Key, Option<&'a [u8]>)> {
    let kind = take(rest, 1)?[0];
    let len = u16::from_le_bytes(take_array(rest)?);
    let name = take(rest, usize::from(len))?;
    let key = match kind & !REMOVED {
        META => Key::Meta,
        CLAIM => Key::Claim(u64::from_le_bytes(name.try_into().map_err(|_| broken())?)),
        DATA => Key::Data(u64::from_le_bytes(name.try_into().map_err(|_| broken())?)),
        _ => return Err(broken()),
    };
    if kind & REMOVED != 0 {
        return Ok((key, None));
    }
    let len = u32::from_le_bytes(take_array(rest)?);
    Ok((key, Some(take(rest, len as usize)?)))
}

pub(super) fn take<'a>(rest: &mut &'a [u8], len: usize) -> io::Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(len).ok_or_else(broken)?;
    *rest = left;
    Ok(taken)
}

pub(super) fn take_array<const N: usize>(rest: &mut &[u8]) -> io::Result<[u8; N]> {
    let taken = take(rest, N)?;
    Ok(taken.try_into().expect("just so many were taken"))
}

pub(super) fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the store holds what no store has written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back() {
        let mut out = Vec::new();
        let keys = [Key::Meta, Key::Claim(7), Key::Data(u64::MAX)];
        for key in &keys {
            put_entry(&mut out, key, Some(b"value"));
            put_entry(&mut out, key, None);
        }
        let mut rest = out.as_slice();
        for key in keys {
            assert_eq!(take_entry(&mut rest).expect("whole"), (key, Some(&b"value"[..])));
            assert_eq!(take_entry(&mut rest).expect("whole"), (key, None));
        }
        assert!(rest.is_empty());
    }
}
