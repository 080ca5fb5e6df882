//! The configuration of a server.

use std::path::PathBuf;
use std::time::Duration;

use turnstile_claim_core::record::Limits;
use turnstile_host::certificates::CertificateWatch;
use turnstile_host::{Trace, wall_us};

use super::audit::Audit;
use crate::server::access::auth::Tokens;
use crate::server::connections::slots::ConnectionLimits;
use crate::server::connections::tls::ServerTls;
use crate::server::state::retention::{Quotas, Retention};
use crate::server::web::host::{Hosts, PublicUrl};
use crate::wire::request::Bounds;

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The accepted tokens; if empty, no token is required.
    pub tokens: Tokens,
    /// The certificate; `None`: plain HTTP.
    pub tls: Option<ServerTls>,
    /// The certificates whose ends are among the metrics.
    pub certificates: CertificateWatch,
    /// The URL of a proxy in front of the server; `None`: URLs use the Host header.
    pub public_url: Option<PublicUrl>,
    /// The accepted Host headers besides `localhost`, IP addresses and the public URL's host. If
    /// empty: no others without tokens, all others with tokens.
    pub hosts: Hosts,
    /// The maximum number of wrong tokens per minute and address.
    pub wrong_tokens_max: u32,
    /// The audit log.
    pub audit: Option<Audit>,
    /// The core's limits.
    pub limits: Limits,
    /// The limits on fields of requests.
    pub bounds: Bounds,
    /// The maximum size of a request's body, in bytes.
    pub body_max: usize,
    /// The timeout for a request's header and for idle connections.
    pub header_timeout: Duration,
    /// The timeout for a request's body.
    pub body_timeout: Duration,
    /// The timeout for a client that does not read its response.
    pub write_timeout: Duration,
    /// The maximum time for which one request waits for a lock.
    pub wait_max: Duration,
    /// How long a waiting claim is kept without a request for it.
    pub unasked_max: Duration,
    /// The time after its `Claim-Timeout` in which a client can still withdraw its claim.
    pub leave_max: Duration,
    /// How long a lapsed claim stays active without a renewal or a contender.
    pub lapse_max: Duration,
    /// The maximum number of open connections. At the limit, a new one replaces the one for whose
    /// client the server has waited longest; it is rejected if all are processing requests.
    pub connections_max: usize,
    /// The maximum number of connections per IPv4 address or IPv6 /64 network. `None`: a quarter of
    /// all, and no limit for loopback.
    pub connections_per_address_max: Option<usize>,
    /// The limits on waiting and active claims.
    pub quotas: Quotas,
    /// How long a stopping server waits for its connections.
    pub drain_max: Duration,
    /// Reads the wall clock, in microseconds since the Unix epoch: at the start, and to check the
    /// expiry of tokens.
    pub wall_us: fn() -> u64,
    /// The store's directory, for the log.
    pub data: Option<PathBuf>,
    /// Whether the last process on this store was not shut down cleanly, for the audit log.
    pub is_after_unclean_stop: bool,
    /// The trace of the core's steps.
    pub trace: Option<Trace>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tokens: Tokens::default(),
            tls: None,
            certificates: CertificateWatch::default(),
            public_url: None,
            hosts: Hosts::default(),
            wrong_tokens_max: 10,
            audit: None,
            limits: Limits::DEFAULT,
            bounds: Bounds::default(),
            body_max: 64 << 10,
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            wait_max: Duration::from_secs(300),
            unasked_max: Duration::from_secs(3_600),
            leave_max: Duration::from_secs(10),
            lapse_max: Duration::from_secs(600),
            connections_max: 16_384,
            connections_per_address_max: None,
            quotas: Quotas::default(),
            drain_max: Duration::from_secs(10),
            wall_us,
            data: None,
            is_after_unclean_stop: false,
            trace: None,
        }
    }
}

impl Options {
    pub(super) fn audit_server(&self, event: &str, after: Option<&str>) {
        if let Some(audit) = &self.audit {
            audit.write_server(event, after, (self.wall_us)());
        }
    }

    pub(super) fn retention(&self, is_volatile: bool) -> Retention {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Retention {
            limits: self.limits,
            unasked_us: micros(self.unasked_max),
            leave_us: micros(self.leave_max),
            lapse_us: micros(self.lapse_max),
            quotas: self.quotas,
            waits_max: self.room().waits(),
            is_volatile,
            is_audited: self.audit.is_some(),
        }
    }

    pub(super) const fn room(&self) -> ConnectionLimits {
        ConnectionLimits { all: self.connections_max, address: self.connections_per_address_max }
    }
}
