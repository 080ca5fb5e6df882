//! The audit log: who has changed which claim, when and from where, a line of JSON for each change.
//!
//! A line is written before its change is on disk and before anybody is told of it, so that no
//! change lacks its line unless the medium refuses it. It is not synced of its own.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use turnstile_core::claim::message::{Ask, Asked};
use turnstile_core::claim::record::Status;

use super::auth::Identity;
use super::call::Origin;
use super::entry::Entry;
use crate::wire::date::Date;
use turnstile_host::{Moment, at};

/// Whose request is carried out, and which.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    identity: Identity,
    request: &'static str,
}

/// What is new of a claim.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Became(Status),
    /// Its ttl is counted anew, with so many microseconds.
    Ttl(u64),
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    who: Option<&'a str>,
    from: Option<SocketAddr>,
    request: Option<&'static str>,
    claim: u64,
    resource: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fencing_token: Option<u64>,
}

impl Cause {
    pub(super) const fn new(identity: Identity, request: &'static str) -> Self {
        Self { identity, request }
    }

    pub(super) fn of(ask: &Ask, origin: &Origin) -> Self {
        let request = match ask {
            Ask::Post { .. } => "POST",
            Ask::Ttl { .. } => "PATCH ttl",
            Ask::Status { claim: _, to } => match to {
                Asked::Active { .. } => "PATCH status=active",
                Asked::Released => "PATCH status=released",
                Asked::Aborted => "PATCH status=aborted",
                Asked::Withdrawn => "PATCH status=withdrawn",
                Asked::Revoked => "PATCH status=revoked",
            },
        };
        Self::new(origin.identity.clone(), request)
    }
}

/// Appends the line of a change that has just been made.
pub(super) fn audit(
    lines: &mut Vec<u8>,
    now: Moment,
    cause: Option<&Cause>,
    (id, entry): (u64, &Entry),
    change: Change,
) {
    let identity = cause.map(|cause| &cause.identity);
    let (change, ttl_us, fencing_token) = match change {
        Change::Became(Status::Active) => ("active", None, entry.token),
        Change::Became(status) => (status.name(), None, None),
        Change::Ttl(ttl_us) => ("ttl", Some(ttl_us), None),
    };
    let line = Line {
        time: Date(now.date_us).rfc3339(),
        who: identity.and_then(|identity| identity.name.as_deref()),
        from: identity.map(|identity| identity.from),
        request: cause.map(|cause| cause.request),
        claim: id,
        resource: &entry.resource,
        owner: entry.owner.as_deref(),
        change,
        ttl: ttl_us.map(|ttl_us| ttl_us as f64 / 1e6),
        fencing_token,
    };
    serde_json::to_writer(&mut *lines, &line).expect("a line is plain data");
    lines.push(b'\n');
}

/// The file of the audit log. Clones share it.
#[derive(Clone, Debug)]
pub struct Audit(Arc<Mutex<Log>>);

#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: File,
    /// The medium has taken the beginning of a line and not its end.
    is_torn: bool,
    /// So many bytes of lines were refused, and are not in the file.
    lost: usize,
}

impl Audit {
    /// Opens a file to append to, and makes it if need be, for its owner alone.
    ///
    /// # Errors
    /// When it cannot be opened, or not be written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let (file, is_torn) = open(path)?;
        Ok(Self(Arc::new(Mutex::new(Log { path: path.into(), file, is_torn, lost: 0 }))))
    }

    /// Opens the file again by its name, for all clones: it may have been moved away.
    ///
    /// # Errors
    /// As [`Audit::open`]; lines then go where they went before.
    pub fn reopen(&self) -> io::Result<()> {
        let mut log = self.log();
        (log.file, log.is_torn) = open(&log.path)?;
        Ok(())
    }

    /// Appends whole lines. What the medium refuses is lost, and the log and the next line say so.
    pub(super) fn write(&self, lines: &[u8]) {
        if lines.is_empty() {
            return;
        }
        let mut log = self.log();
        let mut text = Vec::new();
        if log.is_torn {
            text.push(b'\n');
        }
        if log.lost > 0 {
            let time = Date(turnstile_host::wall_us()).rfc3339();
            let line = serde_json::json!({ "time": time, "lost_bytes": log.lost });
            text.extend_from_slice(format!("{line}\n").as_bytes());
        }
        text.extend_from_slice(lines);
        let (taken, error) = append(&log.file, &text);
        match error {
            None => {
                if log.lost > 0 {
                    tracing::warn!(lost_bytes = log.lost, "the audit log takes lines again");
                }
                (log.is_torn, log.lost) = (false, 0);
            }
            Some(error) => {
                if log.lost == 0 {
                    let path = log.path.display();
                    tracing::error!(%path, %error, "the audit log refuses lines: they are lost");
                }
                log.is_torn |= taken > 0;
                log.lost += lines.len().min(text.len() - taken);
            }
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file, and whether its last line has no end.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let mut options = File::options();
    options.append(true).create(true).mode(0o600);
    let file = options.open(path).map_err(at(path.display()))?;
    let mut last = [b'\n'];
    if file.metadata()?.is_file() && file.metadata()?.len() > 0 {
        let mut file = File::open(path).map_err(at(path.display()))?;
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok((file, last != [b'\n']))
}

/// How much of it was taken, and why no more.
fn append(mut file: &File, text: &[u8]) -> (usize, Option<io::Error>) {
    let mut taken = 0;
    while taken < text.len() {
        match file.write(&text[taken..]) {
            Ok(0) => return (taken, Some(io::ErrorKind::WriteZero.into())),
            Ok(len) => taken += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (taken, Some(error)),
        }
    }
    (taken, None)
}
