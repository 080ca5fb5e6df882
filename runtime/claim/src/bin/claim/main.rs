//! `claim`: runs commands under locks, shows who holds them, and holds them for other programs.
//!
//! It reads options and words errors. Claims themselves are the client library's.

mod ask;
mod process;
mod reaper;
mod run;
mod signals;
mod terminal;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use tracing::Level;
use tracing_subscriber::EnvFilter;
use turnstile_claim::client::{Ask, Cause, Error, Manager, Setup};
use turnstile_claim::keychain;
use turnstile_claim::wire::seconds;
use turnstile_host::Trace;

use self::signals::Signals;

/// Exit status: the claim server cannot be reached, or refuses.
const UNAVAILABLE: u8 = 69;
/// Exit status: the lock was not to be had in time.
const TIMED_OUT: u8 = 75;
/// Exit status: the claim was lost while the command ran, so the command was ended.
const LOST: u8 = 76;
/// Exit status: bad usage.
const USAGE: u8 = 2;

/// Runs commands under claims of a turnstiled server, and shows and revokes claims.
///
/// The server is TURNSTILE_URL, or --url; its bearer token TURNSTILE_TOKEN; its certificate
/// authority TURNSTILE_CA (a PEM file), or that of the operating system. What is logged says
/// TURNSTILE_LOG (warn, debug, ...).
#[derive(Parser, Debug)]
#[command(version)]
struct Cli {
    /// The server; TURNSTILE_URL unless given.
    #[arg(long, global = true, value_name = "URL")]
    url: Option<String>,
    /// Notes every step of the core in this file, a line of JSON each, for `turnstile replay`.
    #[arg(long, global = true, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(subcommand)]
    wish: Wish,
}

#[derive(Subcommand, Debug)]
enum Wish {
    /// Runs a command while a resource is claimed.
    ///
    /// The command finds the claim's token in CLAIM_FENCING_TOKEN and its URL in CLAIM_URL. Its
    /// exit status is passed on, 128 + N where signal N ended it. 69: the server cannot be
    /// reached, or refuses. 75: the lock was not to be had in time. 76: the claim was lost, and
    /// the command was ended. SIGTERM, SIGINT, SIGQUIT and SIGHUP go to the command's process
    /// group; after the grace it is killed, and only then the claim is released. One that was
    /// ignored already, as nohup has it, the command ignores, too.
    ///
    /// At a terminal Ctrl-C, Ctrl-\ and Ctrl-Z do what they do to the bare command, and to the
    /// script or the pipeline that it is in. While Ctrl-Z has stopped them nobody renews the claim:
    /// a command whose claim has lapsed meanwhile is ended instead of let go on. Where no shell
    /// runs jobs, and so nobody could let the command go on, Ctrl-Z does not stop it.
    ///
    /// SIGKILL to this program kills the command and its process group. What has left the group,
    /// as a daemon does, works on.
    ///
    /// The command finds the names of the locks that it runs under in CLAIM_HELD, and to claim one
    /// of them from within is refused, since it would wait for itself.
    Run(RunArgs),
    /// Lists claims.
    Ls {
        /// Only those of this resource.
        #[arg(long)]
        resource: Option<String>,
        /// Only those of this status.
        #[arg(long)]
        status: Option<String>,
        /// At most so many.
        #[arg(long, default_value_t = 100)]
        limit: usize,
        /// As the server's JSON.
        #[arg(long)]
        json: bool,
    },
    /// Shows a claim, as the server's JSON.
    Show {
        /// Its number or URL.
        claim: String,
    },
    /// Takes a claim from whoever has it.
    Revoke {
        /// Its number or URL.
        claim: String,
    },
    /// Waits for one's turn at a resource, and gives it back at once.
    Wait(Claiming),
    /// Holds claims for the program at the other end of standard input and output.
    ///
    /// JSON, a line each: {"id": 1, "claim": "r", "ttl": 60, "timeout": 5, "data": {}},
    /// {"id": 2, "refresh": "r"}, {"id": 3, "release": "r"}. Each is answered by a line with its
    /// id and with "held", "refreshed", "released" or "error"; a line {"now": ...} says how a
    /// claim stands whenever that changes: "until" is in seconds of CLOCK_BOOTTIME. The end of the
    /// input releases everything; so do SIGTERM, SIGINT, SIGQUIT and SIGHUP, after a line has said
    /// of each claim that it is lost.
    Keychain,
    /// Kills a process group that outlives this program's parent.
    #[command(name = reaper::REAP, hide = true)]
    Reap,
}

