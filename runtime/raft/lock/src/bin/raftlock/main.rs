//! `raftlock`: members of the replicated lock service, and commands that run under its locks.

mod member;
mod run;
mod socket;
mod status;
mod wire;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use tokio::net::UnixStream;
use tracing::level_filters::LevelFilter;
use turnstile_supervisor::{REAP, reap};

use self::wire::{Lines, Reply, Request, write};

/// Exit status: the member cannot be reached, or it refused the request.
const UNAVAILABLE: u8 = 69;
/// Exit status: the timeout passed before the lock was granted.
const TIMED_OUT: u8 = 75;
/// Exit status: the lock was lost while the command ran, and the command was terminated.
const LOST: u8 = 76;
/// Exit status: invalid arguments or settings.
const USAGE: u8 = 2;

/// The maximum length of a lock's id in bytes.
const ID_MAX: usize = 255;

/// Why there is no answer.
#[derive(Debug)]
enum Failure {
    Usage(String),
    System(String),
    Unavailable(String),
    TimedOut,
}

/// The replicated lock service: members that agree on a log, and commands under their locks.
#[derive(Parser, Debug)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Subcommand, Debug)]
enum CliCommand {
    /// Runs a member until SIGTERM or SIGINT.
    Member(MemberArgs),
    /// Runs a command while holding a lock.
    ///
    /// Environment of the command: RAFTLOCK_FENCING_TOKEN, which grows with each grant of the lock;
    /// RAFTLOCK_ID, the lock's id; RAFTLOCK_HELD, the ids of all locks that the command runs under.
    /// A nested run for one of these is refused, since it would wait for itself.
    ///
    /// Exit status: that of the command, or 128 + N if signal N terminated it; 69: the member
    /// cannot be reached, or it refused the request; 75: the timeout passed before the lock was
    /// granted; 76: the lock was lost and the command was terminated.
    ///
    /// The lock is lost when the member of this machine stops, or reaches no majority of the
    /// members. Another may have it at once, so the command gets SIGTERM and SIGKILL. What must
    /// never happen twice needs the fencing token.
    ///
    /// Signals, the terminal and orphans are handled as by `claim run`.
    Run(RunArgs),
    /// Prints what the member knows: its role, the members, and all locks.
    Status {
        #[command(flatten)]
        socket: SocketArgs,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Kills a process group that has outlived this program's parent.
    #[command(name = REAP, hide = true)]
    Reap,
}

#[derive(Args, Debug)]
struct SocketArgs {
    /// The socket of the member of this machine.
    #[arg(long, value_name = "PATH", env = "RAFTLOCK_SOCKET", default_value = "raftlock.sock")]
    socket: PathBuf,
}

#[derive(Args, Debug)]
struct RunArgs {
    /// The lock's id.
    id: String,
    #[command(flatten)]
    socket: SocketArgs,
    /// The maximum time to wait for the lock, in seconds [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// The time between a signal to terminate and SIGKILL to the command, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    grace: Duration,
    /// The command and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<std::ffi::OsString>,
}

#[derive(Args, Debug)]
struct MemberArgs {
    /// This member's number; no other member may ever have it.
    #[arg(long, value_name = "N")]
    id: u64,
    /// The address to listen on.
    #[arg(long, value_name = "ADDR")]
    listen: SocketAddr,
    /// All members of the group, this one among them, with the addresses that the others connect
    /// to. The first start of each needs the same list.
    #[arg(long = "peer", value_name = "N=ADDR", value_parser = peer, required = true)]
    peers: Vec<(u64, String)>,
    /// The directory of the member's log.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The interval of the leader's heartbeats, in seconds: without one for 6 to 12 of them a
    /// member stands for election, and without contact to a majority for 28 its locks are lost.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "0.25")]
    heartbeat: Duration,
    /// Authenticates the members by TLS: this one's certificate and key, and the authority of all.
    /// A certificate names the host of its member's address.
    #[arg(long, value_names = ["CERT", "KEY", "CA"], num_args = 3)]
    tls: Option<Vec<PathBuf>>,
    /// The least level of messages on standard error: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value_t = LevelFilter::INFO)]
    log: LevelFilter,
    #[command(flatten)]
    socket: SocketArgs,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is expected".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn peer(text: &str) -> Result<(u64, String), String> {
    let (id, address) = text.split_once('=').ok_or("N=HOST:PORT is expected")?;
    let id = id.parse().map_err(|_| format!("{id:?} is no number of a member"))?;
    Ok((id, address.to_owned()))
}

fn main() -> ExitCode {
    let Cli { command } = Cli::parse();
    let ended = match command {
        CliCommand::Reap => {
            reap();
            return ExitCode::SUCCESS;
        }
        CliCommand::Member(args) => {
            block_on(tokio::runtime::Builder::new_multi_thread(), member::run(args))
        }
        // A single thread, the main one: PR_SET_PDEATHSIG ties a child to the thread that started
        // it.
        CliCommand::Run(RunArgs { id, socket, timeout, grace, command }) => {
            let (socket, id, command) = (&*socket.socket, &*id, &*command);
            let run = run::run(run::Run { socket, id, timeout, grace, command });
            block_on(tokio::runtime::Builder::new_current_thread(), run)
        }
        CliCommand::Status { socket, json } => block_on(
            tokio::runtime::Builder::new_current_thread(),
            print_status(&socket.socket, json),
        ),
    };
    match ended {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            let (text, status) = match failure {
                Failure::Usage(text) => (text, USAGE),
                Failure::System(text) | Failure::Unavailable(text) => (text, UNAVAILABLE),
                Failure::TimedOut => ("timed out: the lock was not granted".into(), TIMED_OUT),
            };
            eprintln!("raftlock: {text}");
            ExitCode::from(status)
        }
    }
}

fn block_on(
    mut runtime: tokio::runtime::Builder,
    future: impl Future<Output = Result<u8, Failure>>,
) -> Result<u8, Failure> {
    let runtime =
        runtime.enable_all().build().map_err(|error| Failure::System(error.to_string()))?;
    runtime.block_on(future)
}

/// Connects to the member of this machine.
async fn connect(socket: &Path) -> Result<UnixStream, Failure> {
    UnixStream::connect(socket).await.map_err(|error| {
        let path = socket.display();
        Failure::Unavailable(format!(
            "no member answers at {path}: {error}; `raftlock member --socket {path}` runs one"
        ))
    })
}

/// Prints what the member knows.
async fn print_status(socket: &Path, json: bool) -> Result<u8, Failure> {
    let (lines, mut sink) = connect(socket).await?.into_split();
    write(&mut sink, &Request::Status).await?;
    match Lines::new(lines).next::<Reply>().await? {
        Some(Reply::Status(status)) if json => println!("{status}"),
        Some(Reply::Status(status)) => print!("{}", status::text(&status)),
        Some(Reply::Error(text)) => return Err(Failure::Unavailable(text)),
        Some(Reply::Held { .. } | Reply::TimedOut | Reply::Lost | Reply::Unlocked) | None => {
            return Err(Failure::Unavailable("the member does not say its status".into()));
        }
    }
    Ok(0)
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}
