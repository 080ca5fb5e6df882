//! The state shared by the connections of a node.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::address::Address;
use super::network::{Stream, Wire};
use super::options::{Limits, Options, PeerId};
use super::rejection::Rejection;
use super::slots::PeerSlots;
use super::tls::{PeerCertificate, Tls, explained};
use super::warned::Warned;
use crate::Rng;
use crate::transport::Refusal;
use crate::transport::counts::Counters;

#[derive(Debug)]
pub(super) struct NodeShared<P> {
    pub(super) own: P,
    pub(super) protocol: String,
    pub(super) limits: Limits,
    pub(super) counters: Counters,
    pub(super) slots: PeerSlots<P>,
    pub(super) warned: Warned,
    /// True once no more messages are to be received.
    pub(super) stopping: watch::Sender<bool>,
    tls: Option<Tls>,
    jitter: Mutex<Rng>,
    addresses: Mutex<BTreeMap<P, Address>>,
    /// The address of a peer that is not known, by its id.
    address_of: Option<fn(&P) -> Address>,
}

impl<P: PeerId> NodeShared<P> {
    pub(super) fn new(options: Options<P>) -> Self {
        let Options { own, protocol, peers, address_of, limits, tls, seed } = options;
        Self {
            own,
            protocol,
            limits,
            tls,
            jitter: Mutex::new(Rng::seeded(seed)),
            counters: Counters::default(),
            slots: PeerSlots::default(),
            warned: Warned::default(),
            stopping: watch::Sender::new(false),
            addresses: Mutex::new(peers),
            address_of,
        }
    }

    pub(super) fn addresses(&self) -> MutexGuard<'_, BTreeMap<P, Address>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seed for the backoff of a link.
    pub(super) fn jitter(&self) -> u64 {
        self.jitter.lock().unwrap_or_else(PoisonError::into_inner).number()
    }

    /// Checks that the sender of a hello message is a peer and has the right certificate.
    pub(super) fn admit(
        &self,
        (from, to): (P, P),
        shown: Option<&PeerCertificate>,
    ) -> Result<P, Rejection> {
        let (own, hello) = (self.own, format!("a hello from {from:?} to {to:?}"));
        let reject = |why| Rejection::new(why, format!("{hello}, received by {own:?}"));
        if from == own {
            return Err(reject(Refusal::OwnId));
        }
        if to != own {
            return Err(reject(Refusal::NotThisNode));
        }
        let address = self.address(&from).ok_or_else(|| reject(Refusal::UnknownPeer))?;
        if let Some(shown) = shown {
            let about = || format!("{hello}, whose host name is {:?}", address.name());
            shown.is_of(&address).map_err(|why| Rejection::new(why, about()))?;
        }
        Ok(from)
    }

    /// The address of a peer that is known, or says it by its id.
    fn address(&self, peer: &P) -> Option<Address> {
        let known = self.addresses().get(peer).cloned();
        known.or_else(|| self.address_of.map(|address_of| address_of(peer)))
    }

    /// A connection of a peer has ended: of one that is not known nothing is kept.
    pub(super) fn ended(&self, peer: &P) {
        if self.address_of.is_some() && !self.addresses().contains_key(peer) {
            self.slots.forget(peer);
        }
    }

    /// Starts TLS on a stream to a peer, if configured.
    pub(super) async fn dialed(&self, stream: impl Stream, to: &Address) -> io::Result<Wire> {
        match &self.tls {
            Some(tls) => tls.connect(stream, to).await,
            None => Ok(Box::new(stream)),
        }
    }

    /// Starts TLS on an incoming stream, if configured.
    pub(super) async fn accepted(
        &self,
        stream: impl Stream,
    ) -> Result<(Wire, Option<PeerCertificate>), Rejection> {
        let Some(tls) = &self.tls else { return Ok((Box::new(stream), None)) };
        match tls.accept(stream).await {
            Ok((wire, shown)) => Ok((wire, Some(shown))),
            Err(error) => Err(Rejection::new(Refusal::Tls, explained(&error))),
        }
    }
}
