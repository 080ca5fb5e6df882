//! `turnstiled`: the claim server's command line. It parses the options and starts the server.

#[cfg(feature = "cluster")]
mod member;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Parser};
use mimalloc::MiMalloc;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};
use turnstile_claim::log_filter;
use turnstile_claim::server::{
    Audit, Hosts, Options, PublicUrl, Quotas, Server, ServerTls, Storage, Tokens, read_name,
    runtime,
};
use turnstile_claim::wire::seconds;
use turnstile_host::Trace;
use turnstile_host::store::{LogStore, PreviousUse};

/// The system's allocator took a ninth of the server's processor time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// File descriptors reserved for files other than connections.
const DESCRIPTORS_KEPT: u64 = 64;

/// Claim server: grants locks as leases, with a first-in-first-out queue for each resource.
#[derive(Parser, Debug)]
#[command(version, group(ArgGroup::new("storage").required(true)))]
struct Args {
    /// The address to listen on; port 0 picks a free port. An address other than loopback requires
    /// --tls-cert and --tokens.
    #[arg(long, default_value = "127.0.0.1:5000", value_parser = read_address)]
    listen: SocketAddr,
    /// Stores claims in this directory, which is created if it does not exist. A response is sent
    /// after its changes are synced to disk.
    #[arg(long, group = "storage", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Keeps claims in memory only; they are lost when the server stops.
    #[arg(long, group = "storage")]
    in_memory: bool,
    /// Requires a bearer token from this file. Only the file's owner may have access to it (0600).
    ///
    /// The file is TOML: one table [[token]] for each token, with the keys name and secret and
    /// optionally comment, expires (a date such as 2030-12-31; the token is rejected from that day
    /// on) and operator (true or false). The owner of a claim is the name of the token that created
    /// it. Only tokens of that name and operator tokens may change the claim or read its user data.
    /// Several tokens may share a name. A file without tables has one token per line, without
    /// names; claims created with these have no owner, and every client may change them. SIGHUP
    /// reloads this file and the certificate; if a file is invalid, the error is logged and the
    /// previous content stays in use.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// The maximum number of wrong tokens per minute and client address. Above it the server
    /// answers 429, except to requests with a token that this address has used successfully before.
    #[arg(long, value_name = "TOKENS", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    wrong_tokens_max: u32,
    /// Appends one line of JSON per change of a claim to this file: the owner, the change, the time
    /// and the client's address; and one for each start and stop of the server. SIGHUP reopens the
    /// file.
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// The server's certificate chain (PEM); enables TLS.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// The URL of a reverse proxy in front of the server, such as https://locks.example. URLs in
    /// responses start with it, and form posts with this origin are accepted. Headers such as
    /// X-Forwarded-For are ignored.
    #[arg(long, value_name = "URL")]
    public_url: Option<PublicUrl>,
    /// A name that is accepted in the Host header; may be repeated. `localhost`, IP addresses and
    /// the host of --public-url are always accepted. Without --host, other names are accepted only
    /// if --tokens is given.
    #[arg(long, value_name = "NAME", value_parser = read_name)]
    host: Vec<String>,
    /// The minimum ttl of a claim, in seconds; a shorter one is answered with 400.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "0")]
    #[arg(allow_negative_numbers = true)]
    ttl_min: Duration,
    /// The maximum ttl of a claim, in seconds; a longer one is answered with 400.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "31622400")]
    #[arg(allow_negative_numbers = true)]
    ttl_max: Duration,
    /// The maximum time for which one request waits for a lock (long poll), in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "300")]
    #[arg(allow_negative_numbers = true)]
    wait_max: Duration,
    /// A waiting claim expires when no request has been made for it in this time, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "3600")]
    #[arg(allow_negative_numbers = true)]
    unasked_max: Duration,
    /// A claim whose ttl has lapsed expires when it is not renewed in this time, in seconds. It
    /// expires earlier when another client claims its resource.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "600")]
    #[arg(allow_negative_numbers = true)]
    lapse_max: Duration,
    /// The maximum number of claims that wait for one resource; a further one is answered with 429.
    #[arg(long, value_name = "CLAIMS", default_value_t = 10_000)]
    #[arg(value_parser = at_least_one)]
    waiters_max: usize,
    /// The maximum number of waiting and active claims; a further one is answered with 429.
    #[arg(long, value_name = "CLAIMS", default_value_t = Quotas::default().claims_max)]
    #[arg(value_parser = at_least_one)]
    claims_max: usize,
    /// The maximum number of waiting and active claims per owner (token name); then 429.
    #[arg(long, value_name = "CLAIMS", default_value_t = Quotas::default().claims_per_owner_max)]
    #[arg(value_parser = at_least_one)]
    claims_per_owner_max: usize,
    /// The maximum number of finished claims that are kept; the oldest are deleted first.
    #[arg(long, value_name = "CLAIMS", default_value_t = 100_000)]
    finished_max: usize,
    /// The maximum size of a request's body, in bytes; a larger one is answered with 413.
    #[arg(long, value_name = "BYTES", default_value_t = 65_536)]
    #[arg(value_parser = at_least_one)]
    body_max: usize,
    /// The maximum length of a resource's name, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 1_024)]
    #[arg(value_parser = at_least_one)]
    resource_max: usize,
    /// The maximum size of a claim's user data, in bytes of JSON.
    #[arg(long, value_name = "BYTES", default_value_t = 16_384)]
    user_data_max: usize,
    /// The maximum number of open connections; the limit on open files may lower it. At the limit,
    /// a new connection replaces the one that has been longest without a complete request; if every
    /// connection has a request in progress, the new one is answered with 503. At most seven
    /// eighths of the connections wait for a lock; further long polls are answered at once.
    #[arg(long, value_name = "CONNECTIONS", default_value_t = 16_384)]
    #[arg(value_parser = at_least_one)]
    connections_max: usize,
    /// The maximum number of connections per IPv4 address or IPv6 /64 network; at the limit, a new
    /// connection replaces another of the same address. Default: a quarter of --connections-max;
    /// no limit for loopback.
    #[arg(long, value_name = "CONNECTIONS")]
    #[arg(value_parser = at_least_one)]
    connections_per_address_max: Option<usize>,
    /// The timeout for receiving a request's header, for receiving its body, and for a client that
    /// does not read its response, in seconds each.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "30")]
    #[arg(allow_negative_numbers = true)]
    patience: Duration,
    /// Appends each step of the core to this file as a line of JSON, for `turnstile replay`. An
    /// existing trace is continued; a file that is not a trace is refused.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    member: member::MemberArgs,
    /// Writes the log as JSON. TURNSTILE_LOG sets the level: off, error, warn, info (the default),
    /// debug or trace.
    #[arg(long)]
    log_json: bool,
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

fn main() -> ExitCode {
    let args = Args::parse();
    let filter = match log_filter::from_environment("info") {
        Ok(filter) => filter,
        Err(error) => {
            eprintln!("turnstiled: {error}");
            return ExitCode::from(2);
        }
    };
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
                tracing::error!(%error, "exiting");
            } else {
                eprintln!("turnstiled: {error}");
            }
            ExitCode::from(2)
        }
    }
}

