//! The commands of `turnstiled` beside that of serving.

use clap::Subcommand;
use turnstile_claim::client::ErrorKind;

use super::members::{self, MemberCommand};
use super::snapshot::{self, SnapshotCommand};

/// Exit status: the server cannot be reached, or it refused the request.
const UNAVAILABLE: u8 = 69;
/// Exit status: invalid arguments or settings.
const USAGE: u8 = 2;

#[derive(Subcommand, Debug)]
pub(crate) enum ServerCommand {
    /// Lists, adds or removes members of a cluster.
    ///
    /// A member whose machine or disk is lost for good is replaced in three steps, while a majority
    /// of the members runs: `turnstiled member remove 3`; on the new machine, with a number that no
    /// member has had, `turnstiled --cluster NAME --join --id 4 ...`; and `turnstiled member add
    /// 4=HOST:PORT`. Any other member can be asked.
    ///
    /// Environment: TURNSTILE_TOKEN, the bearer token, which must be an operator's if the members
    /// require tokens; TURNSTILE_CA, a PEM file with the trusted certificates: of authorities, or a
    /// server's own one (default: those of the operating system).
    ///
    /// Exit status: 69: the server cannot be reached, or it refused the request; 2: invalid
    /// arguments or settings. An outcome that is unknown is asked for again for a minute; after
    /// that, too, the command may be repeated.
    Member {
        #[command(subcommand)]
        command: MemberCommand,
    },
    /// Saves the claims of a cluster or of a single server in a file, and begins either with them.
    ///
    /// What the file is saved from should grant nothing afterwards, if its claims are to go on
    /// elsewhere: stop it.
    ///
    /// Environment: TURNSTILE_TOKEN, the bearer token, which must be an operator's if the members
    /// require tokens; TURNSTILE_CA, a PEM file with the trusted certificates: of authorities, or a
    /// server's own one (default: those of the operating system).
    ///
    /// Exit status: 69: the server cannot be reached, or it refused the request; 2: invalid
    /// arguments or settings, or a file or directory that cannot be used.
    Snapshot {
        #[command(subcommand)]
        command: SnapshotCommand,
    },
}

/// Runs a command, and returns the exit status.
pub(crate) fn run(command: ServerCommand) -> u8 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = match (runtime, command) {
        (Ok(runtime), ServerCommand::Member { command }) => runtime.block_on(members::run(command)),
        (Ok(runtime), ServerCommand::Snapshot { command }) => {
            runtime.block_on(snapshot::run(command))
        }
        (Err(error), _) => Err(ErrorKind::System(error.to_string()).into()),
    };
    match ended {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("turnstiled: {error}");
            let is_usage = matches!(
                error.cause,
                ErrorKind::Address(..) | ErrorKind::Credentials(_) | ErrorKind::Setting(_)
            );
            if is_usage { USAGE } else { UNAVAILABLE }
        }
    }
}
