//! The arguments of `grouplock`; their documentation is its help.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use tracing::level_filters::LevelFilter;
use turnstile_host::seconds;
use turnstile_local::{Program, REAP, RunArgs, users};

/// This program.
pub(crate) const PROGRAM: Program =
    Program { name: "grouplock", variable: "GROUPLOCK", undecided: "is in no group yet" };

/// The maximum length of a group's name in bytes.
const NAME_MAX: usize = 200;

/// The least and the greatest period of the failure detector.
const PERIOD: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(60)];

/// Locks of a group: members that find each other, and commands under their locks.
///
/// A group needs no majority. In a group that has fallen apart each part grants its locks, so that
/// two members may hold one at a time: see `grouplock run --help`.
#[derive(Parser, Debug)]
#[command(version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CliCommand {
    /// Runs a member until SIGTERM or SIGINT; then it leaves the group.
    ///
    /// It joins the group of one of its seeds, or begins one if none of them is in a group. Groups
    /// of one name that find each other merge. A member that is excluded, for example since it was
    /// stopped, joins again by itself.
    ///
    /// Exit status: 0 after a signal, once it has left; 69: an address, the socket, the directory
    /// or the trace cannot be used; 2: invalid arguments.
    Member(MemberArgs),
    /// Runs a command while holding a lock.
    ///
    /// Environment of the command: GROUPLOCK_ID, the lock's id; GROUPLOCK_FENCING_TOKEN, if the
    /// member has a directory (--data); GROUPLOCK_HELD, the ids of all locks that the command runs
    /// under. A nested run for one of these is refused, since it would wait for itself.
    ///
    /// Exit status: that of the command, or 128 + N if signal N terminated it; 69: the member
    /// cannot be reached, or it refused the request; 75: the timeout passed before the lock was
    /// granted; 76: the lock was lost and the command was terminated; 2: invalid arguments, or a
    /// nested run; 126 and 127: the command cannot be executed, or is not found.
    ///
    /// Users of one member are served in their order, and so are members that want a lock: each has
    /// it for some grants in a row (`grouplock member --grants-max`). With --timeout 0 the lock is
    /// granted only if no user of this member has it or waits for it, and the coordinator grants it
    /// at once; without an answer of the coordinator within 5 s it is not granted (75).
    ///
    /// The lock is lost when the member of this machine stops, leaves or is excluded from its
    /// group, or when two parts of the group meet again and the lock is held in the other one.
    /// Another may have it at once, so the command gets SIGTERM and SIGKILL.
    ///
    /// Two commands may run under one lock: while the group has fallen into two parts that do not
    /// reach each other, each part grants the lock, and neither knows of the other. The same may be
    /// so for a moment when a machine stands still and goes on. So what the lock protects has to
    /// reject a fencing token that is less than one that it has seen. Tokens have 50 characters and
    /// are compared as texts: each grant in a group has a greater one than all before it, also when
    /// parts have met again. Of two parts one has the greater tokens while they are apart, and the
    /// commands of the other one are rejected once a command of that one was there. What may not be
    /// done twice, and cannot be fenced, needs another lock service, for example `raftlock`, whose
    /// minorities grant nothing.
    ///
    /// Signals, the terminal and orphans are handled as by `claim run`: background processes end
    /// with the command. A lock of a group has no lease among the members; the member says four
    /// times in two periods that the lock is held. If this program is stopped (SIGSTOP) or hangs
    /// for two periods, so that it would not hear of a loss, a second process kills the command.
    /// The member takes the lock back after some five periods and a second more.
    Run {
        #[command(flatten)]
        socket: SocketArgs,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Lists the locks that users of the member hold or wait for.
    ///
    /// Locks that only users of other members want are not listed: each member knows its own.
    ///
    /// Exit status: 0; 69: the member cannot be reached, or the output cannot be written.
    Ls(PrintArgs),
    /// Lists the members of the group's present view, the coordinator first.
    ///
    /// Exit status: 0; 69: the member cannot be reached, or the output cannot be written.
    Members(PrintArgs),
    /// Prints what the member knows: its group, who seems to be there, and the locks of its users.
    ///
    /// Exit status: 0; 69: the member cannot be reached, or the output cannot be written.
    Status(PrintArgs),
    /// Kills a process group that has outlived this program's parent.
    #[command(name = REAP, hide = true)]
    Reap,
}

