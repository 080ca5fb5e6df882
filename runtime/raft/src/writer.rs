//! The thread that writes to the store: strictly in the order of the calls, one sync for all writes
//! that have accumulated.
//!
//! A failed sync is retried until it succeeds, as the host does: the store keeps its unsynced
//! batches. Until then no write is reported as durable. The queue has no limit of its own, because
//! its callers wait: there is one append, one vote and one snapshot chunk at a time.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
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

/// The queue of the thread.
pub(crate) struct Writer {
    queue: Mutex<Option<Sender<Write>>>,
    flags: Arc<Flags>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Flags {
    is_failing: AtomicBool,
    gives_up: AtomicBool,
    syncs: AtomicU64,
    sync_micros: AtomicU64,
}

impl Writer {
    /// Starts the thread, which owns the store.
    pub(crate) fn start(store: Box<dyn Store>) -> io::Result<Self> {
        let (queue, writes) = mpsc::channel();
        let flags = Arc::new(Flags::default());
        let loop_flags = Arc::clone(&flags);
        let thread = thread::Builder::new().name("raft-log".into()).spawn(move || {
            WriteLoop { store, flags: loop_flags, waiting: Vec::new() }.run(&writes)
        })?;
        Ok(Self { queue: Mutex::new(Some(queue)), flags, thread: Mutex::new(Some(thread)) })
    }

    /// Queues a write.
    pub(crate) fn write(&self, write: Write) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let rejected = match &*queue {
            Some(queue) => queue.send(write).err().map(|error| error.0),
            None => Some(write),
        };
        drop(queue);
        if let Some(Write { done: Some(done), .. }) = rejected {
            done(Err(stopped()));
        }
    }

    /// Whether the last sync failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.flags.is_failing.load(Ordering::Relaxed)
    }

    /// How many syncs have succeeded, and how long they took together.
    pub(crate) fn syncs(&self) -> (u64, Duration) {
        let Flags { syncs, sync_micros, .. } = &*self.flags;
        let time = Duration::from_micros(sync_micros.load(Ordering::Relaxed));
        (syncs.load(Ordering::Relaxed), time)
    }

    /// Ends the retries of a failing sync: its writes are reported as failed.
    pub(crate) fn give_up(&self) {
        self.flags.gives_up.store(true, Ordering::Relaxed);
    }

    /// Syncs what is queued and closes the store. Blocks.
    pub(crate) fn close(&self) {
        self.give_up();
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A panic of the thread has been reported there, and its callers have errors.
            let _ended = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.give_up();
    }
}

struct WriteLoop {
    store: Box<dyn Store>,
    flags: Arc<Flags>,
    waiting: Vec<Done>,
}

impl WriteLoop {
    fn run(mut self, writes: &Receiver<Write>) {
        let mut is_unsynced = false;
        loop {
            let is_failing = self.flags.is_failing.load(Ordering::Relaxed);
            let pause = if is_failing { RETRY_PAUSE } else { Duration::MAX };
            let is_open = match next(writes, pause) {
                Ok(write) => {
                    self.take(write);
                    is_unsynced = true;
                    true
                }
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => false,
            };
            writes.try_iter().for_each(|write| self.take(write));
            let is_due = !self.waiting.is_empty() || is_failing || !is_open;
            if is_unsynced && is_due {
                is_unsynced = !self.sync();
            }
            if !is_open {
                return;
            }
        }
    }

    fn take(&mut self, write: Write) {
        self.store.write(&write.batch);
        self.waiting.extend(write.done);
    }

    /// Returns whether everything written is durable.
    fn sync(&mut self) -> bool {
        let was_failing = self.flags.is_failing.load(Ordering::Relaxed);
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

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the store is closed")
}
