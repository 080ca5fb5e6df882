//! The threads of a server.

use std::io;

/// The threads that a server needs: one for each core. One of them may wait for the disk, so that
/// there are two at least.
///
/// # Errors
/// When the system has no threads to give.
pub fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    tokio::runtime::Builder::new_multi_thread().worker_threads(cores.max(2)).enable_all().build()
}
