//! The simulated streams under the members' transport.

use std::io;
use std::net::{IpAddr, SocketAddr};

use turmoil::net::{TcpListener, TcpStream};
use turnstile_host::transport::tcp::{Dial, Listen};

/// Connects through the simulation.
pub(crate) struct Dialer;

impl Dial for Dialer {
    type Stream = TcpStream;

    async fn dial(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        let host: IpAddr = host.parse().map_err(io::Error::other)?;
        TcpStream::connect((host, port)).await
    }
}

/// A listening socket of the simulation.
pub(crate) struct Listener(TcpListener);

impl Listener {
    pub(crate) async fn bind(port: u16) -> io::Result<Self> {
        TcpListener::bind(("0.0.0.0", port)).await.map(Self)
    }
}

impl Listen for Listener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }
}
