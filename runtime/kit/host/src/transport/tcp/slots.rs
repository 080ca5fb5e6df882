//! At most one active connection from each peer: a new one replaces the old one, and starts to
//! deliver only after the old one has ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as Turns, OwnedMutexGuard, watch};

use crate::transport::Refusal;

#[derive(Debug)]
pub(super) struct PeerSlots<P> {
    lanes: Mutex<BTreeMap<P, Lane>>,
}

/// The slot of a peer.
#[derive(Debug, Default)]
struct Lane {
    /// The number of connections so far; the last one is the active one.
    newest: watch::Sender<u64>,
    turn: Arc<Turns<()>>,
}

impl<P> Default for PeerSlots<P> {
    fn default() -> Self {
        Self { lanes: Mutex::default() }
    }
}

impl<P: Ord> PeerSlots<P> {
    fn lanes(&self) -> MutexGuard<'_, BTreeMap<P, Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the connection of a peer to end, waits until it has, and replaces it. `None` if a newer
    /// one replaces this one meanwhile.
    pub(super) async fn take(&self, peer: P) -> Option<PeerSlot> {
        let (turn, newest, number) = {
            let mut lanes = self.lanes();
            let lane = lanes.entry(peer).or_default();
            lane.newest.send_modify(|newest| *newest += 1);
            let newest = lane.newest.subscribe();
            let number = *newest.borrow();
            (Arc::clone(&lane.turn), newest, number)
        };
        let mut waiting = newest.clone();
        tokio::select! {
            biased;
            () = replaced(&mut waiting, number) => None,
            turn = turn.lock_owned() => Some(PeerSlot { _turn: turn, newest, number }),
        }
    }

    /// Forgets a peer that has no connection.
    pub(super) fn forget(&self, peer: &P) {
        let mut lanes = self.lanes();
        // Whoever has a connection, or waits for one, subscribes.
        if lanes.get(peer).is_some_and(|lane| lane.newest.receiver_count() == 0) {
            lanes.remove(peer);
        }
    }

    /// Asks the connection of a peer to end.
    pub(super) fn clear(&self, peer: &P) {
        self.lanes().remove(peer);
    }
}

/// The right to deliver the messages of a peer.
#[derive(Debug)]
pub(super) struct PeerSlot {
    _turn: OwnedMutexGuard<()>,
    newest: watch::Receiver<u64>,
    number: u64,
}

impl PeerSlot {
    /// Why the right was lost, if it was.
    pub(super) fn why(&self) -> Refusal {
        // An error means that the slot was removed.
        self.newest.has_changed().map_or(Refusal::UnknownPeer, |_| Refusal::Replaced)
    }

    /// Whether a newer connection waits for this one to end, or the peer was removed.
    pub(super) fn is_lost(&self) -> bool {
        self.newest.has_changed().unwrap_or(true)
    }

    /// Completes when that is the case.
    pub(super) async fn lost(&mut self) {
        replaced(&mut self.newest, self.number).await;
    }
}

async fn replaced(newest: &mut watch::Receiver<u64>, number: u64) {
    // An error means that the slot was removed.
    let _replaced = newest.wait_for(|newest| *newest != number).await;
}
