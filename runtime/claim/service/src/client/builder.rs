//! The configuration of a client.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use turnstile_host::Trace;

use super::clock::Clock;
use super::error::Error;
use super::inherited::InheritedClaims;
use super::retry_policy::Rng;
use crate::client::requests::connect::Connector;
use crate::client::requests::redact::redacted;
use crate::client::requests::server_address::no_url;

/// The default ttl of a claim.
const TTL: Duration = Duration::from_secs(60);

/// The configuration of a client, and the defaults of its claims.
#[derive(Clone)]
pub struct LockClientBuilder {
    /// The server's URL, or those of all servers of one service, such as the members of a cluster:
    /// a request that one does not answer is repeated at the next.
    pub urls: Vec<String>,
    /// The protocol version: the first segment of the API's path.
    pub version: String,
    /// The bearer token.
    pub token: Option<String>,
    /// Opens connections to the server.
    pub connector: Connector,
    /// The default duration of a lease without a renewal.
    pub ttl: Duration,
    /// The default time to wait for a lock; `None`: no limit.
    pub timeout: Option<Duration>,
    /// The clock.
    pub clock: Clock,
    /// The random numbers for jitter and idempotency keys.
    pub rng: Rng,
    /// The trace of the core's steps.
    pub trace: Option<Trace>,
    /// The locks that this program runs under; claiming one of them is refused.
    pub held: InheritedClaims,
}

impl fmt::Debug for LockClientBuilder {
    /// Without the token, and without passwords of URLs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: Vec<String> = self.urls.iter().map(|url| redacted(url)).collect();
        let mut shown = f.debug_struct("LockClientBuilder");
        shown.field("urls", &urls).field("version", &self.version);
        shown.field("has_token", &self.token.is_some()).field("connector", &self.connector);
        shown.field("ttl", &self.ttl).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl LockClientBuilder {
    /// A configuration for the server at this URL.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self::for_servers([url])
    }

    /// A configuration for a service of several servers, such as a cluster, whose URLs have the
    /// same scheme and path. The first one is asked first.
    #[must_use]
    pub fn for_servers(urls: impl IntoIterator<Item: Into<String>>) -> Self {
        Self {
            urls: urls.into_iter().map(Into::into).collect(),
            version: "v1".into(),
            token: None,
            connector: Connector::default(),
            ttl: TTL,
            timeout: None,
            clock: Clock::default(),
            rng: Rng::from_entropy(),
            trace: None,
            held: InheritedClaims::default(),
        }
    }

    /// A configuration from `TURNSTILE_URL`, which may have several URLs separated by spaces,
    /// `TURNSTILE_TOKEN`, `TURNSTILE_CA` and, for the locks that this program runs under,
    /// `CLAIM_HELD`.
    ///
    /// # Errors
    /// When `TURNSTILE_URL` is not set.
    pub fn from_environment() -> Result<Self, Error> {
        let urls = std::env::var("TURNSTILE_URL").unwrap_or_default();
        if urls.trim().is_empty() {
            return Err(no_url().into());
        }
        Ok(Self::from_list(&urls))
    }

    /// A configuration for the servers at these URLs, separated by spaces, with the environment as
    /// in [`in_environment`](Self::in_environment).
    #[must_use]
    pub fn from_list(urls: &str) -> Self {
        // A password may have a space: then it is one URL, which is refused.
        if urls.contains('@') {
            return Self::in_environment([urls]);
        }
        Self::in_environment(urls.split_whitespace())
    }

    /// A configuration for the servers at these URLs, with `TURNSTILE_TOKEN`, `TURNSTILE_CA` and
    /// `CLAIM_HELD` from the environment.
    #[must_use]
    pub fn in_environment(urls: impl IntoIterator<Item: Into<String>>) -> Self {
        let mut builder = Self::for_servers(urls);
        builder.token = std::env::var("TURNSTILE_TOKEN").ok();
        // A URL with anything to hide is refused later.
        let shown: Vec<String> = builder.urls.iter().map(|url| redacted(url)).collect();
        builder.held = InheritedClaims::inherit(&shown);
        if let Some(authority) = std::env::var_os("TURNSTILE_CA") {
            builder.connector = builder.connector.trusting(PathBuf::from(authority));
        }
        builder
    }
}
