//! The arguments of `claim`; their documentation is its help.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, UnknownArgumentValueParser};
use clap::{Args, Parser, Subcommand};
use turnstile_claim::client::{Acquire, LockClient};
use turnstile_claim::wire::seconds;
use turnstile_claim_core::record::Status;
use turnstile_supervisor::REAP;

/// Client of the turnstiled lock server: run commands under locks; list, show and revoke claims.
///
/// Environment: TURNSTILE_URL, the server's URL, or several separated by spaces, if --url is
/// not given; TURNSTILE_TOKEN, the bearer token; TURNSTILE_CA, a PEM file with the trusted
/// certificates: of authorities, or a server's own one if it is self-signed (default: those of
/// the operating system); TURNSTILE_LOG, the level of messages on standard error: off, error,
/// warn, info, debug or trace (default: warn, and the messages that a lock is waited for and that
/// the server is connected again, which warn omits).
#[derive(Parser, Debug)]
#[command(version)]
pub(crate) struct Cli {
    /// The server's URL [default: TURNSTILE_URL]. Repeated, the URLs of all members of a cluster: a
    /// request that one does not answer is repeated at the next. They have one scheme and path.
    #[arg(long = "url", global = true, value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Appends each step of the core to this file as a line of JSON, for `turnstile replay`. An
    /// existing trace is continued; a file that is not a trace is refused.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CliCommand {
    /// Runs a command while holding the lock of a resource.
    ///
    /// Environment of the command: that of this program, with TURNSTILE_TOKEN (see
    /// --withhold-token), TURNSTILE_URL, TURNSTILE_CA and TURNSTILE_LOG, which a nested `claim`
    /// needs; and CLAIM_FENCING_TOKEN, the claim's fencing token; CLAIM_URL, its URL; CLAIM_HELD,
    /// the locks that the command runs under, outer ones included, with the ids and URLs of their
    /// servers. A nested `claim run` for one of these is refused, since it would deadlock.
    ///
    /// A response 429 is no failure: the request is repeated after its Retry-After, until the lock
    /// is granted or --timeout has passed. Where responses take so long that the lease would end
    /// before it can be renewed, the claim is given up, so that others get the lock, and the
    /// command is not started: then a longer --ttl is needed, about three times as long as a
    /// response takes.
    ///
    /// Exit status: that of the command, or 128 + N if signal N terminated it; 69: the server
    /// cannot be reached, refused the request, or responds too slowly for the --ttl; 75: the
    /// timeout passed before the lock was granted; 76: the claim was lost and the command was
    /// terminated.
    ///
    /// SIGTERM, SIGINT, SIGQUIT and SIGHUP are forwarded to the command's process group. If it does
    /// not exit within --grace, it is killed. The claim is released after the command has exited.
    /// A signal that is ignored when this program starts, for example SIGHUP under nohup, stays
    /// ignored in the command.
    ///
    /// At a terminal Ctrl-C, Ctrl-\ and Ctrl-Z act on the command, and on its script or pipeline,
    /// as without `claim run`. While the command is stopped by Ctrl-Z, the claim is not renewed: if
    /// it has lapsed when the command is to continue, the command is terminated instead. Without a
    /// shell with job control, which could continue the command, Ctrl-Z does not stop it.
    ///
    /// Background processes that the command has started end with it: its process group is killed
    /// when the command has exited, before the claim is released. If this program is killed by
    /// SIGKILL, the command and its process group are killed. If it is stopped or hangs until the
    /// end of the lease, a second process terminates them. Processes that have left the group, such
    /// as daemons, keep running.
    Run(RunArgs),
    /// Lists claims: active ones first, then waiting ones, then those that have ended.
    Ls {
        /// List claims of this resource only.
        #[arg(long)]
        resource: Option<String>,
        /// List claims of this status only.
        #[arg(long, value_parser = statuses())]
        status: Option<String>,
        /// The maximum number of claims to list.
        #[arg(long, default_value_t = 100)]
        limit: usize,
        /// Print the server's JSON.
        #[arg(long)]
        json: bool,
    },
    /// Prints one claim as the server's JSON.
    Show {
        /// The claim's id or URL.
        claim: String,
    },
    /// Revokes a claim: its holder loses the lock.
    Revoke {
        /// The claim's id or URL.
        claim: String,
    },
    /// Waits until the lock of a resource is granted, then releases it at once.
    Wait(ClaimArgs),
    /// Holds claims for another program, which sends requests on standard input and reads
    /// responses on standard output.
    ///
    /// Requests are JSON objects, one a line: {"id": 1, "claim": "r", "ttl": 60, "timeout": 5,
    /// "data": {}}, {"id": 2, "refresh": "r"}, {"id": 3, "release": "r"}; ttl and timeout are in
    /// seconds, id and data are any JSON. Another line, or one with an unknown or repeated key, is
    /// answered by an error. Each response has the request's id and "held", "refreshed", "released"
    /// or "error". A line {"now": ...} reports each change of a claim's lease; its "until" is in
    /// seconds of CLOCK_BOOTTIME. All claims are released at the end of the input, and on SIGTERM,
    /// SIGINT, SIGQUIT and SIGHUP, after a line has reported each claim as lost.
    Keychain,
    /// Kills a process group that has outlived this program's parent.
    #[command(name = REAP, hide = true)]
    Reap,
}

#[derive(Args, Debug)]
pub(crate) struct ClaimArgs {
    /// The name of the resource to lock.
    pub(crate) resource: String,
    /// The duration of the lease without a renewal, in seconds. It is renewed while held.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "60")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) ttl: Duration,
    /// The maximum time to wait for the lock, in seconds [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) claim_args: ClaimArgs,
    /// The time between the signal to terminate and SIGKILL to the command, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds::read, default_value = "10")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) grace: Duration,
    /// Removes TURNSTILE_TOKEN from the environment of the command, so that it does not pass the
    /// token on, log it, or use it by mistake. A nested `claim` then has no token. A command of the
    /// same user can still read it from the memory or the environment of this program.
    #[arg(long)]
    pub(crate) withhold_token: bool,
    /// The claim's user data, as JSON. If the server requires tokens, only the owner can read it.
    #[arg(long, value_name = "JSON")]
    pub(crate) data: Option<String>,
    /// Not an option: points to `--timeout`.
    #[arg(long = "wait", hide = true, num_args = 0..=1, default_missing_value = "")]
    #[arg(value_parser = UnknownArgumentValueParser::suggest_arg("--timeout"))]
    pub(crate) unknown_wait: Option<String>,
    /// The command and its arguments.
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// The values of `ls --status`.
fn statuses() -> PossibleValuesParser {
    PossibleValuesParser::new(Status::ALL.map(Status::name))
}

impl ClaimArgs {
    pub(crate) fn request(&self, client: &LockClient) -> Acquire {
        let request = client.claim(&self.resource).ttl(self.ttl);
        match self.timeout {
            Some(timeout) => request.timeout(timeout),
            None => request,
        }
    }
}
