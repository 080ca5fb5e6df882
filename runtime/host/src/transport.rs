//! How messages travel between nodes: in this process, over TCP, or through a simulated network.
//!
//! A transport delivers each message at most once, and the messages of one connection in their
//! order. It never waits: a message that it cannot take it hands back.

mod counts;
pub mod local;
pub mod simulated;
pub mod tcp;

use std::fmt;
use std::time::Duration;

pub use counts::{Counts, Refusal};

/// Sends messages to other nodes.
pub trait Transport<P, M>: Send + Sync + 'static {
    /// Queues a message for a peer, without waiting.
    ///
    /// # Errors
    /// The message, where it cannot be queued.
    fn send(&self, to: P, message: M) -> Result<(), Unsent<P, M>>;

    /// Sends what is queued, for so long at most, and ends every connection.
    fn close(&self, patience: Duration) -> impl Future<Output = ()> + Send;
}

/// Takes the messages that arrive at a node, and those that did not leave it.
pub trait Receiver<P, M>: Clone + Send + Sync + 'static {
    /// A message arrives. The connection reads its next message once this returns, so that a node
    /// that is busy slows its peers down.
    fn deliver(&self, from: P, message: M) -> impl Future<Output = ()> + Send;

    /// A message that was queued did not leave this node.
    fn unsent(&self, unsent: Unsent<P, M>);
}

/// A message that has not left the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsent<P, M> {
    /// To whom it was to go.
    pub to: P,
    /// The message.
    pub message: M,
    /// Why it was not sent.
    pub why: Why,
}

impl<P: fmt::Debug, M> fmt::Display for Unsent<P, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a message to {:?} was not sent: {}", self.to, self.why)
    }
}

impl<P: fmt::Debug, M: fmt::Debug> std::error::Error for Unsent<P, M> {}

/// Why a message was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// The transport knows no address of this peer.
    UnknownPeer,
    /// The queue of the peer is full: it reads too slowly, or is not reachable.
    QueueFull,
    /// The peer is not reachable.
    Unreachable,
    /// The message is longer than a frame may be.
    TooLong,
    /// The message's type cannot be written as bytes: `Serialize` refuses.
    Unencodable,
    /// The transport is closed.
    Closed,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownPeer => "the peer has no address",
            Self::QueueFull => "the queue of the peer is full",
            Self::Unreachable => "the peer is not reachable",
            Self::TooLong => "the message is too long",
            Self::Unencodable => "the message cannot be encoded",
            Self::Closed => "the transport is closed",
        })
    }
}
