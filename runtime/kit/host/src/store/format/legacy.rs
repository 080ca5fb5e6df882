//! Reads directories of format version 2 and converts them to the current version.
//!
//! Version 2 had logs and images without headers, and frames that started with their length, a
//! CRC-32 and a sequence number that counted from 1 in every file. A log that was truncated between
//! two frames cannot be distinguished from a complete one.

use std::io;

use crate::store::batch::{Image, apply};
use crate::store::directory::Directory;
use crate::store::files::{Files, image_name, log_name};
use crate::store::format::entry::{take, take_array};
use crate::store::format::frame::Position;
use crate::store::format::header::{later_version, version};
use crate::store::format::image;
use crate::store::format::manifest::{self, LogMark, Manifest};
use crate::store::refusal::{self, refuse};

/// Converts a directory of version 2 to an image of the current version, and removes the old files.
///
/// It is restarted after a crash: only a directory with a manifest is of the current version.
pub(crate) fn upgrade(directory: &dyn Directory, files: &Files) -> io::Result<()> {
    let old = Files {
        images: of_version_2(directory, &files.images, image_name)?,
        logs: of_version_2(directory, &files.logs, log_name)?,
        ..Files::default()
    };
    if old.images.is_empty() && old.logs.is_empty() || old.logs.len() < files.logs.len() {
        return Err(refuse(format!("{} is missing", manifest::NAME)));
    }
    let held = read(directory, &old)?;
    let number = old.logs.last().copied().max(old.image()).unwrap_or(0) + 1;
    image::put(directory, number, Position::default(), |each| {
        held.iter().try_for_each(|(key, value)| each(key, value))
    })?;
    Manifest::create(directory, LogMark { log: number, ..LogMark::default() })?;
    Ok(())
}

/// The files of version 2.
fn of_version_2(
    directory: &dyn Directory,
    numbers: &[u64],
    name: fn(u64) -> String,
) -> io::Result<Vec<u64>> {
    let mut old = Vec::new();
    for number in numbers {
        let name = name(*number);
        let bytes = directory.read(&name, 0, 8)?;
        if let Some(later) = later_version(&bytes) {
            return Err(refusal::of_version(&name, later));
        }
        if version(&bytes).is_none() {
            old.push(*number);
        }
    }
    Ok(old)
}

fn read(directory: &dyn Directory, files: &Files) -> io::Result<Image> {
    let mut image = Image::new();
    // Files without a header are taken for version 2; at least one valid frame must confirm that.
    let (mut frames, mut foreign) = (0, None);
    if let Some(number) = files.image() {
        let name = image_name(number);
        let bytes = directory.read(&name, 0, u64::MAX)?;
        let (rest, sequence) = read_frames(&mut image, &bytes)?;
        if !rest.is_empty() {
            return Err(refuse(format!("{name} is corrupt")));
        }
        frames += sequence - 1;
    }
    let logs = files.logs.iter().filter(|number| Some(**number) > files.image());
    for (next, number) in (files.first_log()..).zip(logs) {
        if *number != next {
            return Err(refuse(format!("{} is missing", log_name(next))));
        }
        let bytes = directory.read(&log_name(*number), 0, u64::MAX)?;
        let (rest, sequence) = read_frames(&mut image, &bytes)?;
        if is_any_behind(rest, sequence) {
            let place = bytes.len() - rest.len();
            let text = format!("{} is corrupt at byte {place}", log_name(*number));
            return Err(refuse(text));
        }
        frames += sequence - 1;
        if rest.iter().any(|byte| *byte != 0) {
            foreign.get_or_insert(*number);
        }
    }
    match foreign.filter(|_| frames == 0) {
        Some(number) => {
            let name = log_name(number);
            Err(refuse(format!("{name} is not a log of this store, or its header is corrupt")))
        }
        None => Ok(image),
    }
}

/// Applies complete frames; returns the rest of the bytes and the next sequence number.
fn read_frames<'a>(image: &mut Image, bytes: &'a [u8]) -> io::Result<(&'a [u8], u64)> {
    let (mut rest, mut sequence) = (bytes, 1);
    while let Some(entries) = take_frame(&mut rest, sequence) {
        apply(image, entries)?;
        sequence += 1;
    }
    Ok((rest, sequence))
}

/// Takes a complete frame from the front; `None` at the log's end, also if the last frame is torn.
fn take_frame<'a>(rest: &mut &'a [u8], sequence: u64) -> Option<&'a [u8]> {
    let mut ahead = *rest;
    let len = u32::from_le_bytes(take_array(&mut ahead).ok()?);
    let sum = u32::from_le_bytes(take_array(&mut ahead).ok()?);
    let read = u64::from_le_bytes(take_array(&mut ahead).ok()?);
    let entries = take(&mut ahead, len as usize).ok()?;
    let is_whole = len > 0 && read == sequence && sum == crc_of_frame(sequence, entries);
    is_whole.then(|| {
        *rest = ahead;
        entries
    })
}

/// Whether a complete frame follows an invalid one with this number. A crash tears the last frame
/// only; otherwise the invalid frame is corrupt.
fn is_any_behind(rest: &[u8], sequence: u64) -> bool {
    const SEQUENCE_AT: usize = 8;
    let numbers = sequence + 1..=sequence + rest.len() as u64;
    rest.windows(SEQUENCE_AT + 8).enumerate().any(|(at, head)| {
        let number = head.last_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        numbers.contains(&number) && take_frame(&mut &rest[at..], number).is_some()
    })
}

/// CRC-32 (IEEE) of the sequence number and the entries.
fn crc_of_frame(sequence: u64, entries: &[u8]) -> u32 {
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
    use crate::store::format::legacy::*;

    #[test]
    fn the_checksum_is_crc_32() {
        assert_eq!(!crc(!0, b"123456789"), 0xCBF4_3926);
        assert_eq!(!crc(!0, b""), 0);
    }
}
