//! The tokio runtime of a server.

use std::io;

/// A runtime with one thread per CPU core, at least two: one of them may be blocked by the disk.
///
/// # Errors
/// When the system cannot create threads.
pub fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    tokio::runtime::Builder::new_multi_thread().worker_threads(cores.max(2)).enable_all().build()
}
