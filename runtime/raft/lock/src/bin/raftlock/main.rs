//! `raftlock`: members of the replicated lock service, and commands that run under its locks.

mod member;
mod run;
mod socket;
mod status;
mod wire;

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use tokio::net::UnixStream;
use tokio::time::timeout;
use tracing::level_filters::LevelFilter;
use turnstile_supervisor::{REAP, reap};

use self::wire::{Lines, Reply, Request, write};

/// Exit status: the member cannot be reached, or it refused the request.
const UNAVAILABLE: u8 = 69;
/// Exit status: the timeout passed before the lock was granted.
const TIMED_OUT: u8 = 75;
/// Exit status: invalid arguments or settings.
const USAGE: u8 = 2;

/// The maximum length of a lock's id in bytes.
const ID_MAX: usize = 255;

/// The maximum time for a reply that needs no lock.
const REPLY_MAX: Duration = Duration::from_secs(10);

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
    /// granted; 76: the lock was lost and the command was terminated; 2: invalid arguments, or a
    /// nested run; 126 and 127: the command cannot be executed, or is not found.
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
    /// The lock's id: 1 to 255 bytes, without control characters.
    #[arg(value_parser = lock_id)]
    id: String,
    #[command(flatten)]
    socket: SocketArgs,
    /// The maximum time to wait for the lock, in seconds; 0: only if nobody has it [default: no
    /// limit].
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
    #[arg(long, value_name = "SECONDS", value_parser = heartbeat, default_value = "0.25")]
    heartbeat: Duration,
    /// Begins an empty log: for the first start of a member. One that has lost its log must not
    /// start again under its number, since it may have voted for what it no longer knows.
    #[arg(long)]
    new: bool,
    /// Authenticates the members by TLS: this one's certificate and key, and the authority of all.
    /// A certificate names the host of its member's address.
    #[arg(long, value_names = ["CERT", "KEY", "CA"], num_args = 3)]
    tls: Option<Vec<PathBuf>>,
    /// The maximum number of users that wait for a lock or hold one; more of them are refused.
    /// Those that hold one already have as many places again, for others.
    #[arg(long, value_name = "N", value_parser = users, default_value = "1024")]
    users: usize,
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

fn heartbeat(text: &str) -> Result<Duration, String> {
    let (least, most) = (Duration::from_millis(10), Duration::from_secs(60));
    let interval = seconds(text)?;
    let is_possible = least <= interval && interval <= most;
    is_possible.then_some(interval).ok_or_else(|| "0.01 to 60 seconds are possible".to_owned())
}

fn users(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=100_000).contains(number));
    number.ok_or_else(|| "1 to 100000 are possible".to_owned())
}

fn lock_id(text: &str) -> Result<String, String> {
    match text.is_empty() || text.len() > ID_MAX || text.chars().any(char::is_control) {
        true => Err(format!("1 to {ID_MAX} bytes without control characters are expected")),
        false => Ok(text.to_owned()),
    }
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
    let mut lines = Lines::new(lines);
    let reply = timeout(REPLY_MAX, lines.next::<Reply>()).await.map_err(|_| silent())??;
    let text = match reply {
        Some(Reply::Status(status)) if json => format!("{status}\n"),
        Some(Reply::Status(status)) => status::text(&status),
        Some(Reply::Error(text)) => return Err(Failure::Unavailable(text)),
        Some(
            Reply::Held { .. } | Reply::StillHeld | Reply::TimedOut | Reply::Lost | Reply::Unlocked,
        )
        | None => {
            return Err(Failure::Unavailable("the member does not say its status".into()));
        }
    };
    // Nobody may read any more.
    let _closed = io::stdout().write_all(text.as_bytes());
    Ok(0)
}

/// The member is there, and says nothing.
fn silent() -> Failure {
    Failure::Unavailable("the member does not answer: it is stopped, or overloaded".into())
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}
