//! Raft by openraft 0.9: this module and its parts are the only ones that name it.
//!
//! What a step to another version changes is here: the adapters between openraft's storage and
//! network traits and our own, and the translation of its errors and metrics.

mod client;
mod config;
mod forwarding;
pub(crate) mod founding;
mod log;
mod machine;
mod membership;
mod metrics;
mod request;
mod restore;
mod rpc;
mod runtime;
mod snapshot_head;
mod snapshots;
mod status;
mod stream;
#[cfg(test)]
mod suite;
mod versions;

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use openraft::ServerState;
use openraft::error::{CheckIsLeaderError, ClientWriteError, ForwardToLeader, RaftError};
use tokio::sync::watch;
use tokio::time::Instant;
use turnstile_host::Bell;
use turnstile_host::simulation::blocking;

use crate::engine::log::answered::Answered;
use crate::engine::log::entry::Raft;
use crate::engine::log::log_store::LogStore;
use crate::engine::log::unsynced::Unsynced;
use crate::error::{MemberError, Peer};
use crate::group::MemberNode;
use crate::log::Log;
use crate::machine::StateMachine;
use crate::network::{Handler, Network};
use crate::news::News;
use crate::options::Options;
use crate::peers::Peers;
use crate::status::{Leadership, Role, Status};
use forwarding::Forwarding;
use machine::Machine;
use metrics::{Metrics, elected, ids, reached, role};
pub(crate) use restore::{restore, unwritten};
use rpc::{Requests, Rpc};
use snapshots::Schedule;
pub(crate) use snapshots::TRIGGERED_EVERY;
use versions::Versions;

/// Openraft with our store, machine and network.
pub(crate) struct Engine {
    id: u64,
    /// The pause between attempts.
    pause: Duration,
    raft: Raft,
    log: Arc<Log>,
    unsynced: Arc<Unsynced>,
    answered: Arc<Answered>,
    network: Arc<dyn Network>,
    peers: Arc<Peers>,
    versions: Versions,
    /// Rings when the status may be another. A watch channel would wake those that wait for it in a
    /// random order.
    news: Arc<News>,
    /// When openraft last published its metrics, which it does with every heartbeat. It does not
    /// while its task waits for the store, and ages in the metrics are those of that time.
    published: Arc<Mutex<Instant>>,
}

impl Engine {
    /// # Errors
    /// When the options contradict each other, the log or the snapshot is damaged, or the machine
    /// refuses its snapshot.
    pub(crate) async fn start(
        options: &Options,
        log: Arc<Log>,
        machine: Box<dyn StateMachine>,
        network: Arc<dyn Network>,
        peers: Arc<Peers>,
    ) -> io::Result<Self> {
        let config = Arc::new(config::of(options)?);
        let own = machine.version();
        let unsynced = Arc::new(Unsynced::default());
        let answered = Answered::open(Arc::clone(&log))?;
        let (kept, synced) = (Arc::clone(&answered), Arc::clone(&unsynced));
        let machine = Machine::open(options.id, kept, synced, machine)?;
        let versions = Versions::new(options.id, own, Arc::clone(&peers), machine.version());
        let rpc = Rpc {
            peers: Arc::clone(&peers),
            unsynced: Arc::clone(&unsynced),
            answered: Arc::clone(&answered),
            heartbeat: options.heartbeat,
        };
        let store = LogStore {
            log: Arc::clone(&log),
            id: options.id,
            process: peers.process(),
            unsynced: Arc::clone(&unsynced),
            answered: Arc::clone(&answered),
        };
        let raft = Raft::new(options.id, config, rpc, store, machine).await;
        let raft = raft.map_err(io::Error::other)?;
        let published = Arc::new(Mutex::new(Instant::now()));
        let news = peers.news();
        let schedule = Schedule { log: Arc::clone(&log), every: options.snapshot_every };
        let forwarding = Forwarding {
            metrics: raft.metrics(),
            network: Arc::clone(&network),
            peers: Arc::clone(&peers),
            published: Arc::clone(&published),
            news: Arc::clone(&news),
            schedule: schedule.clone(),
        };
        tokio::spawn(forwarding.run());
        tokio::spawn(schedule.run(raft.clone(), Arc::clone(&news)));
        tokio::spawn(Arc::clone(&log).keep_synced(options.heartbeat));
        let (id, pause) = (options.id, options.heartbeat);
        Ok(Self {
            id,
            pause,
            raft,
            log,
            unsynced,
            answered,
            network,
            peers,
            versions,
            news,
            published,
        })
    }

