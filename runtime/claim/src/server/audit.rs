//! The audit log: a line of JSON for each change of a claim, with the owner, the time and the
//! client's address, and for each start and stop of the server.
//!
//! A line is written before its change is durable and before any client sees it, so that every
//! change has a line unless writing fails. The log is not synced.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use turnstile_core::claim::message::{RequestKind, TargetStatus};
use turnstile_core::claim::record::Status;

use super::auth::Identity;
use super::call::RequestOrigin;
use super::record::ClaimRecord;
use crate::wire::date::Date;
use turnstile_host::{Moment, at};

/// The request that causes a change, and its origin.
#[derive(Clone, Debug)]
pub(crate) struct AuditCause {
    identity: Identity,
    request: &'static str,
    /// The claim that the request names; `None` for a POST.
    claim: Option<u64>,
}

/// A change of a claim.
#[derive(Clone, Copy, Debug)]
pub(super) enum AuditedChange {
    Became(Status),
    /// The ttl was set to this many microseconds.
    Ttl(u64),
}

#[derive(Serialize)]
struct AuditLine<'a> {
    time: String,
    who: Option<&'a str>,
    from: Option<SocketAddr>,
    request: Option<&'static str>,
    /// The claim that the request names, if it is another one: the request has changed this claim
    /// as a consequence, for example promoted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_claim: Option<u64>,
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

impl AuditCause {
    pub(super) const fn new(identity: Identity, request: &'static str, claim: Option<u64>) -> Self {
        Self { identity, request, claim }
    }

    pub(super) fn of(ask: &RequestKind, origin: &RequestOrigin) -> Self {
        let (request, claim) = match ask {
            RequestKind::Post { .. } => ("POST", None),
            RequestKind::Ttl { claim } => ("PATCH ttl", Some(claim.number())),
            RequestKind::Status { claim, to } => {
                let request = match to {
                    TargetStatus::Active { .. } => "PATCH status=active",
                    TargetStatus::Released => "PATCH status=released",
                    TargetStatus::Aborted => "PATCH status=aborted",
                    TargetStatus::Withdrawn => "PATCH status=withdrawn",
                    TargetStatus::Revoked => "PATCH status=revoked",
                };
                (request, Some(claim.number()))
            }
        };
        Self::new(origin.identity.clone(), request, claim)
    }
}

/// Appends the line of a change.
pub(super) fn audit(
    lines: &mut Vec<u8>,
    now: Moment,
    cause: Option<&AuditCause>,
    (id, entry): (u64, &ClaimRecord),
    change: AuditedChange,
) {
    let identity = cause.map(|cause| &cause.identity);
    let (change, ttl_us, fencing_token) = match change {
        AuditedChange::Became(Status::Active) => ("active", None, entry.token),
        AuditedChange::Became(status) => (status.name(), None, None),
        AuditedChange::Ttl(ttl_us) => ("ttl", Some(ttl_us), None),
    };
    let line = AuditLine {
        time: Date(now.date_us).rfc3339(),
        who: identity.and_then(|identity| identity.name.as_deref()),
        from: identity.map(|identity| identity.from),
        request: cause.map(|cause| cause.request),
        request_claim: cause.and_then(|cause| cause.claim).filter(|claim| *claim != id),
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
pub struct Audit(Arc<Mutex<AuditFile>>);

#[derive(Debug)]
struct AuditFile {
    path: PathBuf,
    file: File,
    /// The last line was written only in part.
    is_torn: bool,
    /// The number of bytes that could not be written.
    lost: usize,
}

impl Audit {
    /// Opens a file for appending; if it does not exist, creates it with mode 0600.
    ///
    /// # Errors
    /// When the file cannot be opened or written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let (file, is_torn) = open(path)?;
        Ok(Self(Arc::new(Mutex::new(AuditFile { path: path.into(), file, is_torn, lost: 0 }))))
    }

    /// Reopens the file by its name, for all clones, after a log rotation.
    ///
    /// # Errors
    /// As [`Audit::open`]; the previous file then stays in use.
    pub fn reopen(&self) -> io::Result<()> {
        let mut log = self.log();
        (log.file, log.is_torn) = open(&log.path)?;
        Ok(())
    }

    /// Appends the line of a start or a stop of the server; `after` is how the process before it
    /// ended, if not by a clean stop.
    pub(super) fn write_server(&self, event: &str, after: Option<&str>, at_us: u64) {
        let (time, version) = (Date(at_us).rfc3339(), env!("CARGO_PKG_VERSION"));
        let mut line = serde_json::json!({ "time": time, "server": event, "version": version });
        if let Some(after) = after {
            line["after"] = after.into();
        }
        self.write(format!("{line}\n").as_bytes());
    }

    /// Appends complete lines. Bytes that cannot be written are lost; the program's log and the
    /// next line report them.
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
                    tracing::warn!(lost_bytes = log.lost, "the audit log is writable again");
                }
                (log.is_torn, log.lost) = (false, 0);
            }
            Some(error) => {
                if log.lost == 0 {
                    let path = log.path.display();
                    tracing::error!(%path, %error, "cannot write to the audit log: lines are lost");
                }
                log.is_torn |= taken > 0;
                log.lost += lines.len().min(text.len() - taken);
            }
        }
    }

    fn log(&self) -> MutexGuard<'_, AuditFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file, and whether its last line is incomplete.
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

/// The number of bytes written, and the error that stopped the write.
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
