//! What a node is told before it begins: its id, its peers, its protocol and its limits.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::net::TcpListener;

use super::network::{Dial, Listen, SystemTcp};
use super::tls::Tls;
use super::{Message, Tcp};
use crate::Dice;
use crate::transport::Receiver;

/// What may be a node's id: a small value that can be sent. At most some 300 bytes when encoded.
pub trait PeerId:
    Copy + Ord + Hash + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<P> PeerId for P where
    P: Copy + Ord + Hash + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// Where a peer listens. Its text is `host:port`, where an IPv6 address stands in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) name: Option<String>,
}

impl Address {
    /// A port of a host, which is a DNS name or an IP address without brackets.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port, name: None }
    }

    /// The DNS name, or the IP address, for which the peer's certificate must be valid. Unless this
    /// is said it is the host. Peers that share a host need names of their own: otherwise each of
    /// them may claim to be the other.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The name for which the peer's certificate must be valid.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.host)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

impl FromStr for Address {
    type Err = io::Error;

    fn from_str(text: &str) -> io::Result<Self> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidInput, not_an_address(text));
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if host.is_empty() || (inner.is_none() && host.contains([':', '[', ']'])) {
            return Err(wrong());
        }
        Ok(Self::new(inner.unwrap_or(host), port))
    }
}

fn not_an_address(text: &str) -> String {
    format!("`{text}` is not host:port")
}

/// Bounds of memory and of time. [`Limits::default`] has a value for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of an encoded message and one byte more, 1 to `u32::MAX`; 1 MiB. Longer ones
    /// are handed back by the node that sends them, and the node that receives one breaks the
    /// connection before it takes memory for it.
    pub frame_bytes: usize,
    /// The most messages that wait for one peer, those that are being written included; 4096.
    pub queue_messages: usize,
    /// The most bytes of encoded messages that wait for one peer, with the five bytes before each;
    /// 8 MiB. A message of more bytes than this is never taken.
    pub queue_bytes: usize,
    /// How long a message waits for a peer that is not connected, before it is handed back; 10 s.
    pub patience: Duration,
    /// The longest time to connect, with TLS and the answer to the hello; 5 s.
    pub connect: Duration,
    /// The longest time in which a peer reads nothing of what is written to it; 10 s. Longer than
    /// a peer's node may be busy with what fills its buffers.
    pub write: Duration,
    /// How often each side of a connection says that it is there, when it has nothing else to say;
    /// 2 s.
    pub heartbeat: Duration,
    /// After how long without a byte a peer is taken for lost; 10 s. Longer than the heartbeat.
    pub silence: Duration,
    /// The longest wait before the second attempt to connect, 50 ms; it doubles with each further
    /// one. Each wait is drawn from its upper half.
    pub backoff_least: Duration,
    /// The longest wait between two attempts to connect; 5 s. A connection that holds for longer
    /// begins the waits anew.
    pub backoff_most: Duration,
    /// The most connections from peers at a time, those that have said no hello included; 256.
    pub connections: usize,
    /// The longest time in which a peer that connects finishes TLS and says hello; 5 s.
    pub hello: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame_bytes: 1 << 20,
            queue_messages: 4096,
            queue_bytes: 8 << 20,
            patience: Duration::from_secs(10),
            connect: Duration::from_secs(5),
            write: Duration::from_secs(10),
            heartbeat: Duration::from_secs(2),
            silence: Duration::from_secs(10),
            backoff_least: Duration::from_millis(50),
            backoff_most: Duration::from_secs(5),
            connections: 256,
            hello: Duration::from_secs(5),
        }
    }
}

/// What a node is told before it begins.
#[derive(Clone, Debug)]
pub struct Options<P> {
    pub(super) own: P,
    pub(super) protocol: String,
    pub(super) peers: BTreeMap<P, Address>,
    pub(super) limits: Limits,
    pub(super) tls: Option<Tls>,
    pub(super) seed: u64,
}

impl<P: PeerId> Options<P> {
    /// A node without peers. Nodes whose protocols have different names refuse each other: the
    /// name, 1 to 255 bytes, says the service and the version of its messages.
    pub fn new(own: P, protocol: impl Into<String>) -> Self {
        let protocol = protocol.into();
        let (peers, limits, seed) = (BTreeMap::new(), Limits::default(), Dice::loose().number());
        Self { own, protocol, peers, limits, tls: None, seed }
    }

    /// Knows a peer. The node's own id is passed over, so that all nodes can be told the same.
    #[must_use]
    pub fn peer(mut self, id: P, address: Address) -> Self {
        if id != self.own {
            self.peers.insert(id, address);
        }
        self
    }

    /// Has other limits than the default ones.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Protects its connections, and hears only peers that show their certificates.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Draws the jitter of its waits from a seed; otherwise nobody knows them.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Listens at an address of this machine, `host:port`, and begins. Needs a tokio runtime.
    ///
    /// # Errors
    /// When the address cannot be listened at, and as [`Options::start`].
    pub async fn bind<M, R>(self, listen: &str, receiver: R) -> io::Result<Tcp<P, M>>
    where
        M: Message,
        R: Receiver<P, M>,
    {
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            if error.kind() == io::ErrorKind::InvalidInput {
                return io::Error::new(error.kind(), not_an_address(listen));
            }
            crate::at(listen)(error)
        })?;
        self.start(listener, SystemTcp, receiver)
    }

    /// Begins, with a listener that is there and a way to make streams. Needs a tokio runtime.
    ///
    /// # Errors
    /// When the protocol's name has no bytes or more than 255.
    pub fn start<M, R, L, D>(self, listener: L, dial: D, receiver: R) -> io::Result<Tcp<P, M>>
    where
        M: Message,
        R: Receiver<P, M>,
        L: Listen,
        D: Dial,
    {
        let Self { own, protocol, peers, .. } = &self;
        if !(1..=255).contains(&protocol.len()) {
            let text = format!("the protocol's name has {} bytes: say 1 to 255", protocol.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        if peers.is_empty() {
            tracing::warn!(?own, "the node has no peers: it hears nobody, and can send to nobody");
        }
        Ok(Tcp::start(self, listener, dial, receiver))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_as_it_is_written() {
        for text in ["node-1.example:7000", "127.0.0.1:1", "[::1]:65535"] {
            let address: Address = text.parse().expect("it is an address");
            assert_eq!(address.to_string(), text);
        }
        assert_eq!("[::1]:7".parse::<Address>().expect("it is an address").name(), "::1");
        for text in ["", ":", "host", "host:", ":7", "host:x", "host:65536", "::1:7", "[::1:7"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
