//! Transports of messages between nodes: in one process, over TCP, or a simulated network.
//!
//! A transport delivers each message at most once, and those of one connection in order. `send`
//! never blocks: a message that cannot be queued is handed back.

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
    /// The message, when it cannot be queued.
    fn send(&self, to: P, message: M) -> Result<(), Unsent<P, M>>;

    /// Sends the queued messages, for at most `timeout`, and closes all connections.
    fn close(&self, timeout: Duration) -> impl Future<Output = ()> + Send;
}

/// Receives the messages for a node, and the unsent messages that it gets back.
pub trait Receiver<P, M>: Clone + Send + Sync + 'static {
    /// Delivers a message. The connection reads its next message after this returns, so that a busy
    /// node slows its peers down.
    fn deliver(&self, from: P, message: M) -> impl Future<Output = ()> + Send;

    /// Hands back a queued message that was not sent.
    fn unsent(&self, unsent: Unsent<P, M>);
}

/// A message that was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsent<P, M> {
    /// The receiver of the message.
    pub to: P,
    /// The message.
    pub message: M,
    /// Why it was not sent.
    pub why: UnsentReason,
}

impl<P: fmt::Debug, M> fmt::Display for Unsent<P, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message to {:?} not sent: {}", self.to, self.why)
    }
}

impl<P: fmt::Debug, M: fmt::Debug> std::error::Error for Unsent<P, M> {}

/// Why a message was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnsentReason {
    /// No peer has this id.
    UnknownPeer,
    /// The peer's queue is full: it reads too slowly, or is unreachable.
    QueueFull,
    /// The peer is unreachable.
    Unreachable,
    /// The message is longer than the maximum frame.
    TooLong,
    /// The message cannot be serialized.
    Unencodable,
    /// The transport is closed.
    Closed,
}

impl fmt::Display for UnsentReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownPeer => "no peer has this id",
            Self::QueueFull => "the peer's queue is full",
            Self::Unreachable => "the peer is unreachable",
            Self::TooLong => "the message is too long",
            Self::Unencodable => "the message cannot be encoded",
            Self::Closed => "the transport is closed",
        })
    }
}
