//! `turnstiled`: the claim server's command line. It reads options and opens the server.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Parser};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;
use turnstile_claim::server::{
    Audit, Hosts, Options, PublicUrl, Quotas, Server, ServerTls, Storage, Tokens, read_name,
    runtime,
};
use turnstile_claim::wire::seconds;
use turnstile_host::Trace;
use turnstile_host::store::LogStore;

/// Connections never take the last of the file descriptors.
const DESCRIPTORS_KEPT: u64 = 64;

/// Serves claims: locks as leases that are queued for, renewed, and lapse.
#[derive(Parser, Debug)]
#[command(version, group(ArgGroup::new("storage").required(true)))]
struct Args {
    /// Where to listen; port 0 takes any. Beyond loopback TLS and tokens are required.
    #[arg(long, default_value = "127.0.0.1:5000")]
    listen: SocketAddr,
    /// Keeps claims in this directory; an answer is sent once what it says is on disk.
    #[arg(long, group = "storage", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Keeps claims nowhere.
    #[arg(long, group = "storage")]
    in_memory: bool,
    /// Requires one of the bearer tokens of this file, which nobody but its owner may read.
    ///
    /// It has tables as TOML writes them, each with a header [[token]] and lines such as
    /// name = "ci", secret = "...", and perhaps comment = "...", expires = 2030-12-31 (from then on
    /// it is refused) and operator = true; # begins a comment. A claim belongs to the name of the
    /// token that made it: others may neither change it nor read its user data, operators may.
    /// Several tokens may have one name. A file without tables has one token a line, without a
    /// name: what is claimed by these is everybody's. SIGHUP reads the file again, and the
    /// certificate: a bad one is logged, and the old one stays.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// So many wrong tokens a minute are looked at from one address; then it is told 429, unless it
    /// shows a token that it has shown before.
    #[arg(long, value_name = "TOKENS", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    wrong_tokens_max: u32,
    /// Appends a line of JSON for each change of a claim: who, what, when, from where. SIGHUP opens
    /// the file again.
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// The certificate chain that is shown to clients (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// How clients reach a proxy in front of the server, such as https://locks.example: URLs begin
    /// so, and forms may come from there. No header of a proxy is believed.
    #[arg(long, value_name = "URL")]
    public_url: Option<PublicUrl>,
    /// A name by which requests may call the server; may be given again. `localhost`, any address
    /// and the host of --public-url always may. Without --host: where no token is required, no
    /// other name; where one is, every name.
    #[arg(long, value_name = "NAME", value_parser = read_name)]
    host: Vec<String>,
    /// The shortest ttl that is granted, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "0")]
    ttl_min: Duration,
    /// The longest ttl that is granted, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "31622400")]
    ttl_max: Duration,
    /// The longest that one request may wait for a lock, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "300")]
    wait_max: Duration,
    /// A claim that waits is over once nobody has asked for it in so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "3600")]
    unasked_max: Duration,
    /// A claim whose ttl is over expires once nobody has renewed it or asked for its resource in so
    /// many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "600")]
    lapse_max: Duration,
    /// More claims than this do not wait for one resource: 429.
    #[arg(long, value_name = "CLAIMS", default_value_t = 10_000)]
    waiters_max: usize,
    /// More claims than this do not wait or hold a lock at a time: 429.
    #[arg(long, value_name = "CLAIMS", default_value_t = Quotas::default().claims_max)]
    claims_max: usize,
    /// Nor more than this of one owner: those that tokens of one name have made.
    #[arg(long, value_name = "CLAIMS", default_value_t = Quotas::default().claims_per_owner_max)]
    claims_per_owner_max: usize,
    /// How many claims are kept once they are over.
    #[arg(long, value_name = "CLAIMS", default_value_t = 100_000)]
    finished_max: usize,
    /// The longest body that is read, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 65_536)]
    body_max: usize,
    /// The longest name of a resource, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 1_024)]
    resource_max: usize,
    /// The longest user data that is kept, in bytes of JSON.
    #[arg(long, value_name = "BYTES", default_value_t = 16_384)]
    user_data_max: usize,
    /// How many connections may be open; the system may allow fewer. One more takes the place of
    /// one that has sent no whole request for the longest time, and only where each waits for an
    /// answer it is turned away. An eighth is kept for new ones: no more requests than the rest
    /// wait for a lock at a time, others are answered at once.
    #[arg(long, value_name = "CONNECTIONS", default_value_t = 16_384)]
    connections_max: usize,
    /// How many of them one address may have, or one IPv6 network (/64); one more takes the place
    /// of another of that address. Without it a quarter, but on loopback all.
    #[arg(long, value_name = "CONNECTIONS")]
    connections_per_address_max: Option<usize>,
    /// How long a request's header or body may take, or nobody read an answer, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "30")]
    patience: Duration,
    /// Notes every step of the core in this file, a line of JSON each, for `turnstile replay`.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Writes the log as JSON. What is logged says TURNSTILE_LOG (info, debug, ...).
    #[arg(long)]
    log_json: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let filter =
        EnvFilter::try_from_env("TURNSTILE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    if args.log_json {
        log.json().init()
    } else {
        log.init()
    }
    let is_json = args.log_json;
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if is_json {
                tracing::error!(%error, "ended");
            } else {
                eprintln!("turnstiled: {error}");
            }
            ExitCode::from(2)
        }
    }
}

