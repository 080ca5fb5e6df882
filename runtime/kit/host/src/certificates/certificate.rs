//! A certificate of a file: whose it is, and how long it is valid.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_rustls::rustls::pki_types::CertificateDer;
use x509_cert::der::{DateTime, Decode as _};

const DAY_S: u64 = 86_400;

/// A certificate expires soon from this time before its end.
const ENDING_S: u64 = 14 * DAY_S;

/// One that is valid for less than three times [`ENDING_S`] expires soon in this part of its
/// validity, the last third.
const ENDING_PART: u64 = 3;

/// A certificate in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Who shows it, or what it is trusted for: `server`, `peer` or `peer-authority`.
    pub usage: &'static str,
    /// The file.
    pub file: PathBuf,
    /// Its place in the file, from 1.
    pub number: usize,
    /// Its owner, as in RFC 4514: `CN=host,O=example`.
    pub subject: String,
    /// When it begins to be valid, in seconds since the Unix epoch.
    pub not_before_s: u64,
    /// The last second in which it is valid, in seconds since the Unix epoch.
    pub not_after_s: u64,
}

/// Where a time is in the validity of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lifetime {
    /// Before it.
    NotYet,
    /// Within it.
    Valid,
    /// In its last 14 days, or in its last third if it has less than 42.
    Ending,
    /// After it.
    Expired,
}

impl Certificate {
    /// The certificates of a file that could be parsed. TLS may accept others, too: a warning names
    /// them.
    #[must_use]
    pub fn of_file(
        usage: &'static str,
        file: &Path,
        certificates: &[CertificateDer<'_>],
    ) -> Vec<Self> {
        let mut found = Vec::new();
        for (number, certificate) in (1..).zip(certificates) {
            match x509_cert::Certificate::from_der(certificate) {
                Ok(parsed) => found.push(Self::new(usage, file, number, &parsed)),
                Err(error) => {
                    let file = file.display();
                    let text = "the end of a certificate is not known: it cannot be parsed";
                    tracing::warn!(usage, %file, number, %error, "{text}");
                }
            }
        }
        found
    }

    fn new(
        usage: &'static str,
        file: &Path,
        number: usize,
        parsed: &x509_cert::Certificate,
    ) -> Self {
        let (tbs, file) = (parsed.tbs_certificate(), file.to_owned());
        let (validity, subject) = (tbs.validity(), tbs.subject().to_string());
        let [not_before_s, not_after_s] =
            [validity.not_before, validity.not_after].map(|time| time.to_unix_duration().as_secs());
        Self { usage, file, number, subject, not_before_s, not_after_s }
    }

    /// Where a time, in seconds since the Unix epoch, is in its validity.
    #[must_use]
    pub const fn lifetime(&self, now_s: u64) -> Lifetime {
        if now_s < self.not_before_s {
            return Lifetime::NotYet;
        }
        if now_s > self.not_after_s {
            return Lifetime::Expired;
        }
        let part_s = self.not_after_s.saturating_sub(self.not_before_s) / ENDING_PART;
        let ending_s = if part_s < ENDING_S { part_s } else { ENDING_S };
        if self.not_after_s - now_s < ending_s { Lifetime::Ending } else { Lifetime::Valid }
    }

    /// Logs what is wrong with it at this time, in seconds since the Unix epoch.
    pub(super) fn log(&self, now_s: u64) {
        let Self { usage, file, number, subject, .. } = self;
        let (file, not_after) = (file.display(), date(self.not_after_s));
        match self.lifetime(now_s) {
            Lifetime::Valid => {}
            Lifetime::NotYet => {
                let not_before = date(self.not_before_s);
                let text = "the certificate is not valid yet: is the clock of this machine right?";
                tracing::warn!(usage, %file, number, subject, not_before, "{text}");
            }
            Lifetime::Ending => {
                let days = (self.not_after_s - now_s) / DAY_S;
                let text = "the certificate expires soon: replace it in its file and send SIGHUP";
                tracing::warn!(usage, %file, number, subject, not_after, days, "{text}");
            }
            Lifetime::Expired => {
                let text = "the certificate has expired, and connections that need it are \
                            refused: replace it in its file and send SIGHUP";
                tracing::error!(usage, %file, number, subject, not_after, "{text}");
            }
        }
    }
}

/// The date of a time, in seconds since the Unix epoch.
fn date(time_s: u64) -> String {
    let date = DateTime::from_unix_duration(Duration::from_secs(time_s));
    // Of a certificate that could be parsed it is a date.
    date.map_or_else(|_| time_s.to_string(), |date| date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(days: u64, expected: &[(u64, Lifetime)]) {
        let certificate = Certificate {
            usage: "server",
            file: "file".into(),
            number: 1,
            subject: String::new(),
            not_before_s: DAY_S,
            not_after_s: (1 + days) * DAY_S,
        };
        for (now_s, lifetime) in expected {
            assert_eq!(certificate.lifetime(*now_s), *lifetime, "{days} days, at {now_s}");
        }
    }

    #[test]
    fn a_certificate_ends_soon_in_its_last_14_days_or_its_last_third() {
        let end = 366 * DAY_S;
        check(
            365,
            &[
                (DAY_S - 1, Lifetime::NotYet),
                (DAY_S, Lifetime::Valid),
                (end - 14 * DAY_S, Lifetime::Valid),
                (end - 14 * DAY_S + 1, Lifetime::Ending),
                (end, Lifetime::Ending),
                (end + 1, Lifetime::Expired),
            ],
        );
        check(6, &[(5 * DAY_S, Lifetime::Valid), (5 * DAY_S + 1, Lifetime::Ending)]);
        check(
            0,
            &[(0, Lifetime::NotYet), (DAY_S, Lifetime::Valid), (DAY_S + 1, Lifetime::Expired)],
        );
    }

    #[test]
    fn a_date_reads_as_one() {
        assert_eq!(date(1_795_953_600), "2026-11-29T12:00:00Z");
        assert_eq!(date(u64::MAX), u64::MAX.to_string());
    }
}
