//! What the connections of one node share.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::network::{Stream, Wire};
use super::options::{Address, Limits, Options, PeerId};
use super::seats::Seats;
use crate::transport::Refusal;
use crate::transport::counts::Tally;
use crate::transport::dice::Dice;

#[derive(Debug)]
pub(super) struct Node<P> {
    pub(super) own: P,
    pub(super) protocol: String,
    pub(super) limits: Limits,
    pub(super) tally: Tally,
    pub(super) seats: Seats<P>,
    /// True once nothing more is to be received.
    pub(super) stopping: watch::Sender<bool>,
    jitter: Mutex<Dice>,
    addresses: Mutex<BTreeMap<P, Address>>,
}

impl<P: PeerId> Node<P> {
    pub(super) fn new(options: Options<P>) -> Self {
        let Options { own, protocol, peers, limits, seed } = options;
        Self {
            own,
            protocol,
            limits,
            jitter: Mutex::new(Dice::seeded(seed)),
            tally: Tally::default(),
            seats: Seats::default(),
            stopping: watch::Sender::new(false),
            addresses: Mutex::new(peers),
        }
    }

    pub(super) fn addresses(&self) -> MutexGuard<'_, BTreeMap<P, Address>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seed for the waits of one link.
    pub(super) fn jitter(&self) -> u64 {
        self.jitter.lock().unwrap_or_else(PoisonError::into_inner).number()
    }

    /// Makes sure that the sender of a hello may send.
    pub(super) fn admit(&self, (from, to): (P, P)) -> Result<P, Refusal> {
        if from == self.own {
            return Err(Refusal::OwnId);
        }
        if to != self.own {
            return Err(Refusal::NotThisNode);
        }
        if !self.addresses().contains_key(&from) {
            return Err(Refusal::UnknownPeer);
        }
        Ok(from)
    }

    /// Puts what protects it around a stream to a peer.
    #[expect(clippy::unused_async, reason = "a handshake takes its time")]
    pub(super) async fn dialed(&self, stream: impl Stream, _to: &Address) -> Result<Wire, Refusal> {
        Ok(Box::new(stream))
    }

    /// Puts what protects it around a stream from whomever.
    #[expect(clippy::unused_async, reason = "a handshake takes its time")]
    pub(super) async fn accepted(&self, stream: impl Stream) -> Result<Wire, Refusal> {
        Ok(Box::new(stream))
    }
}
