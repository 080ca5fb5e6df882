//! What writes to the store: strictly in the order of the calls, one sync for all writes that have
//! accumulated. It is a thread, and in a simulation a task ([`simulated`]).
//!
//! A failed sync is retried until it succeeds, as the host does: the store keeps its unsynced
//! batches. Until then no write is reported as durable. The queue has no limit of its own, because
//! its callers wait: there is one append, one vote and one snapshot chunk at a time.

mod simulated;
mod write_loop;

use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use turnstile_host::simulation;
use turnstile_host::store::Store;

use simulated::SimulatedWriter;
pub(crate) use write_loop::{Done, Write};
use write_loop::{Flags, WriteLoop};

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

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the store is closed")
}

#[cfg(test)]
mod tests {
    use turnstile_host::store::{Batch, Disk};

    use super::*;

    /// What becomes of a write.
    fn written(writer: &Writer) -> io::Result<()> {
        let (done, is_done) = mpsc::channel();
        let done = Box::new(move |result| done.send(result).expect("the test waits"));
        writer.write(Write { batch: Batch::default(), done: Some(done) });
        is_done.recv().expect("it is called")
    }

    #[test]
    fn writes_of_a_store_that_is_given_up_or_closed_are_reported_as_failed() {
        let disk = Disk::default();
        disk.set_full(true);
        let writer = Writer::start(Box::new(disk.open())).expect("a thread can be started");
        writer.give_up();
        let error = written(&writer).expect_err("the disk is full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        writer.close();
        let error = written(&writer).expect_err("it is closed");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
