//! The loop that writes and syncs: on a thread, or in a simulation.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use turnstile_host::store::{Batch, Store};

/// The delay between attempts to sync after a failure.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Called once, after the write is durable or the writer has stopped without it.
pub(crate) type Done = Box<dyn FnOnce(io::Result<()>) + Send>;

/// A batch and who waits for it. One that no caller waits for is synced with a later one.
pub(crate) struct Write {
    pub(crate) batch: Batch,
    pub(crate) done: Option<Done>,
}

/// What the writer and its loop tell each other.
#[derive(Default)]
pub(super) struct Flags {
    pub(super) is_failing: AtomicBool,
    pub(super) gives_up: AtomicBool,
    pub(super) syncs: AtomicU64,
    pub(super) sync_micros: AtomicU64,
}

/// Writes to the store, and syncs it.
pub(super) struct WriteLoop {
    store: Box<dyn Store>,
    flags: Arc<Flags>,
    waiting: Vec<Done>,
    is_unsynced: bool,
}

impl WriteLoop {
    pub(super) const fn new(store: Box<dyn Store>, flags: Arc<Flags>) -> Self {
        Self { store, flags, waiting: Vec::new(), is_unsynced: false }
    }

    fn is_failing(&self) -> bool {
        self.flags.is_failing.load(Ordering::Relaxed)
    }

    /// Writes until the queue is closed. After a panic it is unknown what the store has: all that
    /// wait hear of an error, now and later.
    pub(super) fn run_to_the_end(mut self, writes: &Receiver<Write>) {
        let run = AssertUnwindSafe(|| self.run(writes));
        if catch_unwind(run).is_err() {
            self.flags.is_failing.store(true, Ordering::Relaxed);
            let later = writes.iter().filter_map(|write| write.done);
            self.waiting.drain(..).chain(later).for_each(|done| done(Err(panicked())));
        }
    }

    fn run(&mut self, writes: &Receiver<Write>) {
        while self.turn(next(writes, self.pause()), writes.try_iter()) {}
    }

    /// How long it waits for a write at most.
    pub(super) fn pause(&self) -> Duration {
        if self.is_failing() { RETRY_PAUSE } else { Duration::MAX }
    }

    /// Takes a write and more of them, and syncs if somebody waits. Returns whether to go on.
    pub(super) fn turn(
        &mut self,
        next: Result<Write, RecvTimeoutError>,
        more: impl Iterator<Item = Write>,
    ) -> bool {
        let is_failing = self.is_failing();
        let is_open = !matches!(next, Err(RecvTimeoutError::Disconnected));
        if let Ok(write) = next {
            self.take(write);
        }
        more.for_each(|write| self.take(write));
        let is_due = !self.waiting.is_empty() || is_failing || !is_open;
        if self.is_unsynced && is_due {
            self.is_unsynced = !self.sync();
        }
        is_open
    }

    fn take(&mut self, write: Write) {
        // First: if the store panics, it is told.
        self.waiting.extend(write.done);
        self.store.write(&write.batch);
        self.is_unsynced = true;
    }

    /// Returns whether everything written is durable.
    fn sync(&mut self) -> bool {
        let was_failing = self.is_failing();
        let begun = Instant::now();
        let synced = self.store.sync();
        self.flags.is_failing.store(synced.is_err(), Ordering::Relaxed);
        match synced {
            Ok(()) => {
                let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
                self.flags.syncs.fetch_add(1, Ordering::Relaxed);
                self.flags.sync_micros.fetch_add(micros, Ordering::Relaxed);
                if was_failing {
                    tracing::info!("the store accepts writes again");
                }
                self.waiting.drain(..).for_each(|done| done(Ok(())));
                true
            }
            Err(error) => {
                if !was_failing {
                    tracing::error!(%error, "the store rejects writes: the log waits for it");
                }
                if self.flags.gives_up.load(Ordering::Relaxed) {
                    let text = error.to_string();
                    let failed = || io::Error::new(error.kind(), text.clone());
                    self.waiting.drain(..).for_each(|done| done(Err(failed())));
                }
                false
            }
        }
    }
}

/// The next write. A pause of [`Duration::MAX`] waits forever.
fn next(writes: &Receiver<Write>, pause: Duration) -> Result<Write, RecvTimeoutError> {
    if pause == Duration::MAX {
        return writes.recv().map_err(|_| RecvTimeoutError::Disconnected);
    }
    writes.recv_timeout(pause)
}

fn panicked() -> io::Error {
    io::Error::other("the store has panicked: it is not known what it has")
}
