//! When snapshots are made: openraft counts entries only, and those of a large state would be most
//! of what is written.

use std::sync::Arc;
use std::time::Duration;

use openraft::LogId;
use tokio::time::timeout;

use super::metrics::{Metrics, reached};
use crate::engine::log::entry::Raft;
use crate::log::Log;
use crate::news::News;

/// A snapshot is asked for so often until it is made: openraft ignores it while another one is
/// made, which may not have what is new.
pub(crate) const TRIGGERED_EVERY: Duration = Duration::from_secs(1);

/// When a snapshot is due.
#[derive(Clone)]
pub(super) struct Schedule {
    pub(super) log: Arc<Log>,
    /// After so many entries, if that is not too often.
    pub(super) every: u64,
}

impl Schedule {
    pub(super) fn is_due(&self, metrics: &Metrics) -> bool {
        let count = |last: Option<LogId<u64>>| last.map_or(0, |last| last.index + 1);
        let entries = count(metrics.last_applied).saturating_sub(count(metrics.snapshot));
        self.log.is_snapshot_due(entries, self.every)
    }

    /// Makes a snapshot whenever one is due, until the member stops.
    pub(super) async fn run(self, raft: Raft, news: Arc<News>) {
        let metrics = raft.metrics();
        while reached(&metrics, &news, |metrics| self.is_due(metrics)).await {
            let before = metrics.borrow().snapshot;
            let is_made = |metrics: &Metrics| metrics.snapshot != before;
            while !is_made(&metrics.borrow()) {
                if raft.trigger().snapshot().await.is_err() {
                    return;
                }
                // In time or not: it looks again.
                let _made = timeout(TRIGGERED_EVERY, reached(&metrics, &news, is_made)).await;
            }
        }
    }
}
