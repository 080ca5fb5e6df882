//! The server's metrics in the Prometheus text format.
//!
//! Counters only grow; gauges are read when the metrics are rendered.

use std::fmt::{Display, Write as _};

use turnstile_claim_core::record::Status;
use turnstile_host::Counts;
use turnstile_host::certificates::Certificate;

use crate::server::audit::AuditHealth;

/// Counts since the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metrics {
    became: [u64; Status::ALL.len()],
    answers: [u64; 6],
    slices: u64,
    slice_claims_max: u64,
    scanned: u64,
    chunks: u64,
}

/// The current values of gauges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gauges {
    pub(crate) claims: usize,
    pub(crate) live: usize,
    pub(crate) calls: usize,
    pub(crate) connections: usize,
    pub(crate) made_room: u64,
    pub(crate) commits: u64,
    pub(crate) counts: Counts,
    /// `None`: there is no audit log.
    pub(crate) audit: Option<AuditHealth>,
}

impl Metrics {
    pub(crate) fn became(&mut self, status: Status) {
        self.became[status as usize] += 1;
    }

    pub(crate) fn answered(&mut self, status: u16) {
        self.answers[usize::from(status / 100).min(5)] += 1;
    }

    /// Counts a slice of a listing: the claims that it scanned, and whether the response is
    /// complete.
    pub(crate) fn listed(&mut self, claims: usize, sends: bool) {
        self.slices += 1;
        self.scanned += claims as u64;
        self.slice_claims_max = self.slice_claims_max.max(claims as u64);
        self.chunks += u64::from(sends);
    }

    pub(crate) fn render(&self, gauges: Gauges) -> String {
        let mut text = String::new();
        let mut put = |name: &str, kind: &str, help: &str, values: &[(String, u64)]| {
            put(&mut text, name, kind, help, values);
        };
        let became: Vec<(String, u64)> = Status::ALL
            .into_iter()
            .map(|status| (format!("{{status=\"{status}\"}}"), self.became[status as usize]))
            .collect();
        let answers: Vec<(String, u64)> =
            (2..6).map(|class| (format!("{{class=\"{class}xx\"}}"), self.answers[class])).collect();
        put(
            "claims_became_total",
            "counter",
            "Changes of claims to each status, such as active or expired.",
            &became,
        );
        put(
            "answers_total",
            "counter",
            "Responses to requests about claims, by class of HTTP status.",
            &answers,
        );
        let counts = gauges.counts;
        let (claims, live) = (gauges.claims as u64, gauges.live as u64);
        let (calls, connections) = (gauges.calls as u64, gauges.connections as u64);
        let (largest, closed) = (self.slice_claims_max, gauges.made_room);
        let single = [
            ("commits_total", "counter", "Groups of changes synced to disk.", gauges.commits),
            ("rows_total", "counter", "Steps of the protocol, of all claims.", counts.rows),
            ("unexpected_total", "counter", "Internal errors: report these.", counts.unexpected),
            ("list_slices_total", "counter", "Portions of lists that were read.", self.slices),
            ("list_claims_total", "counter", "Claims read to answer lists.", self.scanned),
            ("list_chunks_total", "counter", "Portions of lists that were sent.", self.chunks),
            ("list_slice_claims_max", "gauge", "Claims in the largest portion of a list.", largest),
            ("claims", "gauge", "Claims that the server keeps, ended ones included.", claims),
            ("claims_live", "gauge", "Claims that are waiting or active.", live),
            ("calls_open", "gauge", "Requests in progress, long polls included.", calls),
            ("connections_closed_total", "counter", "Connections closed at a limit.", closed),
            ("connections", "gauge", "Open connections.", connections),
        ];
        for (name, kind, help, value) in single {
            put(name, kind, help, &[(String::new(), value)]);
        }
        if let Some(AuditHealth { lost_lines, is_failing }) = gauges.audit {
            let help = "Lines of the audit log that could not be written, and are lost.";
            put("audit_lost_lines_total", "counter", help, &[(String::new(), lost_lines)]);
            let help = "Whether the last line of the audit log could not be written.";
            put("audit_failing", "gauge", help, &[(String::new(), u64::from(is_failing))]);
        }
        text
    }
}

/// The ends of certificates.
pub(crate) fn of_certificates(certificates: &[Certificate]) -> String {
    let end = |one: &Certificate| {
        let (file, usage) = (escaped(&one.file.to_string_lossy()), one.usage);
        let label = format!("{{usage=\"{usage}\",file=\"{file}\",number=\"{}\"}}", one.number);
        (label, one.not_after_s)
    };
    let ends: Vec<(String, u64)> = certificates.iter().map(end).collect();
    let mut text = String::new();
    if !ends.is_empty() {
        let help = "The end of validity of each certificate in use, in seconds since the epoch.";
        put(&mut text, "certificate_not_after_timestamp_seconds", "gauge", help, &ends);
    }
    text
}

/// The value of a label.
fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

/// Appends a metric. Its unit, in its name, is a base unit: seconds or bytes.
pub(crate) fn put<T: Display>(
    text: &mut String,
    name: &str,
    kind: &str,
    help: &str,
    values: &[(String, T)],
) {
    let head = format!("# HELP turnstile_{name} {help}\n# TYPE turnstile_{name} {kind}\n");
    text.push_str(&head);
    for (label, value) in values {
        writeln!(text, "turnstile_{name}{label} {value}").expect("a string takes it");
    }
}

#[cfg(test)]
mod tests {
    use crate::server::web::metrics::*;

    #[test]
    fn the_path_of_a_certificate_is_the_value_of_a_label() {
        let certificate = |file: &str, number| Certificate {
            usage: "server",
            file: file.into(),
            number,
            subject: String::new(),
            not_before_s: 0,
            not_after_s: 1_795_953_600,
        };
        let text = of_certificates(&[certificate("/a", 1), certificate("\"\n\\", 2)]);
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let name = "turnstile_certificate_not_after_timestamp_seconds";
        let expected = [
            format!(r#"{name}{{usage="server",file="/a",number="1"}} 1795953600"#),
            format!(r#"{name}{{usage="server",file="\"\n\\",number="2"}} 1795953600"#),
        ];
        assert_eq!(lines, expected);
        assert_eq!(of_certificates(&[]), "");
    }
}
