//! What the connections of one node share.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use tokio::sync::watch;

use super::network::{Stream, Wire};
use super::options::{Address, Limits, Options, PeerId};
use super::rejection::Rejection;
use super::seats::Seats;
use super::tls::{Shown, Tls};
use super::warned::Warned;
use crate::Dice;
use crate::transport::Refusal;
use crate::transport::counts::Tally;

#[derive(Debug)]
pub(super) struct Node<P> {
    pub(super) own: P,
    pub(super) protocol: String,
    pub(super) limits: Limits,
    pub(super) tally: Tally,
    pub(super) seats: Seats<P>,
    pub(super) warned: Warned,
    /// True once nothing more is to be received.
    pub(super) stopping: watch::Sender<bool>,
    tls: RwLock<Option<Tls>>,
    jitter: Mutex<Dice>,
    addresses: Mutex<BTreeMap<P, Address>>,
}

impl<P: PeerId> Node<P> {
    pub(super) fn new(options: Options<P>) -> Self {
        let Options { own, protocol, peers, limits, tls, seed } = options;
        Self {
            own,
            protocol,
            limits,
            tls: RwLock::new(tls),
            jitter: Mutex::new(Dice::seeded(seed)),
            tally: Tally::default(),
            seats: Seats::default(),
            warned: Warned::default(),
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

    /// Makes sure that the sender of a hello may send, and is who it says.
    pub(super) fn admit(&self, (from, to): (P, P), shown: Option<&Shown>) -> Result<P, Rejection> {
        let (own, hello) = (self.own, format!("a hello from {from:?} to {to:?}"));
        let reject = |why| Rejection::new(why, format!("{hello}, heard by {own:?}"));
        if from == own {
            return Err(reject(Refusal::OwnId));
        }
        if to != own {
            return Err(reject(Refusal::NotThisNode));
        }
        let addresses = self.addresses();
        let address = addresses.get(&from).ok_or_else(|| reject(Refusal::UnknownPeer))?;
        if let Some(shown) = shown {
            let about = || format!("{hello}, whose name is {:?}", address.name());
            shown.is_of(address).map_err(|why| Rejection::new(why, about()))?;
        }
        Ok(from)
    }

    /// Protects a stream to a peer, if streams are to be.
    pub(super) async fn dialed(&self, stream: impl Stream, to: &Address) -> io::Result<Wire> {
        match self.tls() {
            Some(tls) => tls.connect(stream, to).await,
            None => Ok(Box::new(stream)),
        }
    }

    /// Protects a stream from whomever, if streams are to be.
    pub(super) async fn accepted(
        &self,
        stream: impl Stream,
    ) -> Result<(Wire, Option<Shown>), Rejection> {
        let Some(tls) = self.tls() else { return Ok((Box::new(stream), None)) };
        match tls.accept(stream).await {
            Ok((wire, shown)) => Ok((wire, Some(shown))),
            Err(error) => Err(Rejection::new(Refusal::Tls, error.to_string())),
        }
    }

    fn tls(&self) -> Option<Tls> {
        self.tls.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Shows another certificate from the next connection on.
    pub(super) fn set_tls(&self, tls: Tls) {
        *self.tls.write().unwrap_or_else(PoisonError::into_inner) = Some(tls);
    }
}
