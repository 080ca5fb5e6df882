//! The simulated network under our server and our client.

use std::io;
use std::net::SocketAddr;

use turmoil::net::{TcpListener, TcpStream};
use turnstile_driver::client::Connector;
use turnstile_driver::server::{Accept, LastWord};

use crate::wire::Wire;

/// A listening socket of the simulation.
pub(super) struct Listener(TcpListener);

impl Listener {
    pub(super) async fn bind(port: u16) -> io::Result<Self> {
        TcpListener::bind(("0.0.0.0", port)).await.map(Self)
    }
}

impl Accept for Listener {
    type Stream = Wire<TcpStream>;

    async fn accept(&mut self) -> io::Result<(Self::Stream, SocketAddr)> {
        let (stream, from) = self.0.accept().await?;
        Ok((Wire(stream), from))
    }
}

/// Connects through the simulation.
pub(super) fn connector() -> Connector {
    Connector::new(|host: String, port| async move { TcpStream::connect((host, port)).await })
}

impl LastWord for Wire<TcpStream> {
    fn say(&self, text: &[u8]) {
        // Connections are dropped with the simulation itself, too; nobody is there to hear then.
        if turmoil::in_simulation() {
            // Whoever is cut off here may or may not hear it.
            let _sent = self.0.try_write(text);
        }
    }
}
