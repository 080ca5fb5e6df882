//! A batch of messages that are written together.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::{self, Duration};

use super::frame::BEAT_FRAME;
use super::queue::{Queue, Queued};

/// The size in bytes at which a batch takes no further message.
const FULL: usize = 64 * 1024;

/// The messages being written, their progress, and the next messages.
#[derive(Debug)]
pub(super) struct WriteBatch<M> {
    next: VecDeque<Queued<M>>,
    queued: Vec<Queued<M>>,
    bytes: Vec<u8>,
    written: usize,
}

impl<M> Default for WriteBatch<M> {
    fn default() -> Self {
        Self { next: VecDeque::new(), queued: Vec::new(), bytes: Vec::new(), written: 0 }
    }
}

impl<M> WriteBatch<M> {
    /// Takes the queued messages. Returns `false` if there are none.
    pub(super) fn take(&mut self, queue: &Queue<M>) -> bool {
        if self.next.is_empty() {
            queue.swap(&mut self.next);
        }
        while self.bytes.len() < FULL
            && let Some(queued) = self.next.pop_front()
        {
            self.bytes.extend_from_slice(&queued.frame);
            self.queued.push(queued);
        }
        !self.queued.is_empty()
    }

    /// Takes a heartbeat instead of messages.
    pub(super) fn beat(&mut self) {
        self.bytes.extend(BEAT_FRAME);
    }

    /// Writes the batch. The timeout restarts with each part that the stream accepts.
    pub(super) async fn write<W>(&mut self, stream: &mut W, timeout: Duration) -> io::Result<()>
    where
        W: AsyncWrite + Unpin,
    {
        while self.written < self.bytes.len() {
            let written = stream.write(&self.bytes[self.written..]);
            match time::timeout(timeout, written).await.map_err(|_| stuck())?? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => self.written += written,
            }
        }
        time::timeout(timeout, stream.flush()).await.map_err(|_| stuck())?
    }

    /// Removes the messages that were written completely. Returns their number.
    pub(super) fn finish(&mut self, queue: &Queue<M>) -> usize {
        let messages = self.queued.len();
        queue.release(messages, self.queued.iter().map(|queued| queued.frame.len()).sum());
        self.queued.clear();
        self.bytes.clear();
        self.bytes.shrink_to(4 * FULL);
        self.written = 0;
        messages
    }

    /// Puts back the messages of which no byte was written, and drops the others, which may or may
    /// not arrive. Returns the number of those.
    pub(super) fn give_back(&mut self, queue: &Queue<M>) -> usize {
        let (mut begin, mut begun) = (0, 0);
        for queued in &self.queued {
            begun += usize::from(begin < self.written);
            begin += queued.frame.len();
        }
        let unwritten = self.queued.split_off(begun);
        queue.put_back(unwritten.into_iter().chain(self.next.drain(..)));
        self.finish(queue)
    }
}

fn stuck() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the peer does not read in time")
}
