//! Counts of what a transport has done: plain data for logs, metrics and tests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::contract::Receiver;
use super::unsent::{Unsent, UnsentReason};

/// Counts since the transport started. Reasons that never occurred are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages that left this node. They may or may not have arrived.
    pub sent: u64,
    /// Messages that the receiver of this node took.
    pub received: u64,
    /// Messages handed back, by reason: by `send` and by `Receiver::unsent`.
    pub unsent: BTreeMap<UnsentReason, u64>,
    /// Successful connections to peers.
    pub dialed: u64,
    /// Connection attempts that failed or timed out.
    pub failed: u64,
    /// Connection attempts that were rejected, by either side.
    pub dials_refused: BTreeMap<Refusal, u64>,
    /// Connections from peers that were accepted.
    pub accepted: u64,
    /// Connections that were accepted by the system and then rejected by this node.
    pub refused: BTreeMap<Refusal, u64>,
    /// Connections, in both directions, that failed or timed out, and those that the receiver
    /// closed while this node had messages to send.
    pub lost: u64,
    /// Connections to peers that were replaced by newer ones: another node has this one's id.
    pub replaced: u64,
}

impl Counts {
    /// The number of messages handed back, for all reasons.
    #[must_use]
    pub fn unsent_in_all(&self) -> u64 {
        self.unsent.values().sum()
    }
}

/// Why a node rejects a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// The first frame is not a hello message, or the answer is not valid.
    NoHello,
    /// No hello message was received in time.
    Late,
    /// The TLS handshake failed: no TLS, or a certificate that is not signed by the authority, has
    /// expired, or has another name.
    Tls,
    /// The versions of the framing differ.
    Version,
    /// The protocol names differ.
    Protocol,
    /// The hello message is for another node.
    NotThisNode,
    /// The sender has this node's own id: the node has connected to itself.
    OwnId,
    /// The sender's id is not among the peers.
    UnknownPeer,
    /// The sender's certificate is not valid for the name of the peer whose id it claims.
    Certificate,
    /// The maximum number of connections is open.
    TooMany,
    /// A frame is longer than the maximum.
    TooLong,
    /// A frame cannot be decoded.
    Undecodable,
    /// A newer connection of the same peer has replaced this one: the peer has reconnected, or two
    /// nodes have its id.
    Replaced,
}

impl Refusal {
    /// All reasons; the code of a reason in an answer is its index plus 1.
    const ALL: [Self; 13] = [
        Self::NoHello,
        Self::Late,
        Self::Tls,
        Self::Version,
        Self::Protocol,
        Self::NotThisNode,
        Self::OwnId,
        Self::UnknownPeer,
        Self::Certificate,
        Self::TooMany,
        Self::TooLong,
        Self::Undecodable,
        Self::Replaced,
    ];

    /// Whether the reason is not the fault of this connection.
    pub(super) fn is_of_slot(self) -> bool {
        matches!(self, Self::Replaced | Self::UnknownPeer)
    }

    pub(super) fn code(self) -> u8 {
        self as u8 + 1
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoHello => "no hello message: one of the nodes may be without TLS",
            Self::Late => "no hello message in time",
            Self::Tls => "the TLS handshake failed",
            Self::Version => "different version of the framing",
            Self::Protocol => "different protocol",
            Self::NotThisNode => "the hello message is for another node",
            Self::OwnId => "the sender has this node's id",
            Self::UnknownPeer => "the sender is not a peer",
            Self::Certificate => "the certificate does not match the sender",
            Self::TooMany => "too many connections",
            Self::TooLong => "frame too long",
            Self::Undecodable => "frame cannot be decoded",
            Self::Replaced => "replaced by a newer connection of the same peer",
        })
    }
}

/// Hands back a message.
pub(super) type HandBack<P, M> = Arc<dyn Fn(Unsent<P, M>) + Send + Sync>;

/// Counters, updated without a lock for each message.
#[derive(Debug, Default)]
pub(super) struct Counters {
    sent: AtomicU64,
    received: AtomicU64,
    rest: Mutex<Counts>,
}

impl Counters {
    pub(super) fn sent(&self, messages: usize) {
        self.sent.fetch_add(messages as u64, Ordering::Relaxed);
    }

    pub(super) fn received(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a message that is handed back.
    pub(super) fn unsent<P, M>(&self, to: P, (message, why): (M, UnsentReason)) -> Unsent<P, M> {
        self.hand_back(why);
        Unsent { to, message, why }
    }

    fn hand_back(&self, why: UnsentReason) {
        *self.rest().unsent.entry(why).or_default() += 1;
    }

    /// Counts a message and hands it back to its sender.
    pub(super) fn to<P, M>(self: Arc<Self>, receiver: impl Receiver<P, M>) -> HandBack<P, M> {
        Arc::new(move |unsent: Unsent<P, M>| {
            self.hand_back(unsent.why);
            receiver.unsent(unsent);
        })
    }

    pub(super) fn rest(&self) -> MutexGuard<'_, Counts> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn counts(&self) -> Counts {
        let mut counts = self.rest().clone();
        counts.sent = self.sent.load(Ordering::Relaxed);
        counts.received = self.received.load(Ordering::Relaxed);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_a_code_of_its_own() {
        for refusal in Refusal::ALL {
            assert_eq!(Refusal::from_code(refusal.code()), Some(refusal));
        }
        assert_eq!(Refusal::from_code(0), None);
        assert_eq!(Refusal::from_code(200), None);
    }
}