#[derive(Args, Debug)]
struct Claiming {
    /// What is claimed.
    resource: String,
    /// How long the lease lasts without a renewal, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "60")]
    ttl: Duration,
    /// How long to wait for the lock, in seconds; for ever unless given.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read)]
    timeout: Option<Duration>,
}

#[derive(Args, Debug)]
struct RunArgs {
    #[command(flatten)]
    claiming: Claiming,
    /// How long the command may take to end once it was told to, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "10")]
    grace: Duration,
    /// The claim's user data, as JSON. Where the server knows owners, others do not see it.
    #[arg(long, value_name = "JSON")]
    data: Option<String>,
    /// The command.
    #[arg(last = true, required = true)]
    command: Vec<std::ffi::OsString>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if matches!(cli.wish, Wish::Reap) {
        reaper::reap();
        return ExitCode::SUCCESS;
    }
    let filter = EnvFilter::try_from_env("TURNSTILE_LOG");
    let filter = filter.unwrap_or_else(|_| EnvFilter::default().add_directive(Level::WARN.into()));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    log.without_time().with_target(false).init();
    // One thread, and it is the main one: a child is tied to the thread that has started it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(grant(cli));
            // A read of standard input may still be under way, and nobody waits for it.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(Cause::System(error.to_string()).into()),
    };
    match ended {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("claim: {error}");
            ExitCode::from(match error.cause {
                Cause::TimedOut => TIMED_OUT,
                Cause::Lost => LOST,
                Cause::Address(..)
                | Cause::Credentials(_)
                | Cause::Setting(_)
                | Cause::TtlTooShort { .. } => USAGE,
                Cause::System(_)
                | Cause::Unreachable(_)
                | Cause::Refused { .. }
                | Cause::Claimed { .. }
                | Cause::TooMany
                | Cause::GivenUp
                | Cause::Keychain(_)
                | Cause::Answer(_) => UNAVAILABLE,
            })
        }
    }
}

async fn grant(cli: Cli) -> Result<u8, Error> {
    let mut setup = match cli.url {
        Some(url) => Setup::in_environment(&url),
        None => Setup::from_environment()?,
    };
    if let Some(path) = cli.trace {
        let trace = Trace::create("claim", &path)
            .map_err(|error| Cause::Setting(format!("--trace {error}")))?;
        setup.trace = Some(trace);
    }
    match cli.wish {
        Wish::Reap => Ok(0),
        Wish::Run(args) => run::run(setup, args).await,
        Wish::Ls { resource, status, limit, json } => {
            ask::list(setup, resource, status, limit, json).await
        }
        Wish::Show { claim } => ask::show(setup, &claim).await,
        Wish::Revoke { claim } => ask::revoke(setup, &claim).await,
        Wish::Wait(claiming) => {
            let mut signals = Signals::listen().map_err(system)?;
            let manager = setup.build()?;
            match run::acquire(&manager, claiming.ask(&manager), &mut signals).await? {
                Ok(claim) => claim.release_within(run::CLOSE_MAX).await.map(|()| 0),
                Err(signal) => Ok(run::end_by(signal)),
            }
        }
        Wish::Keychain => {
            let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
            let mut signals = Signals::listen().map_err(system)?;
            let mut status = 0;
            let stop = async { status = 128 + signals.end().await.as_raw() as u8 };
            let served = keychain::serve(setup, input, output, stop).await;
            served.map_err(|error| Cause::Keychain(error.to_string()))?;
            Ok(status)
        }
    }
}

fn system(error: io::Error) -> Error {
    Cause::System(error.to_string()).into()
}

impl Claiming {
    fn ask(&self, manager: &Manager) -> Ask {
        let ask = manager.claim(&self.resource).ttl(self.ttl);
        match self.timeout {
            Some(timeout) => ask.timeout(timeout),
            None => ask,
        }
    }
}
