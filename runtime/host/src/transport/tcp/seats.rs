//! One live connection from each peer: a new one takes the place of the old, and begins to deliver
//! only once the old one has ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as Turns, OwnedMutexGuard, watch};

use crate::transport::Refusal;

#[derive(Debug)]
pub(super) struct Seats<P> {
    lanes: Mutex<BTreeMap<P, Lane>>,
}

/// What the connections of one peer share.
#[derive(Debug, Default)]
struct Lane {
    /// Counts the connections; the last one is the one that counts.
    newest: watch::Sender<u64>,
    turn: Arc<Turns<()>>,
}

impl<P> Default for Seats<P> {
    fn default() -> Self {
        Self { lanes: Mutex::default() }
    }
}

impl<P: Ord> Seats<P> {
    fn lanes(&self) -> MutexGuard<'_, BTreeMap<P, Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the connection of a peer to end, waits until it has, and takes its place. Nothing if
    /// a newer one came meanwhile.
    pub(super) async fn take(&self, peer: P) -> Option<Seat> {
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
            turn = turn.lock_owned() => Some(Seat { _turn: turn, newest, number }),
        }
    }

    /// Tells the connection of a peer to end.
    pub(super) fn clear(&self, peer: &P) {
        self.lanes().remove(peer);
    }
}

/// The right to deliver what a peer sends.
#[derive(Debug)]
pub(super) struct Seat {
    _turn: OwnedMutexGuard<()>,
    newest: watch::Receiver<u64>,
    number: u64,
}

impl Seat {
    /// Why it is lost, if it is.
    pub(super) fn why(&self) -> Refusal {
        // An error says that the lane has been removed.
        self.newest.has_changed().map_or(Refusal::UnknownPeer, |_| Refusal::Replaced)
    }

    /// Whether a newer connection waits for this one to end, or the peer is one no longer.
    pub(super) fn is_lost(&self) -> bool {
        self.newest.has_changed().unwrap_or(true)
    }

    /// Returns once that is so.
    pub(super) async fn lost(&mut self) {
        replaced(&mut self.newest, self.number).await;
    }
}

async fn replaced(newest: &mut watch::Receiver<u64>, number: u64) {
    // An error says that the lane has been removed.
    let _replaced = newest.wait_for(|newest| *newest != number).await;
}