fn run(mut args: Args) -> io::Result<()> {
    // A connection is a file: as many as the system lets us have.
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?;
    args.connections_max = args.connections_max.min(connections_max(limit.maximum));
    let listen = args.listen;
    let runtime = runtime()?;
    // From here on SIGHUP ends nothing, however long it takes to read the store.
    let mut hangup = {
        let _entered = runtime.enter();
        signal(SignalKind::hangup())?
    };
    let storage = match &args.data {
        Some(dir) => Storage::Blocking(Box::new(LogStore::open(dir)?)),
        None => Storage::Memory,
    };
    let options = options(args)?;
    let read = Read::of(&options);
    let server = Server::open(storage, options)?;
    runtime.spawn(async move {
        while hangup.recv().await.is_some() {
            read.again();
        }
    });
    runtime.block_on(async {
        let (mut term, mut int) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let stop = async {
            // A stream of signals never ends.
            let signal = tokio::select! {
                _ = term.recv() => "SIGTERM",
                _ = int.recv() => "SIGINT",
            };
            tracing::info!(signal, "stopping");
        };
        server.listen(listen, stop).await
    })
}

/// What is read from files, and again at SIGHUP.
struct Read {
    tokens: Tokens,
    tls: Option<ServerTls>,
    audit: Option<Audit>,
}

impl Read {
    fn of(options: &Options) -> Self {
        let Options { tokens, tls, audit, .. } = options;
        Self { tokens: tokens.clone(), tls: tls.clone(), audit: audit.clone() }
    }

    /// What cannot be read stays as it was.
    fn again(&self) {
        let tls = self.tls.as_ref().map_or(Ok(()), ServerTls::reload);
        let audit = self.audit.as_ref().map_or(Ok(()), Audit::reopen);
        let mut is_whole = true;
        for (what, read) in
            [("tokens", self.tokens.reload()), ("certificate", tls), ("audit log", audit)]
        {
            if let Err(error) = read {
                tracing::error!(what, %error, "not reloaded: what was read before stays in use");
                is_whole = false;
            }
        }
        if is_whole {
            tracing::info!("reloaded on SIGHUP");
        }
    }
}

/// How many connections leave descriptors for everything else: the store's files above all.
fn connections_max(descriptors: Option<u64>) -> usize {
    let Some(all) = descriptors else { return usize::MAX };
    usize::try_from(all - DESCRIPTORS_KEPT.min(all / 2)).unwrap_or(usize::MAX)
}

fn options(args: Args) -> io::Result<Options> {
    let defaults = Options::default();
    let mut options = Options {
        tokens: args.tokens.as_deref().map(Tokens::read).transpose()?.unwrap_or_default(),
        tls: match (&args.tls_cert, &args.tls_key) {
            (Some(chain), Some(key)) => Some(ServerTls::read(chain, key)?),
            (None, _) | (_, None) => None,
        },
        public_url: args.public_url,
        hosts: Hosts::of(args.host),
        wrong_tokens_max: args.wrong_tokens_max,
        audit: args.audit.as_deref().map(Audit::open).transpose()?,
        data: args.data,
        body_max: args.body_max,
        header_patience: args.patience,
        body_patience: args.patience,
        answer_patience: args.patience,
        wait_max: args.wait_max,
        unasked_max: args.unasked_max,
        lapse_max: args.lapse_max,
        connections_max: args.connections_max,
        connections_per_address_max: args.connections_per_address_max,
        quotas: Quotas {
            claims_max: args.claims_max,
            claims_per_owner_max: args.claims_per_owner_max,
        },
        trace: args.trace.map(|path| Trace::create("turnstiled", &path)).transpose()?,
        ..defaults
    };
    options.limits.waiters_max = args.waiters_max;
    options.limits.finished_max = args.finished_max;
    options.bounds.resource_max = args.resource_max;
    options.bounds.user_data_max = args.user_data_max;
    if args.ttl_min > args.ttl_max {
        let text = "--ttl-min is more than --ttl-max: no claim could be granted";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    options.bounds.ttl_min_us = micros(args.ttl_min);
    options.bounds.ttl_max_us = micros(args.ttl_max);
    Ok(options)
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).expect("far less than 500,000 years")
}
