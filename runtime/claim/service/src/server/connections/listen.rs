//! Listening: accepts connections up to a limit, and rejects requests that time out.
//!
//! A client that sends its header too slowly is answered with 408, a connection above the limit
//! with 503. Requests are not interpreted.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::server::options::Options;

const TOO_SLOW: &[u8] = b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\n\
content-length: 51\r\nconnection: close\r\n\r\n\
{\"message\":\"The request was not received in time.\"}";
const TOO_MANY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
retry-after: 1\r\ncontent-length: 44\r\nconnection: close\r\n\r\n\
{\"message\":\"Too many connections are open.\"}";

/// The length of the listen queue; the system may reduce it.
const QUEUE_MAX: u32 = 16_384;

/// A source of connections.
pub trait Accept: Send {
    /// A connection.
    type Stream: TryWrite + 'static;

    /// The next connection.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

/// A stream of bytes that is read and written.
pub trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for S {}

/// A stream that can be written without waiting, before it is closed.
pub trait TryWrite: ByteStream {
    /// Sends as many bytes as possible without blocking.
    fn try_write(&self, text: &[u8]);
}

impl TryWrite for Box<dyn TryWrite> {
    fn try_write(&self, text: &[u8]) {
        (**self).try_write(text);
    }
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, from) = TcpListener::accept(self).await?;
        stream.set_nodelay(true)?;
        Ok((stream, from))
    }
}

impl TryWrite for TcpStream {
    fn try_write(&self, text: &[u8]) {
        // The connection is closed next: a failed or partial write is acceptable.
        let _sent = self.try_write(text);
    }
}

/// An address that is taken, at which nothing listens yet: connections are refused until then.
#[derive(Debug)]
pub struct TakenAddress(TcpSocket);

impl TakenAddress {
    /// Takes the address that `--listen` names. Needs a tokio runtime.
    ///
    /// # Errors
    /// When it is not free, or not loopback and TLS or tokens are missing.
    pub fn take(at: SocketAddr, options: &Options) -> io::Result<Self> {
        let is_guarded = options.tls.is_some() && !options.tokens.is_open();
        if !at.ip().is_loopback() && !is_guarded {
            let text = format!(
                "{at} is not on loopback: TLS and bearer tokens are required there \
                 (--tls-cert, --tls-key, --tokens)"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        Self::bind(at).map_err(turnstile_host::at(format!("--listen {at}")))
    }

    fn bind(at: SocketAddr) -> io::Result<Self> {
        let socket = if at.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(at)?;
        Ok(Self(socket))
    }

    /// Listens, with a long queue: a client that finds the queue full retries after a second, so
    /// that a thousand reconnecting clients would need many seconds.
    pub(crate) fn listen(self) -> io::Result<TcpListener> {
        self.0.listen(QUEUE_MAX)
    }
}

/// Rejects a connection with 503.
pub(crate) fn turn_away(stream: &impl TryWrite) {
    stream.try_write(TOO_MANY);
}

/// A stream that sends 408 when it is dropped within a request's header.
#[derive(Debug)]
pub(crate) struct RejectOnDrop<S: TryWrite> {
    stream: S,
    has_unanswered: bool,
}

impl<S: TryWrite> RejectOnDrop<S> {
    pub(crate) const fn new(stream: S) -> Self {
        Self { stream, has_unanswered: false }
    }
}

impl<S: TryWrite> Drop for RejectOnDrop<S> {
    fn drop(&mut self) {
        if self.has_unanswered {
            self.stream.try_write(TOO_SLOW);
        }
    }
}

impl<S: TryWrite> AsyncRead for RejectOnDrop<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        if poll.is_ready() {
            // The end of the stream is not the start of a request.
            self.has_unanswered = buffer.filled().len() > before;
        }
        poll
    }
}

impl<S: TryWrite> AsyncWrite for RejectOnDrop<S> {
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

/// Prints the address on which the server listens, for callers that use port 0.
pub(crate) fn announce(scheme: &str, at: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "listening on {scheme}://{at}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use crate::server::connections::listen::*;

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
