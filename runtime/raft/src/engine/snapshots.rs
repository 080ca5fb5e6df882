//! When snapshots are made: openraft counts entries only, and those of a large state would be most
//! of what is written.

use std::sync::Arc;

use openraft::LogId;

use super::{Metrics, Raft};
use crate::log::Log;

/// Makes a snapshot whenever one is due, until the member stops.
pub(super) async fn make(raft: Raft, log: Arc<Log>, every: u64) {
    let count = |last: Option<LogId<u64>>| last.map_or(0, |last| last.index + 1);
    let mut metrics = raft.metrics();
    let is_due = |metrics: &Metrics| {
        let entries = count(metrics.last_applied).saturating_sub(count(metrics.snapshot));
        log.is_snapshot_due(entries, every)
    };
    loop {
        let Ok(before) = metrics.wait_for(&is_due).await.map(|metrics| metrics.snapshot) else {
            return;
        };
        if raft.trigger().snapshot().await.is_err()
            || metrics.wait_for(|metrics| metrics.snapshot != before).await.is_err()
        {
            return;
        }
    }
}
