//! The queue of messages for a peer, in order, bounded by count and bytes.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::transport::UnsentReason;

/// A queued message with its frame.
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
    /// Queued messages and those being written.
    messages: usize,
    bytes: usize,
    closed: Option<UnsentReason>,
}

impl<M> Queue<M> {
    pub(super) fn new(most_messages: usize, most_bytes: usize) -> Self {
        let inner = Inner { waiting: VecDeque::new(), messages: 0, bytes: 0, closed: None };
        Self { inner: Mutex::new(inner), changed: Notify::new(), most_messages, most_bytes }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<M>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, queued: Queued<M>) -> Result<(), (M, UnsentReason)> {
        let mut inner = self.inner();
        if let Some(why) = inner.closed {
            return Err((queued.message, why));
        }
        let bytes = inner.bytes + queued.frame.len();
        if inner.messages >= self.most_messages || bytes > self.most_bytes {
            return Err((queued.message, UnsentReason::QueueFull));
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

    /// Takes all queued messages into an empty buffer. They still count toward the limits.
    pub(super) fn swap(&self, empty: &mut VecDeque<Queued<M>>) {
        std::mem::swap(&mut self.inner().waiting, empty);
    }

    /// Frees the space of messages that were taken and written.
    pub(super) fn release(&self, messages: usize, bytes: usize) {
        let mut inner = self.inner();
        inner.messages -= messages;
        inner.bytes -= bytes;
    }

    /// Puts taken messages back at the front.
    pub(super) fn put_back(&self, batch: impl DoubleEndedIterator<Item = Queued<M>>) {
        let mut inner = self.inner();
        for queued in batch.rev() {
            inner.waiting.push_front(queued);
        }
    }

    /// When the oldest message was queued.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.inner().waiting.front().map(|queued| queued.since)
    }

    /// Removes the messages that were queued at this time or before.
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

    /// Removes all messages.
    pub(super) fn take_all(&self) -> Vec<M> {
        let mut inner = self.inner();
        let waiting = std::mem::take(&mut inner.waiting);
        inner.messages -= waiting.len();
        inner.bytes -= waiting.iter().map(|queued| queued.frame.len()).sum::<usize>();
        waiting.into_iter().map(|queued| queued.message).collect()
    }

    /// Closes the queue for further messages.
    pub(super) fn close(&self, why: UnsentReason) {
        self.inner().closed.get_or_insert(why);
        self.changed.notify_one();
    }

    /// Waits until the queue is not empty (`true`), or empty and closed (`false`). One task at a
    /// time.
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

    /// Waits for a change since the last wait.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}
