//! `rangefs`: a directory whose `fcntl` and `flock` locks are those of the checked cache manager.

mod arguments;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use turnstile_claim::client::LockClientBuilder;
use turnstile_claim::log_filter;
use turnstile_host::Trace;
use turnstile_ranges::Options;
use turnstile_ranges::mount::{Locking, Mount, MountOptions, unmount};

use self::arguments::{Arguments, Locks};

/// How long programs may keep files open after a signal.
const GRACE: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = log().and_then(|()| {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let outcome = runtime.block_on(run(arguments));
        // Files that are still open are not waited for.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rangefs: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Logs to the standard error stream.
fn log() -> Result<(), String> {
    let filter = log_filter::from_environment("warn", |levels| format!("polyfuse=error,{levels}"))?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    Ok(())
}

async fn run(arguments: Arguments) -> Result<(), String> {
    let Arguments { backing, mountpoint, locks, volume, lease, threads, mandatory, trace } =
        arguments;
    let locking = match locks {
        Locks::Local => Locking::Local,
        Locks::Claims(urls) => {
            let client = LockClientBuilder::in_environment(urls.split(',')).build();
            let client = client.map_err(|error| format!("--locks: {error}"))?;
            Locking::Claims { client, volume, lease }
        }
        Locks::Off => Locking::Off,
        Locks::Kernel => Locking::Kernel,
    };
    let mut manager = Options::new(lease / CHECKS);
    if let Some(path) = trace {
        let trace = Trace::append("host 1", &path).map_err(|error| format!("--trace {error}"))?;
        manager = manager.trace(trace);
    }
    let is_for_all = rustix::process::geteuid().is_root();
    let options = MountOptions { locking, manager, is_mandatory: mandatory, threads, is_for_all };
    let mount = Mount::start(&backing, &mountpoint, options).map_err(|error| error.to_string())?;
    println!("{} is mounted at {}", backing.display(), mountpoint.display());
    serve(mount, &mountpoint).await
}

/// How often a lease is extended before it would be over.
const CHECKS: u32 = 5;

/// Serves the mount until it is unmounted, by a signal or by others.
async fn serve(mount: Mount, mountpoint: &Path) -> Result<(), String> {
    let signal = |kind| signal(kind).map_err(|error| error.to_string());
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut served = tokio::task::spawn_blocking(|| mount.wait());
    tokio::select! {
        served = &mut served => return ended(served),
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    unmount(mountpoint).map_err(|error| error.to_string())?;
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
