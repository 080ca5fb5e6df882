//! `rangefs`: a directory whose `fcntl` locks are those of the model-checked cache manager.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use turnstile_ranges::Options;
use turnstile_ranges::mount::{Locking, Mount, MountOptions};

/// Mount a directory, with the byte-range locks of a cache manager.
#[derive(Debug, Parser)]
struct Arguments {
    /// The directory that is passed on.
    backing: PathBuf,
    /// The directory where it is mounted.
    mountpoint: PathBuf,
    /// Keep reads and writes to the rules of the document, also of programs that lock nothing.
    #[arg(long)]
    mandatory: bool,
}

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let Arguments { backing, mountpoint, mandatory } = Arguments::parse();
    let options = MountOptions {
        locking: Locking::Local,
        manager: Options::default(),
        is_mandatory: mandatory,
        threads: 4,
        is_for_all: rustix::process::geteuid().is_root(),
    };
    let mount = match Mount::start(&backing, &mountpoint, options) {
        Ok(mount) => mount,
        Err(error) => {
            eprintln!("rangefs: {error}");
            return ExitCode::FAILURE;
        }
    };
    let served = tokio::task::spawn_blocking(|| mount.wait()).await;
    match served.expect("the thread does not panic") {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rangefs: {error}");
            ExitCode::FAILURE
        }
    }
}
