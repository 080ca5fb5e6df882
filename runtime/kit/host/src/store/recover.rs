//! Recovery: reads a directory and makes its content durable before the server answers requests.
//!
//! The data may be in the page cache only: the previous process may have ended between a write and
//! its sync, or its sync may have failed. So all data that is not known to be durable is written
//! again and synced before the store continues.

use std::io;

use super::directory::Directory;
use super::files::{Files, image_name, log_name};
use super::held::HeldNotes;
use super::note::NoteValue;
use super::refusal::refuse;
use super::replay::{self, LogEnd};
use crate::store::format::manifest::{self, LogMark, LogMarks, Manifest};

/// The content of a directory, now durable.
#[derive(Debug)]
pub(super) struct Recovered {
    pub held: HeldNotes,
    pub manifest: Manifest,
    /// The last log with acknowledged writes, and the position of the chain at its end.
    pub end: LogMark,
    /// The number of logs to compact.
    pub logs: u64,
    /// The bytes of the last of them.
    pub log_bytes: u64,
    pub previous: PreviousUse,
    pub note: Option<NoteValue>,
}

/// What a start found in a store's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviousUse {
    /// No store: a new one was created.
    None,
    /// The previous process closed the store.
    Closed,
    /// The previous process did not close the store: it was killed, crashed, or lost power, or its
    /// last writes failed.
    Interrupted,
}

/// Reads a directory and syncs its content.
pub(super) fn recover(directory: &dyn Directory) -> io::Result<Recovered> {
    let files = Files::scan(directory)?;
    if !files.has_manifest {
        // The manifest is durable before the first log is created.
        if !files.logs.is_empty() || !files.images.is_empty() {
            return Err(refuse(format!("{} is missing", manifest::NAME)));
        }
        return Ok(Recovered {
            held: HeldNotes::default(),
            manifest: Manifest::create(directory, LogMark::default())?,
            end: LogMark::default(),
            logs: 0,
            log_bytes: 0,
            previous: PreviousUse::None,
            note: None,
        });
    }
    let marks = LogMarks::read(directory)?;
    check_new(directory, &files, marks)?;
    let last = marks.begin.log;
    let mut held = HeldNotes::latest(directory, &files)?;
    // The frames are read again later; check here that they are valid, before anything is written
    // or removed.
    held.read(directory, &mut |_, _| Ok(()))?;
    let first = files.first_log();
    check_missing(&files, first, last)?;
    let end = LogEnd::Behind(marks.end.position);
    let (changes, position) = replay::logs(directory, held.position(), (first, last), end)?;
    held.changes = changes;
    let last_log = held.changes.last_log();
    let log_bytes = last_log.map_or(0, |bytes| bytes.len() as u64);
    let manifest = settle(directory, &files, marks, last_log)?;
    let end = LogMark { log: last, position, is_clean: false };
    let previous = match marks.end.is_clean {
        true => PreviousUse::Closed,
        false => PreviousUse::Interrupted,
    };
    let logs = (last + 1).saturating_sub(first);
    Ok(Recovered { held, manifest, end, logs, log_bytes, previous, note: marks.note })
}

/// A log that the manifest does not name has no acknowledged writes.
fn check_new(directory: &dyn Directory, files: &Files, marks: LogMarks) -> io::Result<()> {
    let last = marks.begin.log;
    if let Some(number) = files.image().filter(|number| *number > last) {
        let (image, manifest) = (image_name(number), manifest::NAME);
        return Err(refuse(format!("{manifest} is older than {image}")));
    }
    for number in files.logs.iter().copied().filter(|number| *number > last) {
        let bytes = directory.read(&log_name(number), 0, u64::MAX)?;
        if replay::has_frames(number, &bytes)? || number > last + 1 {
            let (log, manifest) = (log_name(number), manifest::NAME);
            return Err(refuse(format!("{manifest} is older than {log}")));
        }
    }
    Ok(())
}

/// Checks that all logs after the image exist.
fn check_missing(files: &Files, first: u64, last: u64) -> io::Result<()> {
    let Some(missing) = (first..=last).find(|number| !files.logs.contains(number)) else {
        return Ok(());
    };
    let log = log_name(missing);
    let next = files.logs.iter().find(|number| **number > missing);
    Err(refuse(match next {
        Some(next) if missing == first => {
            format!("{log} is missing, and so is {}, which could replace it", image_name(next - 1))
        }
        Some(_) | None => format!("{log} is missing"),
    }))
}

/// Rewrites the data that may be in the page cache only, syncs everything, and removes obsolete
/// files.
fn settle(
    directory: &dyn Directory,
    files: &Files,
    marks: LogMarks,
    last: Option<&[u8]>,
) -> io::Result<Manifest> {
    let image = files.image();
    if let Some(number) = image {
        directory.open(&image_name(number))?.sync()?;
    }
    for number in files.logs.iter().filter(|number| Some(**number) > image) {
        let file = directory.open(&log_name(*number))?;
        // The logs before this one were synced before it was created.
        let is_last = *number == marks.begin.log && !marks.end.is_clean;
        if let Some(last) = last.filter(|_| is_last) {
            file.write_at(last, 0)?;
        }
        file.sync()?;
    }
    directory.sync()?;
    let manifest = Manifest::open(directory, marks)?;
    files.remove_before(directory, image)?;
    Ok(manifest)
}
