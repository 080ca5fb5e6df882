//! The configuration of a node: id, peers, protocol and limits.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::address::Address;
use super::tls::Tls;
use crate::Rng;

/// The bounds on a node's id: a small serializable value, at most about 300 bytes encoded.
pub trait PeerId:
    Copy + Ord + Hash + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<P> PeerId for P where
    P: Copy + Ord + Hash + fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// Limits of memory and time. [`Limits::default`] has a value for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of an encoded message plus one byte, 1 to `u32::MAX`; default 1 MiB. Longer
    /// ones are handed back to the sender, and a receiver closes the connection before it allocates
    /// memory.
    pub frame_bytes: usize,
    /// The maximum number of messages queued for one peer, including those being written; default
    /// 4096.
    pub queue_messages: usize,
    /// The maximum size of encoded messages queued for one peer, with five bytes of overhead each;
    /// default 8 MiB. A single larger message is never accepted.
    pub queue_bytes: usize,
    /// How long a message is queued without a connection before it is handed back; default 10 s.
    pub timeout: Duration,
    /// The timeout to connect, including TLS and the answer to the hello message; default 5 s.
    pub connect: Duration,
    /// The timeout of a write, restarted by each partial write; default 10 s. It must be longer
    /// than a peer may be busy while its buffers are full.
    pub write: Duration,
    /// The interval of heartbeats on an idle connection; default 2 s.
    pub heartbeat: Duration,
    /// The time without received bytes after which a peer counts as failed; default 10 s. It must
    /// be longer than the heartbeat interval.
    pub silence: Duration,
    /// The maximum delay before the second connection attempt, default 50 ms; it doubles with each
    /// further attempt. Each delay is drawn from the upper half of its range.
    pub backoff_least: Duration,
    /// The maximum delay between connection attempts; default 5 s. A connection that lasts longer
    /// resets the delay.
    pub backoff_most: Duration,
    /// The maximum number of incoming connections, including those without a hello message; default
    /// 256.
    pub connections: usize,
    /// The timeout for TLS and the hello message of an incoming connection; default 5 s.
    pub hello: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame_bytes: 1 << 20,
            queue_messages: 4096,
            queue_bytes: 8 << 20,
            timeout: Duration::from_secs(10),
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

/// The configuration of a node.
#[derive(Clone, Debug)]
pub struct Options<P> {
    pub(super) own: P,
    pub(super) protocol: String,
    pub(super) peers: BTreeMap<P, Address>,
    pub(super) address_of: Option<fn(&P) -> Address>,
    pub(super) limits: Limits,
    pub(super) tls: Option<Tls>,
    pub(super) seed: u64,
}

impl<P: PeerId> Options<P> {
    /// A node without peers. Nodes with different protocol names reject each other; the name, 1 to
    /// 255 bytes, should contain the service and the version of its messages.
    pub fn new(own: P, protocol: impl Into<String>) -> Self {
        let protocol = protocol.into();
        let (peers, limits, seed) =
            (BTreeMap::new(), Limits::default(), Rng::from_entropy().number());
        Self { own, protocol, peers, address_of: None, limits, tls: None, seed }
    }

    /// Adds a peer. The node's own id is ignored, so that all nodes can have the same list.
    #[must_use]
    pub fn peer(mut self, id: P, address: Address) -> Self {
        if id != self.own {
            self.peers.insert(id, address);
        }
        self
    }

    /// Accepts peers that are not known, too: the id of each says its address. With TLS its
    /// certificate must be valid for that, as for an address that is known. A peer becomes known by
    /// [`Tcp::set_peer`](super::Tcp::set_peer), which sending needs.
    #[must_use]
    pub fn addresses_by_id(mut self, address_of: fn(&P) -> Address) -> Self {
        self.address_of = Some(address_of);
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Enables TLS: connections are encrypted, and only peers with valid certificates are accepted.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Sets the seed of the jitter; by default it is random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}
