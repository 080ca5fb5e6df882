//! When snapshots are made: openraft counts entries only, and those of a large state would be most
//! of what is written.

use std::sync::Arc;

use openraft::LogId;
use turnstile_host::Bell;

use super::{Metrics, Raft, reached};
use crate::log::Log;

/// Makes a snapshot whenever one is due, until the member stops.
pub(super) async fn make(raft: Raft, log: Arc<Log>, every: u64, news: Arc<Bell>) {
    let count = |last: Option<LogId<u64>>| last.map_or(0, |last| last.index + 1);
    let metrics = raft.metrics();
    let is_due = |metrics: &Metrics| {
        let entries = count(metrics.last_applied).saturating_sub(count(metrics.snapshot));
        log.is_snapshot_due(entries, every)
    };
    while reached(&metrics, &news, is_due).await {
        let before = metrics.borrow().snapshot;
        let is_made = |metrics: &Metrics| metrics.snapshot != before;
        if raft.trigger().snapshot().await.is_err() || !reached(&metrics, &news, is_made).await {
            return;
        }
    }
}
