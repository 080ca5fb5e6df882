//! How entries and frames lie in a log: lengths, a checksum, a sequence number, then the bytes.
//!
//! It reads and writes slices only. A frame is whole or it is not there: a torn one fails its
//! checksum and ends the log, unless whole ones follow, which no crash leaves behind.

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

/// Writes a whole frame into `out`, which it clears first.
pub(super) fn put_frame(out: &mut Vec<u8>, sequence: u64, entries: &[u8]) {
    out.clear();
    let len = u32::try_from(entries.len()).expect("a batch is limited far below 4 GiB");
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&checksum(sequence, entries).to_le_bytes());
    out.extend_from_slice(&sequence.to_le_bytes());
    out.extend_from_slice(entries);
}

/// Takes a whole frame off the front: none at the log's end, where a torn frame ends it too.
pub(super) fn take_frame<'a>(rest: &mut &'a [u8], sequence: u64) -> Option<&'a [u8]> {
    let mut ahead = *rest;
    let len = u32::from_le_bytes(take_array(&mut ahead).ok()?);
    let sum = u32::from_le_bytes(take_array(&mut ahead).ok()?);
    let read = u64::from_le_bytes(take_array(&mut ahead).ok()?);
    let entries = take(&mut ahead, len as usize).ok()?;
    let is_whole = len > 0 && read == sequence && sum == checksum(sequence, entries);
    is_whole.then(|| {
        *rest = ahead;
        entries
    })
}

/// Whether there is a whole frame behind one that is not, which has this number. A crash tears the
/// last frame only; so the other is damaged.
pub(super) fn is_any_behind(rest: &[u8], sequence: u64) -> bool {
    const SEQUENCE_AT: usize = 8;
    let numbers = sequence + 1..=sequence + rest.len() as u64;
    rest.windows(SEQUENCE_AT + 8).enumerate().any(|(at, head)| {
        let number = head.last_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        numbers.contains(&number) && take_frame(&mut &rest[at..], number).is_some()
    })
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> io::Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(len).ok_or_else(broken)?;
    *rest = left;
    Ok(taken)
}

fn take_array<const N: usize>(rest: &mut &[u8]) -> io::Result<[u8; N]> {
    let taken = take(rest, N)?;
    Ok(taken.try_into().expect("just so many were taken"))
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the store holds what no store has written")
}

/// CRC-32 (IEEE) of the sequence number and the entries.
fn checksum(sequence: u64, entries: &[u8]) -> u32 {
    !crc(crc(!0, &sequence.to_le_bytes()), entries)
}

fn crc(start: u32, bytes: &[u8]) -> u32 {
    let mut sum = start;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        let low = sum ^ u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let low = low.to_le_bytes();
        sum = CRC[7][low[0] as usize]
            ^ CRC[6][low[1] as usize]
            ^ CRC[5][low[2] as usize]
            ^ CRC[4][low[3] as usize]
            ^ CRC[3][word[4] as usize]
            ^ CRC[2][word[5] as usize]
            ^ CRC[1][word[6] as usize]
            ^ CRC[0][word[7] as usize];
    }
    for byte in rest {
        sum = CRC[0][(sum as u8 ^ byte) as usize] ^ (sum >> 8);
    }
    sum
}

/// Table `n` advances a byte by `n` further zero bytes, so that eight are taken at once.
static CRC: [[u32; 256]; 8] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xEDB8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = tables[0][(before & 0xFF) as usize] ^ (before >> 8);
            byte += 1;
        }
        table += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_crc_32() {
        assert_eq!(!crc(!0, b"123456789"), 0xCBF4_3926);
        assert_eq!(!crc(!0, b""), 0);
    }

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

    #[test]
    fn a_frame_torn_anywhere_or_of_another_number_is_not_there() {
        let mut out = Vec::new();
        put_frame(&mut out, 5, b"some entries");
        assert_eq!(take_frame(&mut out.as_slice(), 5), Some(&b"some entries"[..]));
        assert_eq!(take_frame(&mut out.as_slice(), 6), None);
        for at in 0..out.len() {
            assert_eq!(take_frame(&mut &out[..at], 5), None, "cut at {at}");
            let mut flipped = out.clone();
            flipped[at] ^= 0x10;
            assert_eq!(take_frame(&mut flipped.as_slice(), 5), None, "flipped at {at}");
        }
    }
}
