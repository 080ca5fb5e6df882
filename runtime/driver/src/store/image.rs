//! An image: everything that a store held at one place of the chain, in a file of its own.

use std::io;

use super::directory::Directory;
use super::files::{Files, NEW_IMAGE, image_name};
use super::frame::{self, Position};
use super::header::{HEADER_BYTES, Header, Kind, later_version};
use super::refusal::{self, refuse};
use super::{Image, apply, entry};

/// An image is written in frames of about this many bytes.
const FRAME_BYTES: usize = 1 << 20;

/// Writes an image beside the old one and moves it into place.
pub(super) fn put(
    directory: &dyn Directory,
    number: u64,
    position: Position,
    image: &Image,
) -> io::Result<()> {
    let written = write(directory, number, position, image);
    if written.is_err() {
        // A disk that is full has use for the room; if this fails, too, the next one is written
        // over it.
        let _removed = directory.remove(NEW_IMAGE);
    }
    written?;
    directory.rename(NEW_IMAGE, &image_name(number))?;
    directory.sync()
}

fn write(
    directory: &dyn Directory,
    number: u64,
    position: Position,
    image: &Image,
) -> io::Result<()> {
    let file = directory.create(NEW_IMAGE)?;
    let mut header = Header::new(Kind::Image(0), number, position)?;
    let (mut at, mut after, mut out) = (HEADER_BYTES as u64, position, Vec::new());
    let mut flush = |out: &mut Vec<u8>| {
        after = frame::seal(out, &header.key, after);
        file.write_at(out, at)?;
        at += out.len() as u64;
        frame::begin(out);
        Ok::<(), io::Error>(())
    };
    frame::begin(&mut out);
    for (key, value) in image {
        entry::put_entry(&mut out, key, Some(value));
        if out.len() >= FRAME_BYTES {
            flush(&mut out)?;
        }
    }
    if !frame::is_empty(&out) {
        flush(&mut out)?;
    }
    header.kind = Kind::Image(at);
    file.write_at(&header.bytes(), 0)?;
    file.sync()
}

/// What the image that counts holds, and which place of the chain it stands for; nothing, and the
/// beginning, where there is none.
pub(super) fn latest(directory: &dyn Directory, files: &Files) -> io::Result<(Image, Position)> {
    match files.image() {
        Some(number) => read(directory, number),
        None => Ok((Image::new(), Position::default())),
    }
}

/// Reads an image, and which place of the chain it stands for.
fn read(directory: &dyn Directory, number: u64) -> io::Result<(Image, Position)> {
    let name = image_name(number);
    let bytes = directory.read(&name, u64::MAX)?;
    let kind = Kind::Image(bytes.len() as u64);
    let header = Header::read(&bytes);
    let Some(header) = header.filter(|found| (found.kind, found.number) == (kind, number)) else {
        return Err(match later_version(&bytes) {
            Some(later) => refusal::of_version(&name, later),
            None => refuse(format!("{name} is damaged or cut")),
        });
    };
    let (mut image, mut rest, mut after) = (Image::new(), &bytes[HEADER_BYTES..], header.position);
    while let Some((entries, position)) = frame::take_next(&mut rest, &header.key, after) {
        apply(&mut image, entries)?;
        after = position;
    }
    if rest.is_empty() {
        return Ok((image, header.position));
    }
    Err(refuse(format!("{name} is damaged at byte {}", bytes.len() - rest.len())))
}
