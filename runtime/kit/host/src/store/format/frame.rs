//! The format of frames: a head with a checksum under the file's key, then the entries.
//!
//! Each frame has the checksum of the previous one, across files, so that no frame between two can
//! be missing. An incomplete frame ends the log, unless a complete one follows, which a crash
//! cannot cause. It reads and writes slices only.

use crate::store::format::entry::{take, take_array};
use crate::store::format::sip::{SipKey, sip};

/// Length, sequence number, previous checksum, checksum.
pub(crate) const HEAD_BYTES: usize = 4 + 8 + 8 + 8;

/// A position in the chain of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The last frame's number; the first is 1.
    pub sequence: u64,
    /// The last frame's checksum.
    pub chain: u64,
}

/// Starts a frame: reserves space for the head before the entries.
pub(crate) fn begin(out: &mut Vec<u8>) {
    out.clear();
    out.resize(HEAD_BYTES, 0);
}

/// Whether a started frame has no entries.
pub(crate) const fn is_empty(frame: &[u8]) -> bool {
    frame.len() <= HEAD_BYTES
}

/// Fills in the head. Returns the new position of the chain.
pub(crate) fn seal(frame: &mut [u8], key: &SipKey, after: Position) -> Position {
    let sequence = after.sequence + 1;
    let (head, entries) = frame.split_at_mut(HEAD_BYTES);
    let len = u32::try_from(entries.len()).expect("a batch is limited far below 4 GiB");
    let chain = checksum(key, sequence, after.chain, entries);
    head[..4].copy_from_slice(&len.to_le_bytes());
    for (place, number) in head[4..].chunks_exact_mut(8).zip([sequence, after.chain, chain]) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    Position { sequence, chain }
}

/// The length of a frame with this head, including the head.
pub(crate) fn len(mut head: &[u8]) -> Option<u64> {
    let len = u32::from_le_bytes(take_array(&mut head).ok()?);
    Some(HEAD_BYTES as u64 + u64::from(len))
}

/// Takes a complete frame from the front, which must continue from `after`. Returns its entries and
/// the new position of the chain.
pub(crate) fn take_next<'a>(
    rest: &mut &'a [u8],
    key: &SipKey,
    after: Position,
) -> Option<(&'a [u8], Position)> {
    let mut ahead = *rest;
    let (entries, before, position) = take_any(&mut ahead, key)?;
    (before == after.chain && position.sequence == after.sequence + 1).then(|| {
        *rest = ahead;
        (entries, position)
    })
}

/// Whether the bytes after the last readable frame have a complete frame. A crash tears the last
/// frame only; otherwise the unreadable frame is corrupt.
pub(crate) fn is_any_in(rest: &[u8], key: &SipKey, after: Position) -> bool {
    let numbers = after.sequence + 1..=after.sequence + 1 + rest.len() as u64;
    rest.windows(HEAD_BYTES).enumerate().any(|(at, head)| {
        let number = head[4..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        numbers.contains(&number) && take_any(&mut &rest[at..], key).is_some()
    })
}

/// A complete frame, regardless of its predecessor: its entries, the previous checksum, and its
/// own.
fn take_any<'a>(rest: &mut &'a [u8], key: &SipKey) -> Option<(&'a [u8], u64, Position)> {
    let len = u32::from_le_bytes(take_array(rest).ok()?);
    let sequence = u64::from_le_bytes(take_array(rest).ok()?);
    let before = u64::from_le_bytes(take_array(rest).ok()?);
    let chain = u64::from_le_bytes(take_array(rest).ok()?);
    let entries = take(rest, len as usize).ok()?;
    let is_whole = len > 0 && chain == checksum(key, sequence, before, entries);
    is_whole.then_some((entries, before, Position { sequence, chain }))
}

fn checksum(key: &SipKey, sequence: u64, before: u64, entries: &[u8]) -> u64 {
    sip(key, &[sequence, before], entries)
}

#[cfg(test)]
mod tests {
    use crate::store::format::frame::*;

    const KEY: SipKey = [3; 16];
    const AFTER: Position = Position { sequence: 4, chain: 99 };

    fn frame(entries: &[u8], after: Position) -> (Vec<u8>, Position) {
        let mut out = Vec::new();
        begin(&mut out);
        out.extend_from_slice(entries);
        let position = seal(&mut out, &KEY, after);
        (out, position)
    }

    #[test]
    fn a_frame_torn_anywhere_or_of_another_chain_is_not_there() {
        let (out, position) = frame(b"some entries", AFTER);
        let taken = take_next(&mut out.as_slice(), &KEY, AFTER);
        assert_eq!(taken, Some((&b"some entries"[..], position)));
        for after in [Position { sequence: 5, ..AFTER }, Position { chain: 98, ..AFTER }] {
            assert_eq!(take_next(&mut out.as_slice(), &KEY, after), None);
        }
        assert_eq!(take_next(&mut out.as_slice(), &[4; 16], AFTER), None, "another key");
        for at in 0..out.len() {
            assert_eq!(take_next(&mut &out[..at], &KEY, AFTER), None, "cut at {at}");
            let mut flipped = out.clone();
            flipped[at] ^= 0x10;
            assert_eq!(take_next(&mut flipped.as_slice(), &KEY, AFTER), None, "flipped at {at}");
        }
    }

    #[test]
    fn a_frame_behind_a_torn_one_is_found_and_one_under_another_key_is_none() {
        let (first, position) = frame(b"the first", AFTER);
        let (second, _) = frame(b"the second", position);
        for cut in 0..first.len() {
            let torn = [&first[..cut], &second].concat();
            assert!(is_any_in(&torn, &KEY, AFTER), "cut at {cut}");
            assert!(!is_any_in(&torn, &[4; 16], AFTER), "imitated behind {cut}");
        }
    }
}
