//! What openraft publishes of itself.

use std::collections::BTreeMap;

use openraft::{RaftMetrics, ServerState};
use tokio::sync::watch;

use crate::error::Members;
use crate::group::MemberNode;
use crate::news::News;
use crate::status::Role;

/// The leader of the entry that follows a state which was restored. No member has this id.
pub(super) const FOUNDER: u64 = 0;

pub(super) type Metrics = RaftMetrics<u64, MemberNode>;

pub(super) const fn role(state: ServerState) -> Role {
    match state {
        ServerState::Learner => Role::Learner,
        ServerState::Follower => Role::Follower,
        ServerState::Candidate => Role::Candidate,
        ServerState::Leader => Role::Leader,
        ServerState::Shutdown => Role::Stopped,
    }
}

/// The leader that the metrics name, unless it only stands for the beginning of the group.
pub(super) fn elected(metrics: &Metrics) -> Option<u64> {
    metrics.current_leader.filter(|id| *id != FOUNDER)
}

/// The ids of the members.
pub(super) fn ids(metrics: &Metrics) -> impl Iterator<Item = u64> {
    metrics.membership_config.nodes().map(|(id, _)| *id)
}

pub(super) fn members(metrics: &Metrics) -> Members {
    metrics.membership_config.nodes().map(|(id, node)| (*id, node.address.clone())).collect()
}

/// The numbers of the logs of the members.
pub(super) fn logs(metrics: &Metrics) -> BTreeMap<u64, u64> {
    metrics.membership_config.nodes().map(|(id, node)| (*id, node.log)).collect()
}

/// Waits until openraft publishes such metrics, which must change rarely; `false`: the member has
/// stopped before.
pub(super) async fn reached(
    metrics: &watch::Receiver<Metrics>,
    news: &News,
    is_reached: impl Fn(&Metrics) -> bool,
) -> bool {
    let look = || match is_reached(&metrics.borrow()) {
        true => Some(true),
        false => metrics.has_changed().is_err().then_some(false),
    };
    news.changes.until(look).await
}
