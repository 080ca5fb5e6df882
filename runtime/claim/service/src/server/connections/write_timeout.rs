//! Write timeout: closes a connection whose client does not read the response.
//!
//! It measures how long no byte of a response can be written.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A stream whose writes fail when no byte could be written for the timeout.
#[derive(Debug)]
pub(crate) struct WriteTimeout<S> {
    stream: S,
    write_timeout: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S: Unpin> WriteTimeout<S> {
    pub(crate) const fn new(stream: S, write_timeout: Duration) -> Self {
        Self { stream, write_timeout, stalled: None }
    }

    fn stream(&mut self) -> Pin<&mut S> {
        Pin::new(&mut self.stream)
    }

    /// Restarts the timeout after each successful write.
    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        poll: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.stalled = None;
            return poll;
        }
        let write_timeout = self.write_timeout;
        let stalled =
            self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(write_timeout)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client does not read the response in time",
        )))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = self.stream().poll_write(context, bytes);
        self.check(context, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = self.stream().poll_write_vectored(context, slices);
        self.check(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = self.stream().poll_flush(context);
        self.check(context, poll)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = self.stream().poll_shutdown(context);
        self.check(context, poll)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use crate::server::connections::write_timeout::*;

    const TIMEOUT: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_response_that_is_not_read_times_out() {
        let (near, _far) = tokio::io::duplex(10);
        let mut near = WriteTimeout::new(near, TIMEOUT);
        let before = tokio::time::Instant::now();
        let error = near.write_all(&[0; 11]).await.expect_err("there is no room");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(before.elapsed().as_secs(), TIMEOUT.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_read_slowly_is_not() {
        let (near, mut far) = tokio::io::duplex(10);
        let mut near = WriteTimeout::new(near, TIMEOUT);
        let writing = tokio::spawn(async move { near.write_all(&[0; 100]).await });
        for _ in 0..10 {
            tokio::time::advance(TIMEOUT * 2 / 3).await;
            far.read_exact(&mut [0; 10]).await.expect("it is written");
        }
        writing.await.expect("no panic").expect("something went out all the time");
    }
}
