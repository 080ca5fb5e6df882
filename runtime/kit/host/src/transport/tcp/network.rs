//! The source of streams: the system's TCP, or any other ordered byte streams.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, lookup_host};

/// An ordered byte stream in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> Stream for S {}

/// Opens streams to other nodes.
pub trait Dial: Send + Sync + 'static {
    /// The type of streams.
    type Stream: Stream;

    /// Connects to a host, given by name or IP address. The caller applies a timeout.
    ///
    /// # Errors
    /// When the host is not found ([`io::ErrorKind::NotFound`]) or unreachable, or refuses
    /// ([`io::ErrorKind::ConnectionRefused`]).
    fn dial(&self, host: &str, port: u16) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// Accepts streams from other nodes.
pub trait Listen: Send + 'static {
    /// The type of streams.
    type Stream: Stream;

    /// Waits for the next stream and the address of its peer. Must be cancel safe.
    ///
    /// # Errors
    /// When a stream could not be accepted; the next call may succeed.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

/// The system's TCP, with TCP_NODELAY.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemTcp;

impl Dial for SystemTcp {
    type Stream = TcpStream;

    async fn dial(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        let found = lookup_host((host, port)).await.map_err(|error| {
            io::Error::new(io::ErrorKind::NotFound, format!("the host is not found: {error}"))
        })?;
        let found: Vec<SocketAddr> = found.collect();
        let stream = TcpStream::connect(&found[..]).await?;
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
