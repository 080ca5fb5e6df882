//! A network in memory, for paused time: streams with small buffers, and no delay.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::DuplexStream;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use turnstile_host::transport::tcp::{Address, Dial, Limits, Listen, Options, Tcp};

use super::inbox::{Inbox, Outbox, Text, inbox};

/// The protocol of these tests.
pub(crate) const PROTOCOL: &str = "test/1";

/// The bytes that fit into a stream in each direction.
const BUFFER: usize = 4096;

/// Who listens at which port. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Pipes {
    listeners: Arc<Mutex<BTreeMap<u16, UnboundedSender<DuplexStream>>>>,
}

/// One listening port.
pub(crate) struct Pipe(UnboundedReceiver<DuplexStream>);

/// A node of these tests with what it has heard.
pub(crate) type Pair = (Tcp<u32, Text>, Outbox);

impl Pipes {
    /// Listens at a port, in place of who did so before.
    pub(crate) fn listen(&self, port: u16) -> Pipe {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.listeners.lock().expect("no panic").insert(port, sender);
        Pipe(receiver)
    }

    /// Connects as anybody could who is no node.
    pub(crate) fn connect(&self, port: u16) -> io::Result<DuplexStream> {
        let (near, far) = tokio::io::duplex(BUFFER);
        let listeners = self.listeners.lock().expect("no panic");
        let listener = listeners.get(&port).ok_or(io::ErrorKind::ConnectionRefused)?;
        listener.send(far).map_err(|_| io::ErrorKind::ConnectionRefused)?;
        Ok(near)
    }

    /// Starts a node of an id that listens at the port of the same number.
    pub(crate) fn start(&self, options: Options<u32>, id: u16, room: usize) -> Pair {
        let (inbox, outbox) = inbox(room);
        (self.start_with(options, id, inbox), outbox)
    }

    pub(crate) fn start_with(
        &self,
        options: Options<u32>,
        id: u16,
        inbox: Inbox,
    ) -> Tcp<u32, Text> {
        options.start(self.listen(id), self.clone(), inbox).expect("the options are good")
    }

    /// Nodes 1 to `number`, each of which knows all others.
    pub(crate) fn nodes(&self, number: u16, limits: &Limits, room: usize) -> Vec<Pair> {
        let start = |id| self.start(options(id, number).limits(limits.clone()), id, room);
        (1..=number).map(start).collect()
    }
}

/// What one of the nodes 1 to `number` is told.
pub(crate) fn options(id: u16, number: u16) -> Options<u32> {
    (1..=number).fold(Options::new(u32::from(id), PROTOCOL).seed(7), |options, peer| {
        options.peer(u32::from(peer), Address::new("pipe", peer))
    })
}

impl Dial for Pipes {
    type Stream = DuplexStream;

    async fn dial(&self, _host: &str, port: u16) -> io::Result<DuplexStream> {
        self.connect(port)
    }
}

impl Listen for Pipe {
    type Stream = DuplexStream;

    async fn accept(&mut self) -> io::Result<(DuplexStream, SocketAddr)> {
        match self.0.recv().await {
            Some(stream) => Ok((stream, SocketAddr::from((Ipv4Addr::LOCALHOST, 1)))),
            None => std::future::pending().await,
        }
    }
}
