//! The server's metrics in the Prometheus text format.
//!
//! Counters only grow; gauges are read when the metrics are rendered.

use std::fmt::Write as _;

use turnstile_core::claim::record::Status;
use turnstile_host::Counts;

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
            let head = format!("# HELP turnstile_{name} {help}\n# TYPE turnstile_{name} {kind}\n");
            text.push_str(&head);
            for (label, value) in values {
                writeln!(text, "turnstile_{name}{label} {value}").expect("a string takes it");
            }
        };
        let one = |value: u64| [(String::new(), value)];
        let became: Vec<(String, u64)> = Status::ALL
            .into_iter()
            .map(|status| (format!("{{status=\"{status}\"}}"), self.became[status as usize]))
            .collect();
        let answers: Vec<(String, u64)> =
            (2..6).map(|class| (format!("{{class=\"{class}xx\"}}"), self.answers[class])).collect();
        put("claims_became_total", "counter", "Transitions of claims to each status.", &became);
        put("answers_total", "counter", "Responses of the core, by status class.", &answers);
        put(
            "rows_total",
            "counter",
            "Rows of the transition table taken.",
            &one(gauges.counts.rows),
        );
        put(
            "unexpected_total",
            "counter",
            "Unhandled events: no row matched.",
            &one(gauges.counts.unexpected),
        );
        put("commits_total", "counter", "Commits to the store.", &one(gauges.commits));
        put("list_slices_total", "counter", "Slices read for lists.", &one(self.slices));
        put("list_claims_total", "counter", "Claims scanned for lists.", &one(self.scanned));
        put("list_chunks_total", "counter", "Body chunks produced for lists.", &one(self.chunks));
        let max = one(self.slice_claims_max);
        put("list_slice_claims_max", "gauge", "Claims scanned in the largest slice.", &max);
        put(
            "claims",
            "gauge",
            "Claims in the store, finished ones included.",
            &one(gauges.claims as u64),
        );
        put("claims_live", "gauge", "Claims that are waiting or active.", &one(gauges.live as u64));
        put("calls_open", "gauge", "Requests without a response yet.", &one(gauges.calls as u64));
        let closed = one(gauges.made_room);
        put("connections_closed_total", "counter", "Connections closed to make room.", &closed);
        put("connections", "gauge", "Open connections.", &one(gauges.connections as u64));
        text
    }
}
