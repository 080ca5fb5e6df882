//! The simulated network under our server and our client.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use turmoil::net::{TcpListener, TcpStream};
use turnstile_claim::client::Connector;
use turnstile_claim::server::{Accept, TryWrite};

use super::outcome::{Event, Tally};
use crate::wire::Wire;

/// A listening socket of the simulation, which takes nobody in while descriptors are spent.
pub(crate) struct Listener {
    listener: TcpListener,
    has_no_descriptors: Arc<AtomicBool>,
    tally: Tally,
}

impl Listener {
    pub(crate) async fn bind(
        port: u16,
        has_no_descriptors: Arc<AtomicBool>,
        tally: Tally,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("0.0.0.0", port)).await?;
        Ok(Self { listener, has_no_descriptors, tally })
    }
}

impl Accept for Listener {
    type Stream = Wire<TcpStream>;

    async fn accept(&mut self) -> io::Result<(Self::Stream, SocketAddr)> {
        let (stream, from) = self.listener.accept().await?;
        if self.has_no_descriptors.load(Ordering::Relaxed) {
            self.tally.note(Event::AcceptRefused);
            return Err(Errno::MFILE.into());
        }
        Ok((Wire(stream), from))
    }
}

/// Connects through the simulation.
pub(crate) fn connector() -> Connector {
    Connector::new(|host: String, port| async move { TcpStream::connect((host, port)).await })
}

impl TryWrite for Wire<TcpStream> {
    fn try_write(&self, text: &[u8]) {
        // Connections are dropped with the simulation itself, too; nobody is there to hear then.
        if turmoil::in_simulation() {
            // Whoever is cut off here may or may not hear it.
            let _sent = self.0.try_write(text);
        }
    }
}
