//! The simulated streams under our transport.

use std::io;
use std::net::SocketAddr;

use turmoil::net::{TcpListener, TcpStream};
use turnstile_host::transport::tcp::{Dial, Listen};

/// Connects through the simulation.
pub struct Dialer;

impl Dial for Dialer {
    type Stream = TcpStream;

    async fn dial(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        TcpStream::connect((host, port)).await
    }
}

/// A listening socket of the simulation.
pub struct Listener(TcpListener);

impl Listener {
    /// Listens at a port of all addresses of the simulated host.
    pub async fn bind(port: u16) -> io::Result<Self> {
        TcpListener::bind(("0.0.0.0", port)).await.map(Self)
    }
}

impl Listen for Listener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }
}