fn run(mut args: Args) -> io::Result<()> {
    // Each connection takes a file descriptor: raise the soft limit to the hard limit.
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?;
    args.connections_max = args.connections_max.min(connections_max(limit.maximum));
    let listen = args.listen;
    let runtime = runtime()?;
    // Before the store is loaded, which takes long: by default SIGHUP terminates a process.
    let hangup = {
        let _entered = runtime.enter();
        signal(SignalKind::hangup())?
    };
    let data = args.data.clone();
    let has_steps = |path: &PathBuf| path.metadata().is_ok_and(|trace| trace.len() > 0);
    let continued = args.trace.clone().filter(has_steps);
    // Before the store, so that an invalid option does not leave a new store.
    #[cfg(feature = "cluster")]
    let member = args.member.config(args.body_max)?;
    let mut options = options(args)?;
    #[cfg(feature = "cluster")]
    if let Some(member) = member {
        let data = data.unwrap_or_default();
        let files = ReloadableFiles::of(&options);
        let server = runtime.block_on(member.start(&data, options))?;
        return runtime.block_on(serve(server, listen, files, hangup));
    }
    let storage = match &data {
        Some(dir) => {
            let store = open_store(dir)?;
            let previous = store.previous_use();
            options.is_after_unclean_stop = previous == PreviousUse::Interrupted;
            if let Some(trace) = continued.filter(|_| previous == PreviousUse::None) {
                let trace = trace.display();
                tracing::warn!(%trace, "the trace is of another store: this store is new");
            }
            Storage::Blocking(Box::new(store))
        }
        None => Storage::Memory,
    };
    let files = ReloadableFiles::of(&options);
    let server = Server::open(storage, options)?;
    runtime.block_on(serve(server, listen, files, hangup))
}

