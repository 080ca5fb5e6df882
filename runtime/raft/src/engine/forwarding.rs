//! What openraft publishes of itself, on its way to the network and to those that wait for it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;
use turnstile_host::Bell;

use super::{Metrics, members};
use crate::error::Members;
use crate::network::Network;

/// Tells the network of each change of the members, notes when there are new metrics, and tells
/// those that wait for them.
pub(super) struct Forwarding {
    pub(super) metrics: watch::Receiver<Metrics>,
    pub(super) network: Arc<dyn Network>,
    pub(super) published: Arc<Mutex<Instant>>,
    pub(super) news: Arc<Bell>,
}

impl Forwarding {
    /// Runs until the member stops. Members that are removed stay known until the change is
    /// applied: the leader may be one of them, and needs the answers of the others until then.
    pub(super) async fn run(mut self) {
        let mut told = Members::new();
        loop {
            *self.published.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            let metrics = self.metrics.borrow_and_update().clone();
            let mut members = members(&metrics);
            if metrics.last_applied < *metrics.membership_config.log_id() {
                told.iter().for_each(|(id, address)| {
                    members.entry(*id).or_insert_with(|| address.clone());
                });
            }
            if members != told {
                self.network.set_members(&members);
                told = members;
            }
            self.news.ring();
            if self.metrics.changed().await.is_err() {
                // Those that wait find that it has stopped.
                self.news.ring();
                return;
            }
        }
    }
}