    /// Answers the requests of other members.
    pub(crate) fn requests(&self) -> impl Handler + use<> {
        Requests::new(self.raft.clone(), Arc::clone(&self.answered), Arc::clone(&self.news))
    }

    /// Whether this member has stopped, since acknowledged changes are lost.
    pub(crate) fn has_loss(&self) -> bool {
        self.answered.loss().is_some()
    }

    /// The version of the operations of the next entry, which is written next.
    pub(crate) fn next_version(&self) -> u32 {
        let metrics = self.raft.metrics();
        let metrics = metrics.borrow();
        self.versions.next(ids(&metrics), metrics.current_term)
    }

    /// The version of the operations that this member would write, if it leads, or has applied.
    pub(crate) fn version(&self) -> u32 {
        let metrics = self.raft.metrics();
        let metrics = metrics.borrow();
        match metrics.state {
            ServerState::Leader => self.versions.peek(ids(&metrics), metrics.current_term),
            ServerState::Learner
            | ServerState::Follower
            | ServerState::Candidate
            | ServerState::Shutdown => self.versions.applied(),
        }
    }

    /// Writes an entry, and waits for the answers of its operations, which are applied then.
    ///
    /// Openraft has one error for an entry that it rejects and for one that it has written and then
    /// removes for another leader. The latter may be on a third member, which may lead later and
    /// commit it: so the outcome is unknown. It forgets an entry that a snapshot of another leader
    /// replaces: so the end of the term ends the wait.
    ///
    /// # Errors
    /// When this member does not lead, and the entry is not written, or does not lead any more.
    pub(crate) async fn write(&self, entry: Bytes) -> Result<Vec<Bytes>, MemberError> {
        self.check_leader()?;
        let metrics = self.raft.metrics();
        let term = metrics.borrow().current_term;
        let result = self.raft.client_write_ff(entry).await.map_err(stopped)?;
        let deposed = || MemberError::Lost { why: "the leader has changed".into() };
        tokio::select! {
            biased;
            result = result => match result.map_err(stopped)? {
                Ok(response) => Ok(response.data),
                Err(ClientWriteError::ForwardToLeader(_)) => Err(deposed()),
                Err(error @ ClientWriteError::ChangeMembershipError(_)) => Err(client_error(error)),
            },
            () = end_of_term(&metrics, &self.news, term) => Err(deposed()),
        }
    }

    /// # Errors
    /// When this member does not lead, as far as it knows.
    pub(crate) fn check_leader(&self) -> Result<(), MemberError> {
        let metrics = self.raft.metrics();
        let metrics = metrics.borrow();
        if let Some(why) = self.failure(&metrics) {
            return Err(MemberError::Stopped { why });
        }
        let peer = |id| {
            let node = metrics.membership_config.membership().get_node(&id);
            Peer { id, address: node.map(|node| node.address.clone()).unwrap_or_default() }
        };
        match role(metrics.state) {
            Role::Leader => Ok(()),
            Role::Learner | Role::Follower | Role::Candidate => {
                Err(MemberError::NotLeader { leader: elected(&metrics).map(peer) })
            }
            Role::Stopped => Err(MemberError::stopped()),
        }
    }

    /// # Errors
    /// When the store rejects writes: what is written then waits for it.
    pub(crate) fn check_store(&self) -> Result<(), MemberError> {
        if self.log.is_failing() { Err(MemberError::StoreFails) } else { Ok(()) }
    }

