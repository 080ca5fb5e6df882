//! Openraft's metrics as the status of a member.

use std::sync::PoisonError;
use tokio::time::Instant;

use openraft::ServerState;
use turnstile_host::transport::Refusal;

use super::Engine;
use super::metrics::{Metrics, elected, members, role};
use crate::network::Trouble;
use crate::status::{Leadership, Status};

impl Engine {
    pub(crate) fn status(&self) -> Status {
        // Before the metrics: those may be newer, and then are taken for older than they are.
        let published = self.published();
        let metrics = self.raft.metrics().borrow().clone();
        let mut status = self.status_of(&metrics);
        let age = status.millis_since_quorum_ack;
        status.millis_since_quorum_ack = age.map(|millis| aged(millis, published));
        status
    }

    pub(crate) fn leadership(&self) -> Leadership {
        // As in the status.
        let published = self.published();
        let metrics = self.raft.metrics();
        let metrics = metrics.borrow();
        Leadership {
            role: role(metrics.state),
            term: metrics.current_term,
            leader: leader(elected(&metrics), metrics.id, metrics.state),
            millis_since_quorum_ack: metrics
                .millis_since_quorum_ack
                .map(|millis| aged(millis, published)),
        }
    }

    fn published(&self) -> Instant {
        *self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn status_of(&self, metrics: &Metrics) -> Status {
        let (syncs, sync_time) = self.log.syncs();
        Status {
            id: metrics.id,
            role: role(metrics.state),
            term: metrics.current_term,
            leader: leader(elected(metrics), metrics.id, metrics.state),
            last_log_index: metrics.last_log_index,
            applied_index: metrics.last_applied.map(|id| id.index),
            applied_term: metrics.last_applied.map(|id| id.leader_id.term),
            snapshot_index: metrics.snapshot.map(|id| id.index),
            purged_index: metrics.purged.map(|id| id.index),
            voters: metrics.membership_config.membership().get_joint_config().clone(),
            members: members(metrics),
            millis_since_quorum_ack: metrics.millis_since_quorum_ack,
            is_store_failing: self.log.is_failing(),
            syncs,
            sync_time,
            group: self.peers.group().map(|group| group.to_string()),
            refused: self.peers.refused(),
            is_told_removed: self.peers.is_removed() && !self.hears_leader(metrics),
            is_unknown: self.is_unknown(metrics),
            failure: self.failure(metrics),
        }
    }

    /// Why this member has stopped, if it has.
    pub(super) fn failure(&self, metrics: &Metrics) -> Option<String> {
        let fatal = || metrics.running_state.as_ref().err().map(ToString::to_string);
        self.answered.loss().cloned().or_else(fatal)
    }
}

impl Engine {
    fn hears_leader(&self, metrics: &Metrics) -> bool {
        elected(metrics).is_some_and(|leader| leader != self.id)
    }

    /// Whether a majority takes no connection of this one, and it hears no leader. That is so of
    /// one that is no member: for one that is being added, a majority with it has the entry by
    /// which it is, unless that is lost.
    fn is_unknown(&self, metrics: &Metrics) -> bool {
        let voters = metrics.membership_config.membership().get_joint_config().last();
        let Some(voters) = voters else { return false };
        let is_unknown_to = |id: &&u64| {
            let trouble = self.peers.trouble(**id);
            matches!(trouble, Some(Trouble::Rejected(Refusal::UnknownPeer, _)))
        };
        let unknown = voters.iter().filter(is_unknown_to).count();
        let is_unknown = unknown > 0 && unknown + voters.len() / 2 + 1 > voters.len();
        // Also if it is not: only what has no break lasts.
        let is_unknown = is_unknown && !self.hears_leader(metrics);
        self.peers.note_unknown(is_unknown, voters.contains(&self.id))
    }
}

/// The leader of the term. One that has removed itself still has the vote for itself.
fn leader(elected: Option<u64>, own: u64, state: ServerState) -> Option<u64> {
    elected.filter(|id| *id != own || state == ServerState::Leader)
}

/// An age that was published then.
fn aged(millis: u64, published: Instant) -> u64 {
    let since = u64::try_from(published.elapsed().as_millis()).unwrap_or(u64::MAX);
    millis.saturating_add(since)
}
