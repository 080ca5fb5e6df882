//! How the first members begin a group: all of them, each with the log that it has.
//!
//! Each asks all others for the numbers of their logs, and accepts the group that these make. A log
//! accepts one group, durably and for good. The group begins once all of them have accepted the
//! same one. So a member that loses its disk before or after that has another log, which is none of
//! the group: no majority counts it.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use turnstile_host::Rng;

use super::Peers;
use crate::group::{Founding, Group};
use crate::identity::{GroupIdentity, Identity};

/// What it waits for is logged so often.
const LOGGED_EVERY: Duration = Duration::from_secs(10);

impl Peers {
    /// What this member is to begin, if it was restored or told to.
    pub(crate) fn founding(&self) -> Option<Founding> {
        match &self.lock().group {
            GroupIdentity::Founding(founding) => Some(founding.clone()),
            GroupIdentity::In(_) | GroupIdentity::Joining(_) => None,
        }
    }

    /// Whether its log says which group it is of, or is to begin.
    pub(crate) fn has_beginning(&self) -> bool {
        self.group().is_some() || self.log.founding().is_some()
    }

    /// Notes what this member is to begin, unless it has a group.
    pub(crate) fn set_founding(&self, founding: Founding) {
        let mut state = self.lock();
        if state.group.group().is_none() {
            state.group = GroupIdentity::Founding(founding);
            state.known.clear();
            state.process = Rng::from_entropy().number();
        }
    }

    /// Waits until all first members of the group have accepted it; it is the group that this one
    /// has accepted, or the one that its list makes. Those that were refused may be started again
    /// with the right list.
    ///
    /// # Errors
    /// When the log was closed first.
    pub(crate) async fn found(self: &Arc<Self>, founding: &Founding) -> io::Result<Group> {
        self.network.set_members(&founding.members);
        let group = match self.group() {
            Some(group) => group,
            None => {
                let logs = self.logs_of(founding).await;
                self.accept(Group { founding: founding.clone(), logs }).await?
            }
        };
        let has_accepted = |peer: &Identity| peer.group.group() == Some(&group);
        self.ask_all(founding, has_accepted).await;
        Ok(group)
    }

    /// Accepts a group, unless there is one: returns the one that is durable now. Others have to
    /// ask again.
    ///
    /// # Errors
    /// When the log was closed first.
    pub(crate) async fn accept(&self, group: Group) -> io::Result<Group> {
        let _accepting = self.accepting.lock().await;
        if let Some(group) = self.group() {
            return Ok(group);
        }
        self.log.put_group(group.encode()).await?;
        let mut state = self.lock();
        state.logs.clone_from(&group.logs);
        state.group = GroupIdentity::In(group.clone());
        state.process = Rng::from_entropy().number();
        Ok(group)
    }

    /// The numbers of the logs of all first members.
    async fn logs_of(self: &Arc<Self>, founding: &Founding) -> BTreeMap<u64, u64> {
        let peers = self.ask_all(founding, |_| true).await;
        let mut logs: BTreeMap<_, _> = peers.into_iter().map(|(id, peer)| (id, peer.log)).collect();
        logs.insert(self.id, self.log.number().await);
        logs
    }

    /// Asks all other first members until each has answered rightly once.
    async fn ask_all(
        self: &Arc<Self>,
        founding: &Founding,
        is_right: impl Fn(&Identity) -> bool,
    ) -> BTreeMap<u64, Identity> {
        let (mut answered, mut logged) = (BTreeMap::new(), Instant::now());
        loop {
            let mut missing = Vec::new();
            for (id, address) in &founding.members {
                if *id == self.id || answered.contains_key(id) {
                    continue;
                }
                match self.ask(*id, |_| false).await {
                    Ok(peer) if is_right(&peer) => _ = answered.insert(*id, peer),
                    Ok(_) | Err(_) => missing.push(format!("{id}={address}")),
                }
            }
            if missing.is_empty() {
                return answered;
            }
            if logged.elapsed() >= LOGGED_EVERY {
                logged = Instant::now();
                let missing = missing.join(", ");
                tracing::warn!("the group begins once all of its first members run: {missing}");
            }
            sleep(self.pause).await;
        }
    }
}
