//! How streams are made: over the system's TCP, or over anything else that carries bytes in order.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

/// Bytes in order, both ways.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> Stream for S {}

/// Makes streams to other nodes.
pub trait Dial: Send + Sync + 'static {
    /// What is made.
    type Stream: Stream;

    /// Connects to a host, which is a name or an IP address. The caller limits the time.
    ///
    /// # Errors
    /// When the host is not known or not reachable, or refuses.
    fn dial(&self, host: &str, port: u16) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// Takes the streams that other nodes make.
pub trait Listen: Send + 'static {
    /// What is taken.
    type Stream: Stream;

    /// Waits for the next stream, and tells where it comes from. May be dropped and called again.
    ///
    /// # Errors
    /// When a stream could not be taken; the next call may well succeed.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

/// The system's TCP, without Nagle's delay.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemTcp;

impl Dial for SystemTcp {
    type Stream = TcpStream;

    async fn dial(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        let stream = TcpStream::connect((host, port)).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

impl Listen for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, from) = Self::accept(self).await?;
        stream.set_nodelay(true)?;
        Ok((stream, from))
    }
}

/// A stream of whatever kind.
pub(super) type Wire = Box<dyn Stream>;
