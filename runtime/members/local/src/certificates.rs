//! The certificates of a member: those of its option `--tls CERT KEY CA`, read again at SIGHUP.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use turnstile_host::certificates::CertificateWatch;
use turnstile_host::transport::tcp::Tls;
use turnstile_host::wall_us;

use crate::program::Failure;

const DAY_S: u64 = 86_400;

/// The certificates of a member, which may have none.
#[derive(Clone, Debug, Default)]
pub struct MemberCertificates {
    tls: Option<Tls>,
    watch: CertificateWatch,
}

impl MemberCertificates {
    /// Reads the files of `--tls`: certificate, key and authorities. Each SIGHUP reads them again,
    /// for new connections, and a warning says when one of them expires soon. Without files SIGHUP
    /// does nothing. Needs a tokio runtime.
    ///
    /// # Errors
    /// When a file cannot be read or used.
    pub fn start(files: Option<&[PathBuf]>) -> Result<Self, Failure> {
        let hangup = signal(SignalKind::hangup())?;
        let mut certificates = Self::default();
        if let Some([certificate, key, authority]) = files {
            let failed = |error| Failure::Unavailable(format!("--tls {error}"));
            let tls = Tls::read(certificate, key, authority).map_err(failed)?;
            certificates.watch.add("--tls", tls.files());
            certificates.tls = Some(tls);
        }
        let watch = certificates.watch.clone();
        tokio::spawn(async move { watch.reload_on(hangup).await });
        Ok(certificates)
    }

    /// What the member shows, and whom it trusts.
    #[must_use]
    pub const fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    /// Their ends, for the status of the member.
    #[must_use]
    pub fn json(&self) -> Value {
        let certificates = self.watch.certificates();
        let list = certificates.iter().map(|one| {
            json!({
                "usage": one.usage,
                "file": one.file.to_string_lossy(),
                "number": one.number,
                "subject": one.subject,
                "not_after_s": one.not_after_s,
            })
        });
        list.collect()
    }

    /// [`MemberCertificates::json`] as text for people: a line for each certificate.
    #[must_use]
    pub fn text(json: &Value) -> String {
        let now_s = wall_us() / 1_000_000;
        let mut out = String::new();
        for one in json.as_array().into_iter().flatten() {
            let [usage, file] = ["usage", "file"].map(|key| one[key].as_str().unwrap_or_default());
            let end_s = one["not_after_s"].as_u64().unwrap_or_default();
            let end = match end_s.checked_sub(now_s) {
                Some(left_s) => format!("expires in {} days", left_s / DAY_S),
                None => "has expired".to_owned(),
            };
            let _written = writeln!(out, "{file}, certificate {}, {usage}: {end}", one["number"]);
        }
        out
    }
}
