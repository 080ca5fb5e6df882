//! What waits for a peer: bounded by messages and by bytes, in order.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::transport::Why;

/// A message that waits, with the frame that holds it.
#[derive(Debug)]
pub(super) struct Queued<M> {
    pub(super) message: M,
    pub(super) frame: Vec<u8>,
    /// When it was queued.
    pub(super) since: Instant,
}

#[derive(Debug)]
pub(super) struct Queue<M> {
    inner: Mutex<Inner<M>>,
    changed: Notify,
    most_messages: usize,
    most_bytes: usize,
}

#[derive(Debug)]
struct Inner<M> {
    waiting: VecDeque<Queued<M>>,
    /// Those that wait and those that are being written.
    messages: usize,
    bytes: usize,
    closed: Option<Why>,
}

impl<M> Queue<M> {
    pub(super) fn new(most_messages: usize, most_bytes: usize) -> Self {
        let inner = Inner { waiting: VecDeque::new(), messages: 0, bytes: 0, closed: None };
        Self { inner: Mutex::new(inner), changed: Notify::new(), most_messages, most_bytes }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<M>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, queued: Queued<M>) -> Result<(), (M, Why)> {
        let mut inner = self.inner();
        if let Some(why) = inner.closed {
            return Err((queued.message, why));
        }
        let bytes = inner.bytes + queued.frame.len();
        if inner.messages >= self.most_messages || bytes > self.most_bytes {
            return Err((queued.message, Why::QueueFull));
        }
        inner.messages += 1;
        inner.bytes = bytes;
        inner.waiting.push_back(queued);
        let is_first = inner.waiting.len() == 1;
        drop(inner);
        if is_first {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Takes out all that waits, in place of nothing. They keep their room.
    pub(super) fn swap(&self, empty: &mut VecDeque<Queued<M>>) {
        std::mem::swap(&mut self.inner().waiting, empty);
    }

    /// Gives the room of messages that were taken and are written.
    pub(super) fn release(&self, messages: usize, bytes: usize) {
        let mut inner = self.inner();
        inner.messages -= messages;
        inner.bytes -= bytes;
    }

    /// Puts messages that were taken back to where they were.
    pub(super) fn put_back(&self, batch: impl DoubleEndedIterator<Item = Queued<M>>) {
        let mut inner = self.inner();
        for queued in batch.rev() {
            inner.waiting.push_front(queued);
        }
    }

    /// When the message was queued that has waited longest.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.inner().waiting.front().map(|queued| queued.since)
    }

    /// Takes out the messages that were queued at a time or before.
    pub(super) fn take_older(&self, than: Instant) -> Vec<M> {
        let mut inner = self.inner();
        let mut taken = Vec::new();
        while let Some(queued) = inner.waiting.pop_front_if(|queued| queued.since <= than) {
            inner.messages -= 1;
            inner.bytes -= queued.frame.len();
            taken.push(queued.message);
        }
        taken
    }

    /// Takes out all messages.
    pub(super) fn take_all(&self) -> Vec<M> {
        let mut inner = self.inner();
        let waiting = std::mem::take(&mut inner.waiting);
        inner.messages -= waiting.len();
        inner.bytes -= waiting.iter().map(|queued| queued.frame.len()).sum::<usize>();
        waiting.into_iter().map(|queued| queued.message).collect()
    }

    /// Takes no more messages, from now on.
    pub(super) fn close(&self, why: Why) {
        self.inner().closed.get_or_insert(why);
        self.changed.notify_one();
    }

    /// Waits until a message waits (true), or none does and none will (false). One task at a time.
    pub(super) async fn ready(&self) -> bool {
        loop {
            {
                let inner = self.inner();
                if !inner.waiting.is_empty() {
                    return true;
                }
                if inner.closed.is_some() {
                    return false;
                }
            }
            self.changed.notified().await;
        }
    }

    /// Waits until something has changed since anybody last waited.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}
