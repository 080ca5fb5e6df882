//! What writes to the store: strictly in the order of the calls, one sync for all writes that have
//! accumulated. It is a thread, and in a simulation a task ([`simulated`]).
//!
//! A failed sync is retried until it succeeds, as the host does: the store keeps its unsynced
//! batches. Until then no write is reported as durable. The queue has no limit of its own, because
//! its callers wait: there is one append, one vote and one snapshot chunk at a time.

mod simulated;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use turnstile_host::simulation;
use turnstile_host::store::{Batch, Store};

use simulated::SimulatedWriter;

/// The delay between attempts to sync after a failure.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Called once, after the write is durable or the writer has stopped without it.
pub(crate) type Done = Box<dyn FnOnce(io::Result<()>) + Send>;

/// A batch and who waits for it. One that no caller waits for is synced with a later one.
pub(crate) struct Write {
    pub(crate) batch: Batch,
    pub(crate) done: Option<Done>,
}

/// The queue of writes, and what takes them from it.
pub(crate) struct Writer {
    queue: Mutex<Queue>,
    flags: Arc<Flags>,
}

enum Queue {
    Thread(WriteThread),
    Simulated(SimulatedWriter),
    Closed,
}

struct WriteThread {
    queue: Sender<Write>,
    /// Writes that nobody waits for, until the next one that somebody does: they do not wake the
    /// thread.
    later: Vec<Write>,
    thread: JoinHandle<()>,
}

impl WriteThread {
    fn write(&mut self, write: Write) -> Option<Write> {
        if write.done.is_none() {
            self.later.push(write);
            return None;
        }
        self.send_later();
        self.queue.send(write).err().map(|error| error.0)
    }

    fn send_later(&mut self) {
        // If the thread has ended, so have they.
        let _rejected = self.later.drain(..).try_for_each(|write| self.queue.send(write));
    }
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
        let flags = Arc::new(Flags::default());
        let write_loop = WriteLoop::new(store, Arc::clone(&flags));
        let queue = if simulation::is_simulated() {
            Queue::Simulated(SimulatedWriter::start(write_loop))
        } else {
            let (queue, writes) = mpsc::channel();
            let run = move || write_loop.run_to_the_end(&writes);
            let thread = thread::Builder::new().name("raft-log".into()).spawn(run)?;
            Queue::Thread(WriteThread { queue, later: Vec::new(), thread })
        };
        Ok(Self { queue: Mutex::new(queue), flags })
    }

    /// Queues a write.
    pub(crate) fn write(&self, write: Write) {
        let mut queue = self.lock();
        let rejected = match &mut *queue {
            Queue::Thread(thread) => thread.write(write),
            Queue::Simulated(writer) => {
                writer.write(write);
                None
            }
            Queue::Closed => Some(write),
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

    /// Whether its retries have ended.
    pub(crate) fn gives_up(&self) -> bool {
        self.flags.gives_up.load(Ordering::Relaxed)
    }

    /// Syncs what is queued and closes the store. Blocks.
    pub(crate) fn close(&self) {
        self.give_up();
        let queue = std::mem::replace(&mut *self.lock(), Queue::Closed);
        match queue {
            Queue::Thread(mut thread) => {
                thread.send_later();
                let WriteThread { queue, thread, .. } = thread;
                drop(queue);
                // A panic of the thread has been reported there, and its callers have errors.
                let _ended = thread.join();
            }
            Queue::Simulated(writer) => writer.close(),
            Queue::Closed => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.give_up();
        match &mut *self.lock() {
            // It ends with its queue.
            Queue::Thread(thread) => thread.send_later(),
            // The task has the queue.
            Queue::Simulated(writer) => writer.close(),
            Queue::Closed => {}
        }
    }
}

struct WriteLoop {
    store: Box<dyn Store>,
    flags: Arc<Flags>,
    waiting: Vec<Done>,
    is_unsynced: bool,
}

impl WriteLoop {
    const fn new(store: Box<dyn Store>, flags: Arc<Flags>) -> Self {
        Self { store, flags, waiting: Vec::new(), is_unsynced: false }
    }

    fn is_failing(&self) -> bool {
        self.flags.is_failing.load(Ordering::Relaxed)
    }

    /// Writes until the queue is closed. After a panic it is unknown what the store has: all that
    /// wait hear of an error, now and later.
    fn run_to_the_end(mut self, writes: &Receiver<Write>) {
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
    fn pause(&self) -> Duration {
        if self.is_failing() { RETRY_PAUSE } else { Duration::MAX }
    }

    /// Takes a write and more of them, and syncs if somebody waits. Returns whether to go on.
    fn turn(
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

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the store is closed")
}
