//! Detects that a client has disconnected while its request waits.
//!
//! The HTTP library does not read while a request is being processed, and a client that half-closes
//! still gets its response. Only a long poll watches for the end of the stream; bytes that it reads
//! are buffered for the HTTP library.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The maximum number of buffered bytes; beyond that, a disconnect is not detected.
const BUFFERED_MAX: usize = 4_096;

/// A stream, its buffered bytes, and whether it has ended.
#[derive(Debug)]
struct PeekState<S: ?Sized> {
    buffered: Vec<u8>,
    has_ended: bool,
    stream: S,
}

/// A stream that can be watched for its end.
#[derive(Debug)]
pub(crate) struct PeekStream<S>(Arc<Mutex<PeekState<S>>>);

/// Watches a stream for its end.
#[derive(Clone)]
pub(crate) struct DisconnectWatch(Arc<Mutex<PeekState<dyn AsyncRead + Unpin + Send>>>);

impl<S: AsyncRead + Unpin + Send + 'static> PeekStream<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self(Arc::new(Mutex::new(PeekState { buffered: Vec::new(), has_ended: false, stream })))
    }

    pub(crate) fn disconnect(&self) -> DisconnectWatch {
        DisconnectWatch(self.0.clone())
    }
}

impl<S> PeekStream<S> {
    /// Both ends belong to one task, so the mutex is never contended.
    fn lock(&self) -> MutexGuard<'_, PeekState<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DisconnectWatch {
    /// Completes when the client has closed the connection or its sending side, or the connection
    /// has failed.
    pub(crate) async fn end(&self) {
        poll_fn(|context| self.0.lock().unwrap_or_else(PoisonError::into_inner).poll_end(context))
            .await;
    }
}

impl PeekState<dyn AsyncRead + Unpin + Send> {
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while !self.has_ended {
            let mut space = [0; 256];
            let room = space.len().min(BUFFERED_MAX - self.buffered.len());
            if room == 0 {
                return Poll::Pending;
            }
            let mut buffer = ReadBuf::new(&mut space[..room]);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(read) => {
                    self.has_ended = read.is_err() || buffer.filled().is_empty();
                    self.buffered.extend_from_slice(buffer.filled());
                }
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PeekStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut lock = self.lock();
        if !lock.buffered.is_empty() {
            let len = lock.buffered.len().min(buffer.remaining());
            buffer.put_slice(&lock.buffered[..len]);
            lock.buffered.drain(..len);
            return Poll::Ready(Ok(()));
        }
        if lock.has_ended {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut lock.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PeekStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.lock().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.lock().stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.lock().stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.lock().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.lock().stream).poll_shutdown(context)
    }
}
