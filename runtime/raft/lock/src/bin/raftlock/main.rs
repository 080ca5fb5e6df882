//! `raftlock`: members of the replicated lock service, and commands that run under its locks.

mod arrivals;
mod cli;
mod member;
mod members;
mod run;
mod snapshot;
mod socket;
mod status;
mod wire;

use std::fmt;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{sleep, timeout};
use turnstile_supervisor::reap;

use self::cli::{Cli, CliCommand, RunArgs};
use self::wire::{Lines, Reply, Request, write};

/// Exit status: the member cannot be reached, or it refused the request.
const UNAVAILABLE: u8 = 69;
/// Exit status: the timeout passed before the lock was granted.
const TIMED_OUT: u8 = 75;
/// Exit status: invalid arguments or settings.
const USAGE: u8 = 2;

/// The maximum time for what the member and its leader do, which have time-outs of 10 s.
const CHANGE_MAX: Duration = Duration::from_secs(60);

/// The pause before the member is asked again.
const REPEAT_PAUSE: Duration = Duration::from_millis(50);

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
        CliCommand::Members { command } => {
            block_on(tokio::runtime::Builder::new_current_thread(), members::run(command))
        }
        CliCommand::Snapshot { command } => {
            block_on(tokio::runtime::Builder::new_current_thread(), snapshot::run(command))
        }
        CliCommand::Status { socket, json } => block_on(
            tokio::runtime::Builder::new_current_thread(),
            print_status(&socket.socket, json),
        ),
    };
    match ended {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            eprintln!("raftlock: {failure}");
            ExitCode::from(match failure {
                Failure::Usage(_) => USAGE,
                Failure::System(_) | Failure::Unavailable(_) => UNAVAILABLE,
                Failure::TimedOut => TIMED_OUT,
            })
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

/// Connects to the member of this machine. While the system holds as many connections for it as it
/// may, because it is stopped, the caller's timeout ends the wait.
async fn connect(socket: &Path) -> Result<UnixStream, Failure> {
    loop {
        match UnixStream::connect(socket).await {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => sleep(REPEAT_PAUSE).await,
            Err(error) => {
                let path = socket.display();
                return Err(Failure::Unavailable(format!(
                    "no member answers at {path}: {error}; `raftlock member --socket {path}` runs \
                     one"
                )));
            }
            Ok(stream) => return Ok(stream),
        }
    }
}

/// Prints what the member knows.
async fn print_status(socket: &Path, json: bool) -> Result<u8, Failure> {
    let status = status_of(socket).await?;
    print(&if json { format!("{status}\n") } else { status::text(&status) });
    Ok(0)
}

/// What the member knows, as JSON.
async fn status_of(socket: &Path) -> Result<serde_json::Value, Failure> {
    let Reply::Status(status) = ask(socket, &Request::Status, REPLY_MAX).await? else {
        return Err(Failure::Unavailable("the member does not say its status".into()));
    };
    Ok(status)
}

/// Sends the member a request that has one answer. An answer that is an error is one here.
async fn ask(socket: &Path, request: &Request, most: Duration) -> Result<Reply, Failure> {
    match timeout(most, exchange(socket, request)).await.map_err(|_| silent())?? {
        (Reply::Error(text), ..) => Err(Failure::Unavailable(text)),
        (reply, ..) => Ok(reply),
    }
}

/// What remains of a connection after the first answer.
type Rest = (Lines<OwnedReadHalf>, OwnedWriteHalf);

/// Connects, sends a request and waits for the first answer.
async fn exchange(socket: &Path, request: &Request) -> Result<(Reply, Rest), Failure> {
    let (lines, mut sink) = connect(socket).await?.into_split();
    write(&mut sink, request).await?;
    let mut lines = Lines::new(lines);
    let closed = || Failure::Unavailable("the member has closed the connection".into());
    let reply = lines.next::<Reply>().await?.ok_or_else(closed)?;
    Ok((reply, (lines, sink)))
}

/// Has the member do something that has no result.
async fn have_done(socket: &Path, request: &Request) -> Result<u8, Failure> {
    let Reply::Done = ask(socket, request, CHANGE_MAX).await? else { return Err(undone()) };
    Ok(0)
}

fn undone() -> Failure {
    Failure::Unavailable("the member does not say whether it is done".into())
}

fn print(text: &str) {
    // Nobody may read any more.
    let _closed = io::stdout().write_all(text.as_bytes());
}

/// The member is there, and says nothing.
fn silent() -> Failure {
    Failure::Unavailable("the member does not answer: it is stopped, or overloaded".into())
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usage(text) | Self::System(text) | Self::Unavailable(text) => text,
            Self::TimedOut => "timed out: the lock was not granted",
        })
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}