    /// Waits until everything is applied that was committed before the call.
    pub(crate) async fn read_index(&self) -> Result<Option<u64>, MemberError> {
        let read = self.raft.ensure_linearizable().await.map_err(|error| match error {
            RaftError::APIError(CheckIsLeaderError::ForwardToLeader(to)) => not_leader(to),
            RaftError::APIError(CheckIsLeaderError::QuorumNotEnough(_)) => MemberError::NoQuorum,
            RaftError::Fatal(fatal) => stopped(fatal),
        })?;
        Ok(read.map(|id| id.index))
    }

    /// The bytes of the last snapshot.
    pub(crate) fn snapshot(&self) -> Option<Bytes> {
        self.log.snapshot()
    }

    /// Starts to make a snapshot.
    pub(crate) async fn trigger_snapshot(&self) -> Result<(), MemberError> {
        self.raft.trigger().snapshot().await.map_err(stopped)
    }

    /// Starts an election.
    pub(crate) async fn trigger_election(&self) -> Result<(), MemberError> {
        self.raft.trigger().elect().await.map_err(stopped)
    }

    /// Waits for a status.
    pub(crate) async fn wait_for(
        &self,
        is_reached: impl FnMut(&Status) -> bool,
    ) -> Result<Status, MemberError> {
        self.wait(&self.news.all, is_reached).await
    }

    /// Waits for a status, and looks only when something else is new than the log's progress.
    pub(crate) async fn wait_for_change(
        &self,
        is_reached: impl FnMut(&Status) -> bool,
    ) -> Result<Status, MemberError> {
        self.wait(&self.news.changes, is_reached).await
    }

    async fn wait(
        &self,
        bell: &Bell,
        mut is_reached: impl FnMut(&Status) -> bool,
    ) -> Result<Status, MemberError> {
        let metrics = self.raft.metrics();
        let look = || {
            let now = metrics.borrow().clone();
            let status = self.status_of(&now);
            if is_reached(&status) {
                return Some(Ok(status));
            }
            if let Some(why) = status.failure {
                return Some(Err(MemberError::Stopped { why }));
            }
            metrics.has_changed().err().map(|error| Err(stopped(error)))
        };
        bell.until(look).await
    }

    /// The reason of a timeout, as far as this member knows it.
    pub(crate) fn timed_out(&self, options: &Options) -> MemberError {
        let Leadership { role, millis_since_quorum_ack, .. } = self.leadership();
        let lease = options.election_most.as_millis();
        let has_quorum = millis_since_quorum_ack.is_some_and(|millis| u128::from(millis) <= lease);
        match role {
            Role::Leader if !has_quorum => MemberError::NoQuorum,
            Role::Leader | Role::Learner | Role::Follower | Role::Candidate | Role::Stopped => {
                MemberError::TimedOut
            }
        }
    }

    /// Stops, and closes the network and the store. What is queued is written first, unless the
    /// store rejects it.
    pub(crate) async fn stop(&self) {
        self.log.give_up();
        if let Err(error) = self.raft.shutdown().await {
            tracing::error!(%error, "the log's task has panicked");
        }
        self.network.close().await;
        let log = Arc::clone(&self.log);
        // A panic there has been reported there.
        let _closed = blocking(move || log.close()).await;
    }
}

/// Completes when this member, which led in a term, no longer does, or has stopped.
async fn end_of_term(metrics: &watch::Receiver<Metrics>, news: &News, term: u64) {
    let is_over =
        |metrics: &Metrics| metrics.current_term > term || metrics.state != ServerState::Leader;
    reached(metrics, news, is_over).await;
}

fn client_error(error: ClientWriteError<u64, MemberNode>) -> MemberError {
    match error {
        ClientWriteError::ForwardToLeader(to) => not_leader(to),
        ClientWriteError::ChangeMembershipError(error) => {
            MemberError::Membership { why: error.to_string() }
        }
    }
}

fn not_leader(to: ForwardToLeader<u64, MemberNode>) -> MemberError {
    let ForwardToLeader { leader_id, leader_node } = to;
    let address = leader_node.map(|node| node.address).unwrap_or_default();
    MemberError::NotLeader { leader: leader_id.map(|id| Peer { id, address }) }
}

fn stopped(error: impl std::fmt::Display) -> MemberError {
    MemberError::Stopped { why: error.to_string() }
}
