//! Counts of what a transport has done: plain data for logs, metrics and tests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Receiver, Unsent, Why};

/// What a transport has done since it began. A reason that never occurred is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages that left this node. They may or may not have arrived.
    pub sent: u64,
    /// Messages that the receiver of this node took.
    pub received: u64,
    /// Messages handed back, by reason: by `send` and by `Receiver::unsent`.
    pub unsent: BTreeMap<Why, u64>,
    /// Connections to peers that were made and welcomed.
    pub dialed: u64,
    /// Attempts to connect that reached nobody, or were not answered in time.
    pub failed: u64,
    /// Attempts to connect that were refused, by either side.
    pub dials_refused: BTreeMap<Refusal, u64>,
    /// Connections from peers that were welcomed.
    pub accepted: u64,
    /// Connections that this node accepted and then refused.
    pub refused: BTreeMap<Refusal, u64>,
    /// Connections, of both directions, that broke or fell silent, and those that the node that
    /// receives has ended while this one would have sent on.
    pub lost: u64,
}

impl Counts {
    /// The messages that were handed back, for whatever reason.
    #[must_use]
    pub fn unsent_in_all(&self) -> u64 {
        self.unsent.values().sum()
    }
}

/// Why a node refuses a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// The first bytes are no hello, or the answer to one is none.
    NoHello,
    /// No hello came in time.
    Late,
    /// The TLS handshake failed: no TLS, or a certificate that the authority did not sign, that is
    /// expired, or that has another name.
    Tls,
    /// The version of the framing is another.
    Version,
    /// The protocol's name is another.
    Protocol,
    /// The hello asks for another node.
    NotThisNode,
    /// The sender has this node's own id: the connection is one to itself.
    OwnId,
    /// The sender's id is not among the peers.
    UnknownPeer,
    /// The sender's certificate is not valid for the name of the peer whose id it claims.
    Certificate,
    /// There are as many connections as may be.
    TooMany,
    /// A frame is longer than it may be.
    TooLong,
    /// A frame holds no message.
    Undecodable,
    /// A newer connection of the same peer has taken this one's place: the peer connects again, or
    /// two nodes have its id.
    Replaced,
}

impl Refusal {
    /// All reasons; the place of one, counted from 1, is its code in an answer.
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

    /// Whether a connection is ended for it that did nothing wrong itself.
    pub(super) fn is_of_seat(self) -> bool {
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
            Self::NoHello => "no hello",
            Self::Late => "no hello in time",
            Self::Tls => "the TLS handshake failed",
            Self::Version => "another version of the framing",
            Self::Protocol => "another protocol",
            Self::NotThisNode => "another node is asked for",
            Self::OwnId => "the sender has this node's id",
            Self::UnknownPeer => "the sender is no peer",
            Self::Certificate => "the certificate is not the sender's",
            Self::TooMany => "too many connections",
            Self::TooLong => "a frame is too long",
            Self::Undecodable => "a frame holds no message",
            Self::Replaced => "a newer connection of the same peer",
        })
    }
}

/// Hands back a message.
pub(super) type HandBack<P, M> = Arc<dyn Fn(Unsent<P, M>) + Send + Sync>;

/// Counts as they grow. What happens with each message takes no lock.
#[derive(Debug, Default)]
pub(super) struct Tally {
    sent: AtomicU64,
    received: AtomicU64,
    rest: Mutex<Counts>,
}

impl Tally {
    pub(super) fn sent(&self, messages: usize) {
        self.sent.fetch_add(messages as u64, Ordering::Relaxed);
    }

    pub(super) fn received(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    /// A message that is handed back, counted.
    pub(super) fn unsent<P, M>(&self, to: P, (message, why): (M, Why)) -> Unsent<P, M> {
        self.hand_back(why);
        Unsent { to, message, why }
    }

    fn hand_back(&self, why: Why) {
        *self.rest().unsent.entry(why).or_default() += 1;
    }

    /// Counts a message, and hands it back to who has sent it.
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
