//! The arguments of `raftlock`; their documentation is its help.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use tracing::level_filters::LevelFilter;
use turnstile_host::transport::tcp::Address;
use turnstile_local::{Failure, REAP, RunArgs, users};
use turnstile_raft::Members;
use turnstile_raft::arguments::{self, heartbeat, peer};

/// The replicated lock service: members that agree on a log, and commands under their locks.
#[derive(Parser, Debug)]
#[command(version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CliCommand {
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
    /// Signals, the terminal and orphans are handled as by `claim run`: background processes end
    /// with the command. If this program is stopped (SIGSTOP) or hangs for the lease, which is 28
    /// heartbeats, a second process kills the command, since nobody else would when the lock is
    /// lost. The member takes the lock back after another lease.
    Run {
        #[command(flatten)]
        socket: SocketArgs,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Lists, adds or removes members of the group.
    ///
    /// While there is no leader, or the outcome of a change is unknown, it is asked for again for a
    /// minute; after that, too, the command may be repeated.
    ///
    /// A member whose machine or disk is lost for good is replaced in three steps, while a majority
    /// of the members runs. At another member: `raftlock members remove 3`. On the new machine,
    /// with a number that no member has had: `raftlock member --id 4 --join ...`. At another
    /// member: `raftlock members add 4=HOST:PORT`. Locks of the lost member are granted to others
    /// by themselves, once its lease is over.
    Members {
        #[command(subcommand)]
        command: MembersCommand,
    },
    /// Saves the state of the group, or begins another group with it.
    Snapshot {
        #[command(subcommand)]
        command: SnapshotCommand,
    },
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

#[derive(Subcommand, Debug)]
pub(crate) enum MembersCommand {
    /// Prints the members, as far as this one knows.
    List {
        #[command(flatten)]
        socket: SocketArgs,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Adds a member, which runs: it was started with --join. It has a vote once it has the log.
    Add {
        /// Its number and the address that the others connect to.
        #[arg(value_name = "N=ADDR", value_parser = peer)]
        member: (u64, Address),
        #[command(flatten)]
        socket: SocketArgs,
    },
    /// Removes a member, whether it runs or not. No other member may ever have its number.
    Remove {
        /// Its number.
        #[arg(value_name = "N", value_parser = arguments::id)]
        id: u64,
        #[command(flatten)]
        socket: SocketArgs,
    },
}

#[derive(Subcommand, Debug)]
pub(crate) enum SnapshotCommand {
    /// Has the member of this machine save what it has applied, in one file with a checksum.
    Save {
        /// The file, which must not be there.
        file: PathBuf,
        #[command(flatten)]
        socket: SocketArgs,
    },
    /// Writes a saved state into the data directory of a member of a new group, which then starts
    /// as any other.
    ///
    /// For a group that has lost a majority of its members for good. Nobody holds a lock in the new
    /// group, and its fencing tokens are greater than all before. Members of the former group that
    /// still run must be stopped first. The new group has one member, to which `raftlock members
    /// add` adds others; or several, each restored from the same file with the same list.
    Restore {
        /// The file.
        file: PathBuf,
        /// The directory of the member's log, which must be empty or not there.
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// The member's number.
        #[arg(long, value_name = "N", value_parser = arguments::id)]
        id: u64,
        /// The members of the new group, with the addresses that the others connect to.
        #[arg(long = "peer", value_name = "N=ADDR", value_parser = peer, required = true)]
        peers: Vec<(u64, Address)>,
        /// The name of the new group.
        #[arg(long, value_name = "NAME", default_value = "")]
        group: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct SocketArgs {
    /// The socket of the member of this machine.
    #[arg(long, value_name = "PATH", env = "RAFTLOCK_SOCKET", default_value = "raftlock.sock")]
    pub(crate) socket: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct MemberArgs {
    /// This member's number; no other member may ever have it.
    #[arg(long, value_name = "N", value_parser = arguments::id)]
    pub(crate) id: u64,
    /// The address to listen on.
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: SocketAddr,
    /// The members of the group, with the addresses that the others connect to. With --new this
    /// one is among them, and each needs the same list: members with different ones refuse each
    /// other. Later, and with --join, those of the log replace them.
    #[arg(long = "peer", value_name = "N=ADDR", value_parser = peer, required = true)]
    pub(crate) peers: Vec<(u64, Address)>,
    /// The directory of the member's log.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The interval of the leader's heartbeats, in seconds: without one for 9 to 12 of them a
    /// member stands for election, and without contact to a majority for 28 its locks are lost.
    #[arg(long, value_name = "SECONDS", value_parser = heartbeat, default_value = "0.15")]
    pub(crate) heartbeat: Duration,
    /// Begins a group, unless the directory has a log: for its first members, at each start. The
    /// group begins once all of them have run. One that has lost its log is refused by the others,
    /// since it may have voted for what it no longer knows; replace it by a member with a new
    /// number.
    #[arg(long)]
    pub(crate) new: bool,
    /// Begins an empty log, unless the directory has one, for a member that `raftlock members add`
    /// adds to a group: at each start.
    #[arg(long, conflicts_with = "new")]
    pub(crate) join: bool,
    /// The name of the group that --new begins: members that began with another one are refused.
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) group: String,
    /// Authenticates the members by TLS: this one's certificate and key, and the authority of all,
    /// in PEM. A certificate names the host of its member's address. SIGHUP reads the files again,
    /// for new connections; if they do not fit, the error is logged and the previous ones stay in
    /// use. The log warns in the last 14 days of a certificate (of one that is valid for less than
    /// 42, in the last third), and has an error once it has expired.
    #[arg(long, value_names = ["CERT", "KEY", "CA"], num_args = 3)]
    pub(crate) tls: Option<Vec<PathBuf>>,
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

/// The members of a list.
pub(crate) fn members(peers: &[(u64, Address)]) -> Result<Members, Failure> {
    arguments::members(peers).map_err(|why| Failure::Usage(format!("--peer: {why}")))
}
