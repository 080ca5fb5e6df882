//! The tokio runtime of a server, whose threads give memory back when many connections have closed.
//!
//! An allocator with a heap for each thread keeps what a thread has freed until that thread
//! allocates again, which the threads of an idle server do not.

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

/// How often the threads have been asked to give memory back.
static RELEASES: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// How many of these times this thread has seen.
    static SEEN: Cell<u64> = const { Cell::new(0) };
}

/// How long after a wave of closed connections memory is given back: what is left of them is freed,
/// and a client that connects again gets the same memory.
const PAUSE: Duration = Duration::from_secs(1);
/// How often the threads are woken for it: no call of tokio wakes a certain one.
const WAKES: usize = 10;

/// A runtime with one thread per CPU core, at least two: one of them may be blocked by the disk.
///
/// # Errors
/// When the system cannot create threads.
pub fn runtime() -> io::Result<Runtime> {
    runtime_that_releases(|| {})
}

/// The same, whose threads call a function when many connections have closed: it gives the memory
/// back that the allocator keeps for the thread.
///
/// # Errors
/// As [`runtime`].
pub fn runtime_that_releases(release: fn()) -> io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(cores.max(2)).enable_all();
    builder.on_thread_park(move || {
        let releases = RELEASES.load(Ordering::Relaxed);
        if SEEN.replace(releases) != releases {
            release();
        }
    });
    builder.build()
}

/// Has the threads of the runtime give memory back.
pub(super) async fn release_memory() {
    tokio::time::sleep(PAUSE).await;
    RELEASES.fetch_add(1, Ordering::Relaxed);
    let threads = Handle::current().metrics().num_workers();
    for _ in 0..WAKES {
        for _ in 0..2 * threads {
            tokio::spawn(tokio::task::yield_now());
        }
        tokio::time::sleep(PAUSE / 100).await;
    }
}
