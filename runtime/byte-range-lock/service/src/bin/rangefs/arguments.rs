//! The command line of `rangefs`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Parser;
use turnstile_host::seconds;

/// Mount a directory whose fcntl and flock locks are granted by a model-checked cache manager.
///
/// Files are passed through. The locks of a file are kept by this program; the lock of the whole
/// file, by which several mounts agree, by the operating system or by a claim server.
#[derive(Debug, Parser)]
#[command(version, after_help = STATUS)]
pub(crate) struct Arguments {
    /// The directory that is passed through
    pub(crate) backing: PathBuf,
    /// The directory where it is mounted
    pub(crate) mountpoint: PathBuf,
    /// Who keeps the locks of whole files: `local`, the operating system, for mounts of one
    /// machine; or `claims=URL`, a claim server, for mounts of several machines. A cluster's URLs
    /// are separated by commas; TURNSTILE_TOKEN and TURNSTILE_CA are as for `claim`
    #[arg(long, value_name = "WHO", default_value = "local")]
    pub(crate) locks: Locks,
    /// With `claims`: the name of the directory at the claim server. Mounts of the same directory
    /// must have the same, and the same file system behind them
    #[arg(long, value_name = "NAME", default_value = "rangefs")]
    pub(crate) volume: String,
    /// With `claims`: how long the lock of a file lasts without being extended, in seconds. It is
    /// extended five times as often
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = lease)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) lease: Duration,
    /// How many requests of the kernel are handled at a time
    #[arg(long, value_name = "N", default_value = "4", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: usize,
    /// How many files and directories each user but root may have open at a time. More are refused
    /// to that user with ENFILE. Default: a 32nd of the descriptors of this process, whose
    /// number is raised as far as it goes, by root to /proc/sys/fs/nr_open
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) files_per_user: Option<u64>,
    /// How long the kernel may use the name of a file without asking again, in seconds. Only for a
    /// directory that nobody else changes: neither another mount, nor a program beside it
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds::read)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) keep_names: Duration,
    /// The file to which it appends a trace: each step of its core. `turnstile replay` checks it
    /// against the tables. It grows without bound
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Refuse reads and writes of bytes that others have locked (EAGAIN), by the rules of the
    /// document. Shared mappings of files are not possible then
    #[arg(long)]
    pub(crate) mandatory: bool,
}

const STATUS: &str = "\
Ends when it is unmounted (`fusermount3 -u MOUNTPOINT`), or unmounts itself at SIGINT and SIGTERM.
Exit status: 0 when it was unmounted; 1 when it cannot be mounted or served, or when files were
still open 5 s after a signal; 2 for wrong arguments.";

/// Who keeps the locks of whole files.
#[derive(Clone, Debug)]
pub(crate) enum Locks {
    Local,
    Claims(String),
    /// Nobody: every lock is granted at once. For tests, which show that they need locks.
    Off,
    /// The kernel. For measurements.
    Kernel,
}

impl FromStr for Locks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "local" => Ok(Self::Local),
            None if text == "off-for-tests" => Ok(Self::Off),
            None if text == "kernel-for-tests" => Ok(Self::Kernel),
            Some(("claims", url)) if !url.is_empty() => Ok(Self::Claims(url.into())),
            _ => Err("it is `local` or `claims=URL`".into()),
        }
    }
}

/// The shortest lease.
const LEASE_MIN: Duration = Duration::from_secs(1);

fn lease(text: &str) -> Result<Duration, String> {
    let lease = seconds::read(text)?;
    if lease < LEASE_MIN {
        return Err("a lease lasts a second at least".into());
    }
    Ok(lease)
}

fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| (2..=256).contains(threads));
    threads.ok_or_else(|| "it is a number from 2 to 256".into())
}
