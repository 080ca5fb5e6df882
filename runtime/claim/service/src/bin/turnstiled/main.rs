//! `turnstiled`: the claim server's command line. It parses the options and starts the server.

mod args;
#[cfg(feature = "cluster")]
mod command;
#[cfg(feature = "cluster")]
mod member;
#[cfg(feature = "cluster")]
mod members;
mod named;
#[cfg(feature = "cluster")]
mod server_args;
#[cfg(feature = "cluster")]
mod snapshot;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use mimalloc::MiMalloc;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};
use turnstile_claim::log_filter;
use turnstile_claim::server::{
    Audit, Hosts, Options, Quotas, Server, ServerTls, Storage, TakenAddress, Tokens,
    runtime_that_releases,
};
use turnstile_claim::usage::without_secrets;
use turnstile_host::Trace;
use turnstile_host::certificates::CertificateWatch;
use turnstile_host::store::{LogStore, PreviousUse};

use self::args::Args;
#[cfg(feature = "cluster")]
use self::member::MemberConfig;
use self::named::named;

/// The system's allocator took a ninth of the server's processor time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Gives back what the allocator keeps for this thread.
#[expect(unsafe_code, reason = "the crate of the allocator has no call for it")]
fn collect() {
    unsafe extern "C" {
        safe fn mi_collect(force: bool);
    }
    mi_collect(true);
}

/// File descriptors reserved for files other than connections.
const DESCRIPTORS_KEPT: u64 = 64;

fn main() -> ExitCode {
    #[cfg_attr(not(feature = "cluster"), expect(unused_mut, reason = "there are no commands"))]
    let mut args = Args::try_parse().unwrap_or_else(|error| without_secrets(error).exit());
    #[cfg(feature = "cluster")]
    if let Some(command) = args.command.take() {
        return ExitCode::from(command::run(command));
    }
    #[cfg(feature = "cluster")]
    let complete = turnstile_raft::arguments::log_filter;
    #[cfg(not(feature = "cluster"))]
    let complete = str::to_owned;
    let filter = match log_filter::from_environment("info", complete) {
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
    let runtime = runtime_that_releases(collect)?;
    // Before the store is loaded, which takes long: by default SIGHUP terminates a process.
    let hangup = {
        let _entered = runtime.enter();
        signal(SignalKind::hangup())?
    };
    let data = args.data.clone();
    let has_steps = |path: &PathBuf| path.metadata().is_ok_and(|trace| trace.len() > 0);
    let continued = args.trace.clone().filter(has_steps);
    // All of this before the store, so that an invalid option does not leave a new one.
    #[cfg(feature = "cluster")]
    let member = args.member.config(args.body_max)?;
    let mut options = options(args)?;
    #[cfg(feature = "cluster")]
    if let Some(tls) = member.as_ref().and_then(MemberConfig::tls) {
        options.certificates.add("--peer-tls", tls.files());
    }
    let address = {
        let _entered = runtime.enter();
        TakenAddress::take(listen, &options)?
    };
    #[cfg(feature = "cluster")]
    if let Some(member) = member {
        let data = data.unwrap_or_default();
        let files = ReloadableFiles::of(&options);
        let server = runtime.block_on(member.start(&data, options))?;
        return runtime.block_on(serve(server, address, files, hangup));
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
    let server = Server::open(storage, options).map_err(named("--data"))?;
    runtime.block_on(serve(server, address, files, hangup))
}

/// Serves until a signal stops the server, or its member ends.
async fn serve(
    server: Server,
    address: TakenAddress,
    files: ReloadableFiles,
    mut hangup: Signal,
) -> io::Result<()> {
    tokio::spawn(async move {
        let reloads = async {
            while hangup.recv().await.is_some() {
                files.reload();
            }
        };
        tokio::join!(reloads, files.certificates.watch());
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
    server.listen(address, stop).await?;
    failure
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
    certificates: CertificateWatch,
    audit: Option<Audit>,
}

impl ReloadableFiles {
    fn of(options: &Options) -> Self {
        let Options { tokens, certificates, audit, .. } = options;
        let (tokens, certificates) = (tokens.clone(), certificates.clone());
        Self { tokens, certificates, audit: audit.clone() }
    }

    /// Reloads each file. One that is invalid keeps its previous content, and the error is logged.
    fn reload(&self) {
        let audit = self.audit.as_ref().map_or(Ok(()), Audit::reopen);
        let mut failed = self.certificates.reload();
        for (option, result) in [("--tokens", self.tokens.reload()), ("--audit", audit)] {
            failed.extend(result.err().map(|error| (option, error)));
        }
        for (option, error) in &failed {
            tracing::error!(option, %error, "reload failed: the previous content stays in use");
        }
        if failed.is_empty() {
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
        audit: read_file("--audit", args.audit, Audit::open)?
            .map(|audit| if args.audit_required { audit.required() } else { audit }),
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
    if let Some(tls) = &options.tls {
        options.certificates.add("--tls-cert, --tls-key", tls.files());
    }
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
