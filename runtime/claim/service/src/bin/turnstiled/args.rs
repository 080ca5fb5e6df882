//! The arguments of `turnstiled`; their documentation is its help.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Parser};
use turnstile_claim::server::{PublicUrl, Quotas, read_name};
use turnstile_claim::wire::seconds;

#[cfg(feature = "cluster")]
use super::{command, member};

/// Claim server: grants locks as leases, with a first-in-first-out queue for each resource.
#[derive(Parser, Debug)]
#[command(version, group(ArgGroup::new("storage").required(true)))]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[cfg(feature = "cluster")]
    #[command(subcommand)]
    pub(crate) command: Option<command::ServerCommand>,
    /// The address to listen on; port 0 picks a free port. An address other than loopback requires
    /// --tls-cert and --tokens.
    #[arg(long, default_value = "127.0.0.1:5000", value_parser = read_address)]
    pub(crate) listen: SocketAddr,
    /// Stores claims in this directory, which is created if it does not exist. A response is sent
    /// after its changes are synced to disk.
    #[arg(long, group = "storage", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Keeps claims in memory only; they are lost when the server stops.
    #[arg(long, group = "storage")]
    pub(crate) in_memory: bool,
    /// Requires a bearer token from this file. Only the file's owner may have access to it (0600).
    ///
    /// The file is TOML: one table [[token]] for each token, with the keys name and secret and
    /// optionally comment, expires (a date such as 2030-12-31; the token is rejected from that day
    /// on) and operator (true or false). The owner of a claim is the name of the token that created
    /// it. Only tokens of that name and operator tokens may change the claim or read its user data.
    /// Several tokens may share a name. A file without tables has one token per line, without
    /// names; claims created with these have no owner, and every client may change them. SIGHUP
    /// reloads this file and all certificates; if a file is invalid, the error is logged and the
    /// previous content stays in use.
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// The maximum number of wrong tokens per minute and client address; one that is repeated
    /// counts once. Above it the server answers 429 to wrong tokens, and delays each answer by a
    /// second, except to requests with a token that this address has used successfully before.
    #[arg(long, value_name = "TOKENS", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) wrong_tokens_max: u32,
    /// Appends one line of JSON per change of a claim to this file: the owner, the change, the time
    /// and the client's address; and one for each start and stop of the server. SIGHUP reopens the
    /// file.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Answers 503 to requests for changes while no line can be written to the audit log, rather
    /// than make changes without a line. Lines of expiries are kept until they can be written.
    #[arg(long, requires = "audit")]
    pub(crate) audit_required: bool,
    /// The server's certificate chain (PEM); enables TLS.
    ///
    /// SIGHUP reloads it and its key for new connections. The log warns in the last 14 days of a
    /// certificate (of one that is valid for less than 42, in the last third), and has an error
    /// once it has expired: at the start, on SIGHUP, and once a day. The metric
    /// turnstile_certificate_not_after_timestamp_seconds has the end of each certificate of the
    /// server, of the member and of the authorities of --peer-tls.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// The URL of a reverse proxy in front of the server, such as https://locks.example. URLs in
    /// responses start with it, and form posts with this origin are accepted. Headers such as
    /// X-Forwarded-For are ignored.
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<PublicUrl>,
    /// A name that is accepted in the Host header; may be repeated. `localhost`, IP addresses and
    /// the host of --public-url are always accepted. Without --host, other names are accepted only
    /// if --tokens is given.
    #[arg(long, value_name = "NAME", value_parser = read_name)]
    pub(crate) host: Vec<String>,
    /// The minimum ttl of a claim, in seconds; a shorter one is answered with 400.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "0")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) ttl_min: Duration,
    /// The maximum ttl of a claim, in seconds; a longer one is answered with 400.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "31622400")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) ttl_max: Duration,
    /// The maximum time for which one request waits for a lock (long poll), in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "300")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) wait_max: Duration,
    /// A waiting claim expires when no request has been made for it in this time, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "3600")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) unasked_max: Duration,
    /// A claim whose ttl has lapsed expires when it is not renewed in this time, in seconds. It
    /// expires earlier when another client claims its resource.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "600")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) lapse_max: Duration,
    /// The maximum number of claims that wait for one resource; a further one is answered with 429.
    #[arg(long, value_name = "CLAIMS", default_value_t = 10_000)]
    #[arg(value_parser = at_least_one)]
    pub(crate) waiters_max: usize,
    /// The maximum number of waiting and active claims; a further one is answered with 429.
    #[arg(long, value_name = "CLAIMS", default_value_t = Quotas::default().claims_max)]
    #[arg(value_parser = at_least_one)]
    pub(crate) claims_max: usize,
    /// The maximum number of waiting and active claims per owner (token name); then 429.
    #[arg(long, value_name = "CLAIMS", default_value_t = Quotas::default().claims_per_owner_max)]
    #[arg(value_parser = at_least_one)]
    pub(crate) claims_per_owner_max: usize,
    /// The maximum number of finished claims that are kept; the oldest are deleted first.
    #[arg(long, value_name = "CLAIMS", default_value_t = 100_000)]
    pub(crate) finished_max: usize,
    /// The maximum size of a request's body, in bytes; a larger one is answered with 413.
    #[arg(long, value_name = "BYTES", default_value_t = 65_536)]
    #[arg(value_parser = at_least_one)]
    pub(crate) body_max: usize,
    /// The maximum length of a resource's name, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 1_024)]
    #[arg(value_parser = at_least_one)]
    pub(crate) resource_max: usize,
    /// The maximum size of a claim's user data, in bytes of JSON.
    #[arg(long, value_name = "BYTES", default_value_t = 16_384)]
    pub(crate) user_data_max: usize,
    /// The maximum number of open connections; the limit on open files may lower it. At the limit,
    /// a new connection replaces the one that has been longest without a complete request; if every
    /// connection has a request in progress, the new one is answered with 503. At most seven
    /// eighths of the connections wait for a lock; further long polls are answered at once.
    #[arg(long, value_name = "CONNECTIONS", default_value_t = 16_384)]
    #[arg(value_parser = at_least_one)]
    pub(crate) connections_max: usize,
    /// The maximum number of connections per IPv4 address or IPv6 /64 network; at the limit, a new
    /// connection replaces another of the same address. Default: a quarter of --connections-max;
    /// no limit for loopback.
    #[arg(long, value_name = "CONNECTIONS")]
    #[arg(value_parser = at_least_one)]
    pub(crate) connections_per_address_max: Option<usize>,
    /// The timeout for receiving a request's header, for receiving its body, and for a client that
    /// does not read its response, in seconds each.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "30")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) patience: Duration,
    /// Appends each step of the core to this file as a line of JSON, for `turnstile replay`. An
    /// existing trace is continued; a file that is not a trace is refused.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub(crate) member: member::MemberArgs,
    /// Writes the log as JSON. TURNSTILE_LOG sets the level: off, error, warn, info (the default),
    /// debug or trace.
    #[arg(long)]
    pub(crate) log_json: bool,
}

/// Parses a limit without which the server would refuse every request.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses the value of `--listen`.
fn read_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = text.rsplit(':').next().filter(|port| port.parse::<u16>().is_ok());
        let port = port.unwrap_or("5000");
        format!("expected an IP address and a port, such as 127.0.0.1:{port} or [::1]:{port}")
    })
}
