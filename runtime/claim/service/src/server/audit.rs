//! The audit log: a line of JSON for each change of a claim, with the owner, the time and the
//! client's address, and for each start and stop of the server.
//!
//! A line is written before its change is durable and before any client sees it, so that every
//! change has a line unless writing fails. The log is not synced.

mod cause;
mod file;
mod line;

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use turnstile_claim_core::record::Status;

pub(super) use self::cause::AuditCause;
use self::file::AuditFile;
use self::line::put_line;
use crate::server::state::record::ClaimRecord;
use crate::wire::date::Date;
use turnstile_host::Moment;

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
    put_line(lines, &line);
}

/// The file of the audit log. Clones share it.
#[derive(Clone, Debug)]
pub struct Audit(Arc<Mutex<AuditFile>>);

/// What the metrics say of the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AuditHealth {
    /// The lines that were lost since the start.
    pub(crate) lost_lines: u64,
    /// Whether the last line could not be written.
    pub(crate) is_failing: bool,
}

impl Audit {
    /// Opens a file for appending; if it does not exist, creates it with mode 0600.
    ///
    /// # Errors
    /// When the file cannot be opened or written.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(AuditFile::open(path)?))))
    }

    /// The same, for a server that answers 503 to requests for changes while no line can be
    /// written. Lines that cannot be written, such as those of expiries, are kept until they can.
    #[must_use]
    pub fn required(self) -> Self {
        self.file().is_required = true;
        self
    }

    /// Reopens the file by its name, for all clones, after a log rotation.
    ///
    /// # Errors
    /// As [`Audit::open`]; the previous file then stays in use.
    pub fn reopen(&self) -> io::Result<()> {
        self.file().reopen()
    }

    /// Appends the line of a start or a stop of the server; `after` is how the process before it
    /// ended, if not by a clean stop.
    pub(super) fn write_server(&self, event: &str, after: Option<&str>, at_us: u64) {
        let (time, version) = (Date(at_us).rfc3339(), env!("CARGO_PKG_VERSION"));
        let mut line = serde_json::json!({ "time": time, "server": event, "version": version });
        if let Some(after) = after {
            line["after"] = after.into();
        }
        let mut lines = Vec::new();
        put_line(&mut lines, &line);
        self.write(&lines);
    }

    /// Appends complete lines.
    pub(super) fn write(&self, lines: &[u8]) {
        if !lines.is_empty() {
            self.file().write(lines);
        }
    }

    /// Whether requests for changes are refused now. Tries to write the lines that are kept.
    pub(super) fn refuses(&self) -> bool {
        let mut file = self.file();
        if file.is_required && file.is_failing {
            file.write(&[]);
        }
        file.is_required && file.is_failing
    }

    pub(super) fn health(&self) -> AuditHealth {
        let file = self.file();
        AuditHealth { lost_lines: file.lost_in_all, is_failing: file.is_failing }
    }

    fn file(&self) -> MutexGuard<'_, AuditFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
