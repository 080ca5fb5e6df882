//! A user's end of one claim: what can be seen of it, and where wishes about it go.

use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::clock::Clock;
use super::error::{Cause, Error};
use super::order::{Order, View};
use super::place::Place;
use super::request::no_answer;

/// One claim of one resource.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) resource: String,
    pub(super) key: u64,
    pub(super) place: Place,
    pub(super) clock: Clock,
    pub(super) view: watch::Receiver<View>,
    pub(super) orders: mpsc::UnboundedSender<Order>,
}

impl Slot {
    pub(super) fn url(&self) -> Option<String> {
        self.view.borrow().claim.map(|id| self.place.claim_url(id))
    }

    pub(super) fn error(&self, cause: Cause) -> Error {
        Error { resource: self.resource.clone(), claim: self.url(), cause }
    }

    /// Why what was asked for did not come in time.
    pub(super) fn late(&self) -> Cause {
        let why = self.view.borrow().unanswered.clone();
        why.map_or(Cause::TimedOut, Cause::Unreachable)
    }

    /// Why what was asked for was not answered in so long.
    pub(super) fn unheard(&self, patience: Duration) -> Cause {
        let why = self.view.borrow().unanswered.clone();
        let silence = || no_answer(&self.place, &format!("nothing came in {patience:?}"));
        Cause::Unreachable(why.unwrap_or_else(silence))
    }

    /// The user needs the claim no longer; the resource is free once the claim is over.
    pub(super) fn leave(&self) {
        self.order(Order::Leave { resource: self.resource.clone(), key: self.key });
    }

    pub(super) fn refresh(&self, ttl: Option<Duration>) {
        self.order(Order::Refresh { resource: self.resource.clone(), key: self.key, ttl });
    }

    fn order(&self, order: Order) {
        // Nobody listens once the claims are over, and then nothing is held.
        let _over = self.orders.send(order);
    }
}