#[derive(Args, Debug)]
pub(crate) struct PrintArgs {
    #[command(flatten)]
    pub(crate) socket: SocketArgs,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SocketArgs {
    /// The socket of the member of this machine.
    #[arg(long, value_name = "PATH", env = "GROUPLOCK_SOCKET", default_value = "grouplock.sock")]
    pub(crate) socket: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct MemberArgs {
    /// The name of the group: 1 to 200 bytes, without control characters. Members of groups with
    /// other names are rejected.
    #[arg(long, value_name = "GROUP", value_parser = group_name)]
    pub(crate) name: String,
    /// The address to listen on: an IP address and a port.
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: SocketAddr,
    /// The address that the others connect to, if it is another one.
    #[arg(long, value_name = "ADDR", value_parser = reachable)]
    pub(crate) advertise: Option<SocketAddr>,
    /// The addresses of members that may be there. One of the group is enough; its own is ignored,
    /// so that all may have the same list. Members that know nobody in common form groups of their
    /// own, each of which grants the same locks.
    #[arg(long = "seed", value_name = "ADDR", num_args = 1.., required = true)]
    #[arg(value_parser = reachable)]
    pub(crate) seeds: Vec<SocketAddr>,
    /// How often one of the others is asked whether it is there, in seconds: one that is gone is
    /// found so after two to six periods. The locks of a member that says nothing for two are lost
    /// for its users.
    #[arg(long, value_name = "SECONDS", value_parser = period, default_value = "0.5")]
    pub(crate) period: Duration,
    /// The directory in which it saves the number of its view: with one, each grant has a fencing
    /// token, which also grows when all members start again. A member that is the only one left of
    /// its group, and has lost its directory, begins anew, and what the lock protects rejects it.
    /// The directory needs 2 MiB.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The file to which it appends a trace: each step of its core with what it read, did and sent.
    /// It grows without bound; a trace that cannot be written any more ends, which is logged, and
    /// cannot be judged together with others. `turnstile replay --together` takes the traces of all
    /// members.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Authenticates the members by TLS: this one's certificate and key, and the authority of all,
    /// in PEM. A certificate is for the IP address of its member. SIGHUP reads the files again, for
    /// new connections; if they do not fit, the error is logged and the previous ones stay in use.
    /// The log warns in the last 14 days of a certificate (of one that is valid for less than 42,
    /// in the last third), and has an error once it has expired.
    #[arg(long, value_names = ["CERT", "KEY", "CA"], num_args = 3)]
    pub(crate) tls: Option<Vec<PathBuf>>,
    /// How often a lock is granted in a row to users of this member before a member that waits has
    /// it, 1 or more; grants that take less than 5 ms in all are not too many. For each other
    /// member that wants a lock, a member waits at most as long as these grants take, and 0.2 s.
    #[arg(long, value_name = "N", default_value = "8")]
    pub(crate) grants_max: NonZeroU32,
    /// The maximum number of users that wait for a lock or hold one; more of them are refused.
    /// Those that hold one already have as many places again, for others. A connection that has
    /// not sent its request is no user yet: of a burst of more than 64 such connections, the oldest
    /// are refused.
    #[arg(long, value_name = "N", value_parser = users, default_value = "1024")]
    pub(crate) users: usize,
    /// The least level of messages on standard error: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value_t = LevelFilter::INFO)]
    pub(crate) log: LevelFilter,
    #[command(flatten)]
    pub(crate) socket: SocketArgs,
}

fn group_name(text: &str) -> Result<String, String> {
    match text.is_empty() || text.len() > NAME_MAX || text.chars().any(char::is_control) {
        true => Err(format!("1 to {NAME_MAX} bytes without control characters are expected")),
        false => Ok(text.to_owned()),
    }
}

/// An address to which others can connect.
fn reachable(text: &str) -> Result<SocketAddr, String> {
    let at: SocketAddr = text.parse().map_err(|_| "an IP address and a port are expected")?;
    let is_one = at.port() != 0 && !at.ip().is_unspecified() && !at.ip().is_multicast();
    let refused = "nobody can connect to it: the address and the port of one process are expected";
    is_one.then_some(at).ok_or_else(|| refused.to_owned())
}

fn period(text: &str) -> Result<Duration, String> {
    let period = seconds::read(text)?;
    let [least, most] = PERIOD;
    let is_possible = least <= period && period <= most;
    is_possible.then_some(period).ok_or_else(|| "0.1 to 60 seconds are possible".to_owned())
}
