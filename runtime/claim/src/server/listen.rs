//! Connections: taken in up to a limit, each with limited patience, each ended in good order.
//!
//! A client that sends its header too slowly is told 408; one too many is told 503. Nothing here
//! reads what a request says.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

const TOO_SLOW: &[u8] = b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\n\
content-length: 47\r\nconnection: close\r\n\r\n\
{\"message\":\"The request did not come in time.\"}";
const TOO_MANY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
retry-after: 1\r\ncontent-length: 48\r\nconnection: close\r\n\r\n\
{\"message\":\"Too many connections are open now.\"}";

/// More connections than this do not wait to be taken in; the system may allow fewer.
const QUEUE_MAX: u32 = 16_384;

/// Where connections come from.
pub trait Accept: Send {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + LastWord + Unpin + Send + 'static;

    /// The next connection.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

/// A stream to which something can be said without waiting, when it is given up.
pub trait LastWord {
    /// Sends as much as goes out at once.
    fn say(&self, text: &[u8]);
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, from) = TcpListener::accept(self).await?;
        stream.set_nodelay(true)?;
        Ok((stream, from))
    }
}

impl LastWord for TcpStream {
    fn say(&self, text: &[u8]) {
        // The client is given up: whether it hears this is its own affair.
        let _sent = self.try_write(text);
    }
}

/// A socket that listens. Its queue is long: a client that finds it full tries again after a
/// second, which is what a thousand that come back at once would wait for, again and again.
pub(super) fn bind(at: SocketAddr) -> io::Result<TcpListener> {
    let socket = if at.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(at)?;
    socket.listen(QUEUE_MAX)
}

/// Turns a connection away.
pub(super) fn turn_away(stream: &impl LastWord) {
    stream.say(TOO_MANY);
}

/// A stream that says 408 when it is dropped in the middle of a request's header.
#[derive(Debug)]
pub(super) struct Line<S: LastWord> {
    stream: S,
    has_unanswered: bool,
}

impl<S: LastWord> Line<S> {
    pub(super) const fn new(stream: S) -> Self {
        Self { stream, has_unanswered: false }
    }
}

impl<S: LastWord> Drop for Line<S> {
    fn drop(&mut self) {
        if self.has_unanswered {
            self.stream.say(TOO_SLOW);
        }
    }
}

impl<S: AsyncRead + LastWord + Unpin> AsyncRead for Line<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        if poll.is_ready() {
            // The end of the stream is no question.
            self.has_unanswered = buffer.filled().len() > before;
        }
        poll
    }
}

impl<S: AsyncWrite + LastWord + Unpin> AsyncWrite for Line<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.has_unanswered = false;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.has_unanswered = false;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.has_unanswered = false;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Prints where the server listens, for whoever has started it with port 0.
pub(super) fn announce(scheme: &str, at: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "listening on {scheme}://{at}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8]) {
        let text = std::str::from_utf8(text).expect("plain text");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok(), "{body}");
    }

    #[test]
    fn last_words_are_whole_responses() {
        check(TOO_SLOW);
        check(TOO_MANY);
    }
}
