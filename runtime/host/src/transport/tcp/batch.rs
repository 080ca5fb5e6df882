//! Messages that are being written together.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::{self, Duration};

use super::frame::BEAT_FRAME;
use super::queue::{Queue, Queued};

/// The bytes from which on a batch takes no further message.
const FULL: usize = 64 * 1024;

/// Messages that are being written, and how far.
#[derive(Debug)]
pub(super) struct Batch<M> {
    queued: Vec<Queued<M>>,
    bytes: Vec<u8>,
    written: usize,
}

impl<M> Default for Batch<M> {
    fn default() -> Self {
        Self { queued: Vec::new(), bytes: Vec::new(), written: 0 }
    }
}

impl<M> Batch<M> {
    /// Takes what waits. False if nothing does.
    pub(super) fn take(&mut self, queue: &Queue<M>) -> bool {
        queue.take(&mut self.queued, FULL);
        for queued in &self.queued {
            self.bytes.extend_from_slice(&queued.frame);
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

    /// Puts the messages back of which not a byte was written, and forgets the others, which may or
    /// may not have arrived. How many they are.
    pub(super) fn finish(&mut self, queue: &Queue<M>) -> usize {
        let (mut begin, mut begun, mut bytes) = (0, 0, 0);
        for queued in &self.queued {
            if begin < self.written {
                begun += 1;
                bytes += queued.frame.len();
            }
            begin += queued.frame.len();
        }
        queue.put_back(self.queued.drain(begun..));
        queue.release(begun, bytes);
        self.queued.clear();
        self.bytes.clear();
        self.bytes.shrink_to(4 * FULL);
        self.written = 0;
        begun
    }
}

fn stuck() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the peer does not read")
}