/// Serves until a signal stops the server, or its member ends.
async fn serve(
    server: Server,
    listen: SocketAddr,
    files: ReloadableFiles,
    mut hangup: Signal,
) -> io::Result<()> {
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            files.reload();
        }
    });
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let failed = server.failed();
    let mut failure = Ok(());
    let stop = async {
        // `recv` never returns `None` for signals.
        let signal = tokio::select! {
            _ = term.recv() => "SIGTERM",
            _ = int.recv() => "SIGINT",
            why = failed => {
                failure = Err(io::Error::other(why));
                return;
            }
        };
        tracing::info!(signal, "stopping");
    };
    server.listen(listen, stop).await?;
    failure
}

/// Names the option that an error is about.
fn named(option: &str) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{option} {error}"))
}

/// Opens the store and logs what the start found, if it is not a store that was closed.
fn open_store(dir: &Path) -> io::Result<LogStore> {
    let store = LogStore::open(dir).map_err(named("--data"))?;
    let data = dir.canonicalize()?;
    let data = data.display();
    match store.previous_use() {
        PreviousUse::Closed => {}
        PreviousUse::None => tracing::warn!(%data, "no store found: created a new, empty one"),
        PreviousUse::Interrupted => {
            tracing::warn!(%data, "the server was not shut down cleanly: recovered the store");
        }
    }
    Ok(store)
}

/// The files that SIGHUP reloads or reopens.
struct ReloadableFiles {
    tokens: Tokens,
    tls: Option<ServerTls>,
    audit: Option<Audit>,
}

impl ReloadableFiles {
    fn of(options: &Options) -> Self {
        let Options { tokens, tls, audit, .. } = options;
        Self { tokens: tokens.clone(), tls: tls.clone(), audit: audit.clone() }
    }

    /// Reloads each file. One that is invalid keeps its previous content, and the error is logged.
    fn reload(&self) {
        let tls = self.tls.as_ref().map_or(Ok(()), ServerTls::reload);
        let audit = self.audit.as_ref().map_or(Ok(()), Audit::reopen);
        let mut all_reloaded = true;
        for (file, result) in
            [("tokens", self.tokens.reload()), ("certificate", tls), ("audit log", audit)]
        {
            if let Err(error) = result {
                tracing::error!(file, %error, "reload failed: the previous content stays in use");
                all_reloaded = false;
            }
        }
        if all_reloaded {
            tracing::info!("reloaded on SIGHUP");
        }
    }
}

/// The limit on connections that leaves [`DESCRIPTORS_KEPT`] file descriptors for other files.
fn connections_max(descriptors: Option<u64>) -> usize {
    let Some(all) = descriptors else { return usize::MAX };
    usize::try_from(all - DESCRIPTORS_KEPT.min(all / 2)).unwrap_or(usize::MAX)
}

fn options(args: Args) -> io::Result<Options> {
    let defaults = Options::default();
    let mut options = Options {
        tokens: read_file("--tokens", args.tokens, Tokens::read)?.unwrap_or_default(),
        tls: match (&args.tls_cert, &args.tls_key) {
            (Some(chain), Some(key)) => {
                Some(ServerTls::read(chain, key).map_err(named("--tls-cert, --tls-key:"))?)
            }
            (None, _) | (_, None) => None,
        },
        public_url: args.public_url,
        hosts: Hosts::of(args.host),
        wrong_tokens_max: args.wrong_tokens_max,
        audit: read_file("--audit", args.audit, Audit::open)?,
        data: args.data,
        body_max: args.body_max,
        header_timeout: args.patience,
        body_timeout: args.patience,
        write_timeout: args.patience,
        wait_max: args.wait_max,
        unasked_max: args.unasked_max,
        lapse_max: args.lapse_max,
        connections_max: args.connections_max,
        connections_per_address_max: args.connections_per_address_max,
        quotas: Quotas {
            claims_max: args.claims_max,
            claims_per_owner_max: args.claims_per_owner_max,
        },
        trace: read_file("--trace", args.trace, |path| Trace::append("turnstiled", path))?,
        ..defaults
    };
    options.limits.waiters_max = args.waiters_max;
    options.limits.finished_max = args.finished_max;
    options.bounds.resource_max = args.resource_max;
    options.bounds.user_data_max = args.user_data_max;
    if args.ttl_min > args.ttl_max {
        let text = "--ttl-min must not exceed --ttl-max";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    options.bounds.ttl_min_us = micros(args.ttl_min);
    options.bounds.ttl_max_us = micros(args.ttl_max);
    Ok(options)
}

/// Opens or reads the file of an option.
fn read_file<T>(
    option: &str,
    path: Option<PathBuf>,
    read: impl FnOnce(&Path) -> io::Result<T>,
) -> io::Result<Option<T>> {
    path.as_deref().map(read).transpose().map_err(named(option))
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).expect("far less than 500,000 years")
}
