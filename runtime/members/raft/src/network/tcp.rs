//! A network over TCP, with or without TLS, on the host's transport.
//!
//! The transport frames the messages, limits their size, reconnects with backoff, and rejects a
//! peer of another version or without the right certificate; see
//! [`turnstile_host::transport::tcp`]. A member accepts only members whose addresses it has: those
//! of [`TcpOptions::peers`], and those in the log. The addresses of the log replace the others.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpListener;
use turnstile_host::transport::tcp::{Address, Limits, Options, SystemTcp, Tcp, Tls};
use turnstile_host::transport::{Counts, Transport as _};

use super::calls::{Calls, Incoming, Message};
use super::{Boxed, CallError, Handler, Network, REQUEST_BYTES_MAX, Trouble};
use crate::error::Members;

/// The protocol, with the version of its messages.
const PROTOCOL: &str = "turnstile-raft/4";

/// How long a closing network sends what is queued.
const CLOSE: Duration = Duration::from_secs(1);

/// The configuration of a [`TcpNetwork`].
#[derive(Clone, Debug)]
pub struct TcpOptions {
    /// The id of this member.
    pub id: u64,
    /// The members that are known before the log names them: for a member that is to be added, at
    /// least those that are there.
    pub peers: BTreeMap<u64, Address>,
    /// The certificate of this member, and the authorities of the others.
    pub tls: Option<Tls>,
    /// The limits of connections. The frames must have room for the largest request, 8 MiB.
    pub limits: Limits,
}

impl TcpOptions {
    /// A member that knows no other, without TLS.
    #[must_use]
    pub fn new(id: u64) -> Self {
        let limits = Limits {
            frame_bytes: REQUEST_BYTES_MAX,
            queue_bytes: 4 * REQUEST_BYTES_MAX,
            // Requests are repeated: old ones are of no use.
            timeout: Duration::from_secs(1),
            backoff_most: Duration::from_secs(1),
            ..Limits::default()
        };
        Self { id, peers: BTreeMap::new(), tls: None, limits }
    }

    /// Adds a peer.
    #[must_use]
    pub fn peer(mut self, id: u64, address: Address) -> Self {
        self.peers.insert(id, address);
        self
    }

    /// Enables TLS.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    fn transport(&self) -> Options<u64> {
        let mut options = Options::new(self.id, PROTOCOL).limits(self.limits.clone());
        for (id, address) in &self.peers {
            options = options.peer(*id, address.clone());
        }
        match &self.tls {
            Some(tls) => options.tls(tls.clone()),
            None => options,
        }
    }
}

/// The connections of one member.
pub struct TcpNetwork {
    id: u64,
    calls: Arc<Calls>,
    transport: Arc<Tcp<u64, Message>>,
    configured: BTreeMap<u64, Address>,
    /// The addresses that the transport has.
    known: Mutex<BTreeMap<u64, Address>>,
}

impl TcpNetwork {
    /// Listens on a local address, `host:port`. Needs a tokio runtime.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn bind(options: TcpOptions, listen: &str) -> io::Result<Arc<Self>> {
        let listener = TcpListener::bind(listen).await.map_err(turnstile_host::at(listen))?;
        if options.tls.is_none() && !listener.local_addr()?.ip().is_loopback() {
            let text = "members are not authenticated here: whoever reaches this port can change \
                        the log; give all of them certificates";
            tracing::warn!(listen, "{text}");
        }
        Self::start(options, listener)
    }

    /// Starts with a listener. Needs a tokio runtime.
    ///
    /// # Errors
    /// When the transport cannot be started.
    pub fn start(options: TcpOptions, listener: TcpListener) -> io::Result<Arc<Self>> {
        let calls = Calls::new();
        let incoming = Incoming(Arc::clone(&calls));
        let transport = Arc::new(options.transport().start(listener, SystemTcp, incoming)?);
        let sender = Arc::downgrade(&transport);
        calls.connect(Box::new(move |to, message| {
            let closed = || CallError::new("the network is closed");
            let transport = sender.upgrade().ok_or_else(closed)?;
            transport.send(to, message).map_err(|unsent| CallError::new(unsent.why.to_string()))
        }));
        let TcpOptions { id, peers, .. } = options;
        let known = Mutex::new(peers.clone());
        Ok(Arc::new(Self { id, calls, transport, configured: peers, known }))
    }

    /// What the transport has done.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.transport.counts()
    }
}

impl Network for TcpNetwork {
    fn serve(&self, handler: Arc<dyn Handler>) {
        self.calls.serve(handler);
    }

    fn set_members(&self, members: &Members) {
        let mut wanted = self.configured.clone();
        for (id, text) in members.iter().filter(|(id, _)| **id != self.id) {
            // A configured address may have a name for TLS, too.
            if wanted.get(id).is_some_and(|configured| configured.to_string() == *text) {
                continue;
            }
            match text.parse() {
                Ok(address) => drop(wanted.insert(*id, address)),
                Err(error) => tracing::error!(id, %error, "the member cannot be reached"),
            }
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for id in known.keys().filter(|id| !wanted.contains_key(id)) {
            self.transport.set_peer(*id, None);
        }
        for (id, address) in &wanted {
            if known.get(id) != Some(address) {
                self.transport.set_peer(*id, Some(address.clone()));
            }
        }
        *known = wanted;
    }

    fn call(&self, to: u64, request: Bytes) -> Boxed<'_, Result<Bytes, CallError>> {
        Box::pin(self.calls.call(to, request))
    }

    fn trouble(&self, to: u64) -> Option<Trouble> {
        self.transport.trouble(to)
    }

    fn replaced(&self) -> u64 {
        self.transport.replaced()
    }

    fn close(&self) -> Boxed<'_, ()> {
        Box::pin(async {
            self.transport.close(CLOSE).await;
            self.calls.close();
        })
    }
}
