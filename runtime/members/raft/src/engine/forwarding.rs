//! What openraft publishes of itself, on its way to the network and to those that wait for it.

use std::sync::{Arc, Mutex, PoisonError};

use openraft::{LogId, ServerState};
use tokio::sync::watch;
use tokio::time::Instant;

use super::metrics::{Metrics, logs, members};
use super::snapshots::Schedule;
use crate::error::Members;
use crate::network::Network;
use crate::news::News;
use crate::peers::Peers;

/// Tells the network and the peers of each change of the members, notes when there are new metrics,
/// and tells those that wait for them.
pub(super) struct Forwarding {
    pub(super) metrics: watch::Receiver<Metrics>,
    pub(super) network: Arc<dyn Network>,
    pub(super) peers: Arc<Peers>,
    pub(super) published: Arc<Mutex<Instant>>,
    pub(super) news: Arc<News>,
    pub(super) schedule: Schedule,
}

#[derive(PartialEq, Eq)]
struct Rare {
    state: ServerState,
    term: u64,
    leader: Option<u64>,
    members: Option<LogId<u64>>,
    are_members_applied: bool,
    applied_term: Option<u64>,
    snapshot: Option<LogId<u64>>,
    is_snapshot_due: bool,
    has_failed: bool,
}

impl Forwarding {
    /// Runs until the member stops. Members that are removed stay known until the change is
    /// applied: the leader may be one of them, and needs the answers of the others until then.
    pub(super) async fn run(mut self) {
        let (mut seen, mut told, mut applied) = (None, Members::new(), Members::new());
        loop {
            *self.published.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            if let Some((mut members, is_applied)) = self.change(&mut seen) {
                let logs = logs(&self.metrics.borrow());
                if !logs.is_empty() {
                    self.peers.set_logs(logs);
                }
                if !is_applied {
                    told.iter().for_each(|(id, address)| {
                        members.entry(*id).or_insert_with(|| address.clone());
                    });
                }
                if members != told {
                    self.network.set_members(&members);
                    told = members;
                }
                // One that is not applied may be replaced by that of another leader.
                if is_applied && applied != told {
                    self.peers.set_members(&told);
                    applied.clone_from(&told);
                }
                self.news.changes.ring();
            }
            self.news.all.ring();
            if self.metrics.changed().await.is_err() {
                // Those that wait find that it has stopped.
                self.news.ring();
                return;
            }
        }
    }

    /// The members, and whether they are applied, if more is new than the log's progress.
    fn change(&mut self, seen: &mut Option<Rare>) -> Option<(Members, bool)> {
        let metrics = self.metrics.borrow_and_update();
        let now = rare(&metrics, &self.schedule);
        let is_applied = now.are_members_applied;
        let is_new = seen.replace(now) != *seen;
        is_new.then(|| (members(&metrics), is_applied))
    }
}

/// What of the metrics changes rarely.
fn rare(metrics: &Metrics, schedule: &Schedule) -> Rare {
    let members = *metrics.membership_config.log_id();
    Rare {
        state: metrics.state,
        term: metrics.current_term,
        leader: metrics.current_leader,
        members,
        are_members_applied: metrics.last_applied >= members,
        applied_term: metrics.last_applied.map(|id| id.leader_id.term),
        snapshot: metrics.snapshot,
        is_snapshot_due: schedule.is_due(metrics),
        has_failed: metrics.running_state.is_err(),
    }
}
