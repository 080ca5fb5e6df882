//! What a transport does for a node: it sends messages, and gives those that arrive to a receiver.

use std::time::Duration;

use super::unsent::Unsent;

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
