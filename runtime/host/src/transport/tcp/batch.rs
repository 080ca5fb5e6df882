//! Messages that are being written together.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::{self, Duration};

use super::frame::BEAT_FRAME;
use super::queue::{Queue, Queued};

/// The bytes from which on a batch takes no further message.
const FULL: usize = 64 * 1024;

/// Messages that are being written, and how far; and those that come next.
#[derive(Debug)]
pub(super) struct Batch<M> {
    next: VecDeque<Queued<M>>,
    queued: Vec<Queued<M>>,
    bytes: Vec<u8>,
    written: usize,
}

impl<M> Default for Batch<M> {
    fn default() -> Self {
        Self { next: VecDeque::new(), queued: Vec::new(), bytes: Vec::new(), written: 0 }
    }
}

impl<M> Batch<M> {
    /// Takes what waits. False if nothing does.
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

    /// Writes all of it. Each part that the stream takes has time anew.
    pub(super) async fn write<W>(&mut self, stream: &mut W, patience: Duration) -> io::Result<()>
    where
        W: AsyncWrite + Unpin,
    {
        while self.written < self.bytes.len() {
            let written = stream.write(&self.bytes[self.written..]);
            match time::timeout(patience, written).await.map_err(|_| stuck())?? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => self.written += written,
            }
        }
        time::timeout(patience, stream.flush()).await.map_err(|_| stuck())?
    }

    /// Forgets what was written whole. How many messages they are.
    pub(super) fn finish(&mut self, queue: &Queue<M>) -> usize {
        let messages = self.queued.len();
        queue.release(messages, self.queued.iter().map(|queued| queued.frame.len()).sum());
        self.queued.clear();
        self.bytes.clear();
        self.bytes.shrink_to(4 * FULL);
        self.written = 0;
        messages
    }

    /// Puts the messages back of which not a byte was written, and forgets the others, which may or
    /// may not have arrived. How many they are.
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
    io::Error::new(io::ErrorKind::TimedOut, "the peer does not read")
}
