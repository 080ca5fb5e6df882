//! A connection that a waiting request can listen to: it hears whether the client is still there.
//!
//! Whoever speaks HTTP does not read while a request is answered, so that a client may close its
//! side and still be answered. Only a request that waits looks for the end; what it reads on the
//! way is kept for whoever speaks HTTP. Nothing here reads what is said.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// So much of further requests is read while one waits; behind more, the end is not heard.
const AHEAD_MAX: usize = 4_096;

/// A stream, what was read ahead of it, and whether it has ended.
#[derive(Debug)]
struct Heard<S: ?Sized> {
    ahead: Vec<u8>,
    has_ended: bool,
    stream: S,
}

/// A stream, and an ear at it.
#[derive(Debug)]
pub(super) struct Overheard<S>(Arc<Mutex<Heard<S>>>);

/// What a request hears of its connection.
#[derive(Clone)]
pub(crate) struct Ear(Arc<Mutex<Heard<dyn AsyncRead + Unpin + Send>>>);

impl<S: AsyncRead + Unpin + Send + 'static> Overheard<S> {
    pub(super) fn new(stream: S) -> Self {
        Self(Arc::new(Mutex::new(Heard { ahead: Vec::new(), has_ended: false, stream })))
    }

    pub(super) fn ear(&self) -> Ear {
        Ear(self.0.clone())
    }
}

impl<S> Overheard<S> {
    /// One task speaks and listens, so nobody ever waits here.
    fn heard(&self) -> MutexGuard<'_, Heard<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ear {
    /// Done once the client has closed its side, or the connection is broken.
    pub(crate) async fn end(&self) {
        poll_fn(|context| self.0.lock().unwrap_or_else(PoisonError::into_inner).poll_end(context))
            .await;
    }
}

impl Heard<dyn AsyncRead + Unpin + Send> {
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while !self.has_ended {
            let mut space = [0; 256];
            let room = space.len().min(AHEAD_MAX - self.ahead.len());
            if room == 0 {
                return Poll::Pending;
            }
            let mut buffer = ReadBuf::new(&mut space[..room]);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(read) => {
                    self.has_ended = read.is_err() || buffer.filled().is_empty();
                    self.ahead.extend_from_slice(buffer.filled());
                }
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Overheard<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut heard = self.heard();
        if !heard.ahead.is_empty() {
            let len = heard.ahead.len().min(buffer.remaining());
            buffer.put_slice(&heard.ahead[..len]);
            heard.ahead.drain(..len);
            return Poll::Ready(Ok(()));
        }
        if heard.has_ended {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut heard.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Overheard<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.heard().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.heard().stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.heard().stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.heard().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.heard().stream).poll_shutdown(context)
    }
}
