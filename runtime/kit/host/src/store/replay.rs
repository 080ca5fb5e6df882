//! Reads the frames of logs, up to the end given by the chain.

use std::io;

use super::changes::Changes;
use super::directory::Directory;
use super::files::log_name;
use super::refusal::{self, refuse};
use crate::store::format::frame::{self, Position};
use crate::store::format::header::{HEADER_BYTES, Header, Kind, other_version};

/// The end of a log.
#[derive(Clone, Copy, Debug)]
pub(super) enum LogEnd {
    /// Exactly there: the next log says so. What follows was never acknowledged.
    At(Position),
    /// There or later: there is no next log.
    Behind(Position),
}

/// Reads all logs from `first` to `last`, which continue from `position`. Returns their changes and
/// the position of the chain at their end.
pub(super) fn logs(
    directory: &dyn Directory,
    mut position: Position,
    (first, last): (u64, u64),
    end: LogEnd,
) -> io::Result<(Changes, Position)> {
    let mut changes = Changes::default();
    for number in first..=last {
        let end = if number == last { end } else { LogEnd::At(begin(directory, number + 1)?) };
        position = log(directory, &mut changes, position, number, end)?;
    }
    changes.sort();
    Ok((changes, position))
}

/// The position from which a log continues, according to its header.
fn begin(directory: &dyn Directory, number: u64) -> io::Result<Position> {
    let bytes = read(directory, number, HEADER_BYTES as u64)?;
    header(number, &bytes).map(|header| header.position)
}

fn read(directory: &dyn Directory, number: u64, max: u64) -> io::Result<Vec<u8>> {
    let name = log_name(number);
    directory.read(&name, 0, max).map_err(|error| {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        if is_missing { refuse(format!("{name} is missing")) } else { error }
    })
}

pub(super) fn header(number: u64, bytes: &[u8]) -> io::Result<Header> {
    let header = Header::read(bytes);
    header.filter(|found| (found.kind, found.number) == (Kind::Log, number)).ok_or_else(|| {
        let name = log_name(number);
        match other_version(bytes) {
            Some(other) => refusal::of_version(&name, other),
            None if bytes.len() < HEADER_BYTES => refuse(format!("{name} is truncated")),
            None => refuse(format!("{name} is corrupt at byte 0")),
        }
    })
}

fn log(
    directory: &dyn Directory,
    changes: &mut Changes,
    after: Position,
    number: u64,
    end: LogEnd,
) -> io::Result<Position> {
    let name = log_name(number);
    let mut bytes = read(directory, number, u64::MAX)?;
    let header = header(number, &bytes)?;
    if header.position != after {
        return Err(refuse(not_continued(&name)));
    }
    let (mut rest, mut position) = (&bytes[HEADER_BYTES..], after);
    let (LogEnd::At(least) | LogEnd::Behind(least)) = end;
    let mut is_reached = position == least;
    while !(is_reached && matches!(end, LogEnd::At(_)))
        && let Some((entries, next)) = frame::take_next(&mut rest, &header.key, position)
    {
        changes.note(bytes.len() - rest.len() - entries.len(), entries)?;
        position = next;
        is_reached |= position == least;
    }
    let len = bytes.len() - rest.len();
    let is_torn = !matches!(end, LogEnd::At(_)) || !is_reached;
    if is_torn && frame::is_any_in(rest, &header.key, position) {
        let text = format!("{name} is corrupt at byte {len}, after frame {}", position.sequence);
        return Err(refuse(text));
    }
    if !is_reached {
        return Err(refuse(unreached(&name, len, position.sequence, least.sequence)));
    }
    bytes.truncate(len);
    changes.close(bytes);
    Ok(position)
}

fn not_continued(name: &str) -> String {
    format!(
        "{name} does not continue the files before it: it belongs to another store or to another \
         copy of this one"
    )
}

fn unreached(name: &str, len: usize, last: u64, least: u64) -> String {
    if last >= least {
        return not_continued(name);
    }
    format!(
        "{name} is truncated: it ends at byte {len} with frame {last}, but frame {least} was \
         acknowledged"
    )
}

/// Whether a log, whose header may be torn, has a frame.
pub(super) fn has_frames(number: u64, bytes: &[u8]) -> io::Result<bool> {
    if let Some(other) = other_version(bytes) {
        return Err(refusal::of_version(&log_name(number), other));
    }
    Ok(header(number, bytes).is_ok_and(|header| {
        let mut rest = &bytes[HEADER_BYTES..];
        frame::take_next(&mut rest, &header.key, header.position).is_some()
    }))
}
