//! `rangefs`: a directory whose `fcntl` and `flock` locks are those of the checked cache manager.

mod arguments;

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, ExitCode, Stdio};
use std::time::Duration;

use clap::Parser as _;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use turnstile_byte_range_lock::Options;
use turnstile_byte_range_lock::mount::{self, Locking, Mount, MountOptions, unmount};
use turnstile_claim::client::LockClientBuilder;
use turnstile_claim::log_filter;
use turnstile_claim::usage::without_secrets;
use turnstile_host::Trace;

use self::arguments::{Arguments, Locks};

/// How long programs may keep files open after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// The first argument of the second process: it watches the first.
const WATCH: &str = "watch-connection";

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [watch, process, connection, mountpoint] = &words[..]
        && watch == WATCH
        && let Some([process, connection]) = numbers([process, connection])
    {
        let abort = std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let watched = abort.and_then(|abort| {
            mount::watch(process, connection, mountpoint.as_ref(), std::io::stdin(), abort)
        });
        return finish(watched.map_err(|error| error.to_string()));
    }
    let arguments = Arguments::try_parse().unwrap_or_else(|error| without_secrets(error).exit());
    let outcome = log().and_then(|()| {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let outcome = runtime.block_on(run(arguments));
        // Files that are still open are not waited for.
        runtime.shutdown_background();
        outcome
    });
    finish(outcome)
}

fn finish(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rangefs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn numbers(words: [&OsString; 2]) -> Option<[u32; 2]> {
    let [process, connection] = words.map(|word| word.to_str()?.parse().ok());
    Some([process?, connection?])
}

/// Starts the process that ends the connection if this one is killed, as the end of what is
/// returned shows.
fn start_watch(mount: &Mount) -> Option<ChildStdin> {
    let (process, connection) = (std::process::id(), mount.connection());
    let mut watch = Command::new("/proc/self/exe");
    watch.args([WATCH, &process.to_string(), &connection.to_string()]).arg(mount.mountpoint());
    // Signals of a terminal are not for it.
    watch.process_group(0).stdin(Stdio::piped());
    // What it writes to ends the connection.
    let abort = mount::abort_of(connection);
    let watch = abort.and_then(|abort| watch.stdout(abort).spawn());
    if let Err(error) = &watch {
        tracing::warn!(%error, "nobody ends the connection if this process is killed");
    }
    watch.ok()?.stdin
}

/// Logs to the standard error stream.
fn log() -> Result<(), String> {
    let filter = log_filter::from_environment("warn", |levels| format!("polyfuse=error,{levels}"))?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    Ok(())
}

async fn run(arguments: Arguments) -> Result<(), String> {
    let Arguments { volume, lease, .. } = arguments;
    let locking = match arguments.locks {
        Locks::Local => Locking::Local,
        Locks::Claims(urls) => {
            let client = LockClientBuilder::in_environment(urls.split(',')).build();
            let client = client.map_err(|error| format!("--locks: {error}"))?;
            // A server that is not there, or refuses this client, is best known at once.
            let asked = client.list(Some(&volume), None, 1).await;
            asked.map_err(|error| format!("--locks: {error}"))?;
            Locking::Claims { client, volume, lease }
        }
        Locks::Off => Locking::Off,
        Locks::Kernel => Locking::Kernel,
    };
    let mut manager = Options::new(lease / CHECKS);
    if let Some(path) = arguments.trace {
        let trace = Trace::append("host 1", &path).map_err(|error| format!("--trace {error}"))?;
        manager = manager.trace(trace);
    }
    let is_for_all = rustix::process::geteuid().is_root();
    let options = MountOptions {
        locking,
        manager,
        is_mandatory: arguments.mandatory,
        threads: arguments.threads,
        is_for_all,
        files_per_user: arguments.files_per_user,
        names_kept: arguments.keep_names,
    };
    let Arguments { backing, mountpoint, .. } = arguments;
    // Whoever reads that it is mounted may end it at once.
    let signal = |kind| signal(kind).map_err(|error| error.to_string());
    let signals = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
    let mount = Mount::start(&backing, &mountpoint, options).map_err(|error| error.to_string())?;
    let _tied = start_watch(&mount);
    let ready = format!("{} is mounted at {}\n", backing.display(), mountpoint.display());
    if let Err(error) = std::io::stdout().write_all(ready.as_bytes()) {
        // Nobody reads it, and it is mounted all the same.
        tracing::warn!(%error, "cannot say that it is mounted");
    }
    serve(mount, signals).await
}

/// How often a lease is extended before it would be over.
const CHECKS: u32 = 5;

/// Serves the mount until it is unmounted, by a signal or by others.
async fn serve(mount: Mount, [mut interrupt, mut terminate]: [Signal; 2]) -> Result<(), String> {
    let (mountpoint, connection) = (mount.mountpoint().to_owned(), mount.connection());
    let mut served = tokio::task::spawn_blocking(|| mount.wait());
    tokio::select! {
        served = &mut served => return ended(served),
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    unmount(&mountpoint, connection).map_err(|error| error.to_string())?;
    match tokio::time::timeout(GRACE, served).await {
        Ok(served) => ended(served),
        Err(_) => Err(format!(
            "files are still open {} s after it was unmounted; the programs that have them get \
             errors from now on",
            GRACE.as_secs()
        )),
    }
}

fn ended(served: Result<std::io::Result<()>, tokio::task::JoinError>) -> Result<(), String> {
    let served = served.map_err(|error| error.to_string())?;
    served.map_err(|error| format!("requests of the kernel cannot be read: {error}"))
}
