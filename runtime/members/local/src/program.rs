//! A program of a lock service: its name, how it ends, and why.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use tokio::runtime::Builder;

/// Exit status: invalid arguments or settings.
const USAGE: u8 = 2;
/// Exit status: the member cannot be reached, or it refused the request.
const UNAVAILABLE: u8 = 69;
/// Exit status: the timeout passed before the lock was granted.
const TIMED_OUT: u8 = 75;

/// A program of a lock service. It has the commands `member` and `status` with an option
/// `--socket`, and calls [`reap`](crate::reap) for the argument [`REAP`](crate::REAP).
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name, in messages.
    pub name: &'static str,
    /// How its environment variables begin, which it sets for a command: `RAFTLOCK` in
    /// `RAFTLOCK_FENCING_TOKEN`, `RAFTLOCK_ID` and `RAFTLOCK_HELD`. `RAFTLOCK_SOCKET` stands for
    /// the option `--socket`.
    pub variable: &'static str,
    /// Why a member that runs may be unable to decide about a lock, after "it": `has no contact to
    /// a majority`.
    pub undecided: &'static str,
}

impl Program {
    /// Runs a command of the program on a runtime, and says on standard error why it has failed.
    #[must_use]
    pub fn finish(
        self,
        mut runtime: Builder,
        command: impl Future<Output = Result<u8, Failure>>,
    ) -> ExitCode {
        let runtime = runtime.enable_all().build();
        let runtime = runtime.map_err(|error| Failure::System(error.to_string()));
        match runtime.and_then(|runtime| runtime.block_on(command)) {
            Ok(status) => ExitCode::from(status),
            Err(failure) => {
                eprintln!("{}: {failure}", self.name);
                ExitCode::from(failure.exit_status())
            }
        }
    }
}

/// Why a command of a program has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Invalid arguments or settings: exit status 2.
    Usage(String),
    /// The system refuses something: exit status 69.
    System(String),
    /// The member cannot be reached, or it refused the request: exit status 69.
    Unavailable(String),
    /// The timeout passed before the lock was granted: exit status 75.
    TimedOut,
}

impl Failure {
    const fn exit_status(&self) -> u8 {
        match self {
            Self::Usage(_) => USAGE,
            Self::System(_) | Self::Unavailable(_) => UNAVAILABLE,
            Self::TimedOut => TIMED_OUT,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usage(text) | Self::System(text) | Self::Unavailable(text) => text,
            Self::TimedOut => "timed out: the lock was not granted",
        })
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// Prints to standard output, which nobody may read any more.
///
/// # Errors
/// When it cannot be written, for example to a full disk.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::System(format!("cannot write to standard output: {error}")))
        }
        Err(_) | Ok(()) => Ok(()),
    }
}
