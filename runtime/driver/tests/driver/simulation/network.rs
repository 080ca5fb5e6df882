//! The simulated network under our server and our client.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};
use turnstile_driver::client::Connector;
use turnstile_driver::server::{Accept, LastWord};

/// A listening socket of the simulation.
pub(super) struct Listener(TcpListener);

/// A connection of the simulation.
pub(super) struct Stream(TcpStream);

impl Listener {
    pub(super) async fn bind(port: u16) -> io::Result<Self> {
        TcpListener::bind(("0.0.0.0", port)).await.map(Self)
    }
}

impl Accept for Listener {
    type Stream = Stream;

    async fn accept(&mut self) -> io::Result<(Stream, SocketAddr)> {
        let (stream, from) = self.0.accept().await?;
        Ok((Stream(stream), from))
    }
}

/// Connects through the simulation.
pub(super) fn connector() -> Connector {
    Connector::new(|host: String, port| async move { TcpStream::connect((host, port)).await })
}

impl LastWord for Stream {
    fn say(&self, text: &[u8]) {
        // Connections are dropped with the simulation itself, too; nobody is there to hear then.
        if turmoil::in_simulation() {
            // Whoever is cut off here may or may not hear it.
            let _sent = self.0.try_write(text);
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
