//! A member of a group that replicates a state machine.

mod snapshots;
mod store;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, sleep, timeout};
use turnstile_host::simulation::blocking;
use turnstile_host::store::Store;

use crate::changes::{Changes, MemberChange};
use crate::engine::{self, Engine};
use crate::error::{MemberError, Members, Peer};
use crate::group::Founding;
use crate::inbox::{self, Inbox, NoRequests};
use crate::log::Log;
use crate::machine::StateMachine;
use crate::network::{Handler, Network};
use crate::options::Options;
use crate::peers::Peers;
use crate::proposer::{self, Proposals, submit};
use crate::status::{Leadership, Status};
use store::MemberStore;
pub use store::NOT_OF_A_MEMBER;

/// A running member. Clones are handles of the same one. It runs until [`Member::stop`].
#[derive(Clone)]
pub struct Member {
    engine: Arc<Engine>,
    proposals: Proposals,
    peers: Arc<Peers>,
    options: Options,
    changes: Arc<Changes>,
}

impl Member {
    /// Starts a member on its store, which no other program may use. A new member waits until
    /// [`Member::initialize`] or [`Member::add_member`] of another makes it one of a group.
    ///
    /// A store that was lost must not be replaced by an empty one under the same id: the member
    /// may have voted or acknowledged what it no longer knows. Remove the member and add one with
    /// a new id.
    ///
    /// # Errors
    /// When the options contradict each other, or the store has damaged data, belongs to another
    /// member or application, or has a snapshot that the machine refuses.
    pub async fn start(
        options: Options,
        store: Box<dyn Store>,
        machine: impl StateMachine,
        network: Arc<dyn Network>,
    ) -> io::Result<Self> {
        Self::start_with(options, store, machine, network, Arc::new(NoRequests)).await
    }

    /// As [`Member::start`], with the handler of the application's requests, which other members
    /// send by [`Member::call`]. The network keeps it until the member stops.
    ///
    /// # Errors
    /// As [`Member::start`].
    pub async fn start_with(
        options: Options,
        store: Box<dyn Store>,
        machine: impl StateMachine,
        network: Arc<dyn Network>,
        application: Arc<dyn Handler>,
    ) -> io::Result<Self> {
        let id = options.id;
        let store = Box::new(MemberStore(store));
        let log = Arc::new(blocking(move || Log::open(store, id)).await??);
        let beginning = Arc::clone(&log);
        // An error means that the member has stopped.
        tokio::spawn(async move { beginning.begin().await });
        let name = machine.application();
        log.check_application(name)?;
        let peers = Peers::new(&options, &machine, Arc::clone(&log), Arc::clone(&network))?;
        let (machine, own) = (Box::new(machine), Arc::clone(&peers));
        let kept = Arc::clone(&log);
        let engine = Engine::start(&options, log, machine, Arc::clone(&network), own).await?;
        // It has read the snapshot: one that is refused leaves the data to those whose they are.
        kept.note_application(name);
        let engine = Arc::new(engine);
        let proposals = proposer::start(Arc::clone(&engine), &options);
        let changes = Changes::new(Arc::clone(&engine), options.clone());
        let inbox = Inbox::of(&peers, &engine, &proposals, &changes, &options, application);
        network.serve(Arc::new(inbox));
        tokio::spawn(Arc::clone(&changes).finish());
        let member = Self { engine, proposals, peers, options, changes };
        tokio::spawn(member.clone().resume_founding());
        Ok(member)
    }

    /// Begins the group of a state that was restored, or one that the process ended before.
    async fn resume_founding(self) {
        let group = self.peers.group().map(|group| group.founding);
        let Some(founding) = self.peers.founding().or(group) else { return };
        match self.found(&founding).await {
            Ok(()) | Err(MemberError::Stopped { .. }) => {}
            Err(error) => tracing::warn!(%error, "the group is not begun"),
        }
    }

    /// Makes these the first members of a new group, and returns once it has begun: all of them
    /// must run until then, since the group has the numbers of their logs. Call it on one of them,
    /// or on several with the same list, at each start. A member that is in a group, or has the
    /// restored state of one, ignores it.
    ///
    /// # Errors
    /// When this member is not in the list, or has stopped.
    pub async fn initialize(&self, members: &Members) -> Result<(), MemberError> {
        if self.peers.has_beginning() {
            return self.wait_until_begun().await;
        }
        let id = self.options.id;
        if !members.contains_key(&id) {
            let why = format!("member {id}, which is this one, is not in the list");
            return Err(MemberError::Membership { why });
        }
        let (name, members) = (self.options.group.clone(), members.clone());
        let founding = Founding { name, members, origin: None };
        self.peers.set_founding(founding.clone());
        self.found(&founding).await
    }

    /// Begins a group, unless another of its first members has begun it before.
    async fn found(&self, founding: &Founding) -> Result<(), MemberError> {
        tokio::select! {
            biased;
            begun = self.wait_until_begun() => begun,
            group = self.peers.found(founding) => {
                let stopped = |error: io::Error| MemberError::Stopped { why: error.to_string() };
                engine::founding::begin(&self.engine, &group.map_err(stopped)?).await
            }
        }
    }

    /// Waits until the log has members.
    async fn wait_until_begun(&self) -> Result<(), MemberError> {
        self.wait_for_change(|status| !status.members.is_empty()).await.map(|_| ())
    }

    /// Proposes an operation, and returns the machine's answer after a majority has it and this
    /// member, the leader, has applied it.
    ///
    /// # Errors
    /// When this member is not the leader, or has no answer in time; then
    /// [`MemberError::is_not_executed`] says whether it may still be executed.
    pub async fn propose(&self, operation: impl Into<Bytes>) -> Result<Bytes, MemberError> {
        let operation = operation.into();
        let (len, most) = (operation.len(), self.options.operation_bytes);
        if len > most {
            return Err(MemberError::TooLarge { len, most });
        }
        // An entry of a former term may occupy the queue.
        self.engine.check_leader()?;
        self.engine.check_store()?;
        let deadline = Instant::now() + self.options.timeout;
        match submit(&self.proposals, operation, deadline).await {
            Err(MemberError::TimedOut) => Err(self.engine.timed_out(&self.options)),
            answer => answer,
        }
    }

    /// Proposes an operation on this member, if it leads, or else on the leader. While there is
    /// none, it waits for one.
    ///
    /// # Errors
    /// As [`Member::propose`], and [`MemberError::Lost`] when the leader does not answer.
    pub async fn forward(&self, operation: impl Into<Bytes>) -> Result<Bytes, MemberError> {
        let operation = operation.into();
        let attempts = async {
            loop {
                let leader = match self.propose(operation.clone()).await {
                    Err(MemberError::NotLeader { leader }) => leader,
                    answer => return answer,
                };
                if let Some(Peer { id, .. }) = leader {
                    match inbox::forward(&self.peers, id, &operation).await {
                        // Its term has ended, or has not begun.
                        Err(MemberError::NotLeader { .. }) => {}
                        answer => return answer,
                    }
                }
                self.await_leader(leader.map(|peer| peer.id)).await?;
            }
        };
        timeout(self.options.timeout, attempts).await.unwrap_or(Err(MemberError::TimedOut))
    }

    /// Sends a request of the application to another member, past the log, and returns the answer
    /// of its handler. The request arrives at most once. The caller drops a call that takes too
    /// long.
    ///
    /// # Errors
    /// When there is no answer; whether the request has arrived is unknown.
    pub async fn call(&self, to: u64, request: &[u8]) -> Result<Bytes, MemberError> {
        inbox::ask(&self.peers, to, request).await
    }

    /// The version of the operations that this member would propose, if it leads: all members can
    /// apply those of this version. On others, that of the log.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.engine.version()
    }

    /// Waits for another leader than `before`; at most for a heartbeat, if there was one, since it
    /// may begin to lead.
    async fn await_leader(&self, before: Option<u64>) -> Result<(), MemberError> {
        let is_new = |status: &Status| status.leader.is_some() && status.leader != before;
        let Options { heartbeat, timeout, .. } = self.options;
        match self.wait_for(if before.is_some() { heartbeat } else { timeout }, is_new).await {
            Ok(_) | Err(MemberError::TimedOut) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Confirms with a majority that this member leads, and waits until it has applied all that was
    /// committed before the call. A state that is read afterwards is linearizable. Returns the
    /// index of the last of these entries.
    ///
    /// # Errors
    /// When this member is not the leader, or cannot confirm it in time.
    pub async fn read_index(&self) -> Result<Option<u64>, MemberError> {
        match timeout(self.options.timeout, self.engine.read_index()).await {
            Ok(read) => read,
            Err(_) => Err(self.engine.timed_out(&self.options)),
        }
    }

    /// Adds a member, which has been started: it receives the log, and then votes. Repeating it
    /// after an error is safe.
    ///
    /// # Errors
    /// When this member is not the leader, or the change is not finished in time; it may still be
    /// finished later. And when the member is of another group, has lost its log, or cannot apply
    /// the version of the log's operations.
    pub async fn add_member(&self, id: u64, address: &str) -> Result<(), MemberError> {
        self.changes.make(&MemberChange::Add { id, address: address.to_owned() }).await
    }

    /// Removes a member; the leader may remove itself. Its id must not be used again.
    ///
    /// # Errors
    /// As [`Member::add_member`], and when there is no such member.
    pub async fn remove_member(&self, id: u64) -> Result<(), MemberError> {
        self.changes.make(&MemberChange::Remove { id }).await
    }

    /// Makes a change of the members on this member, if it leads, or else on the leader.
    ///
    /// # Errors
    /// As [`Member::add_member`], and [`MemberError::NotLeader`] while there is no leader.
    pub async fn change_members(&self, change: &MemberChange) -> Result<(), MemberError> {
        match self.changes.make(change).await {
            Err(MemberError::NotLeader { leader: Some(Peer { id, .. }) }) => {
                inbox::forward_change(&self.peers, id, change).await
            }
            changed => changed,
        }
    }

    /// Starts an election, which this member may win if it has all that is committed. Members that
    /// hear from a leader refuse their votes.
    ///
    /// # Errors
    /// When the member has stopped.
    pub async fn elect(&self) -> Result<(), MemberError> {
        self.engine.trigger_election().await
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.engine.status()
    }

    /// Who leads, as far as this member knows: cheaper than the whole status.
    #[must_use]
    pub fn leadership(&self) -> Leadership {
        self.engine.leadership()
    }

    /// Waits for a status.
    ///
    /// # Errors
    /// When it is not reached in time, or the member has stopped.
    pub async fn wait_for(
        &self,
        most: Duration,
        is_reached: impl FnMut(&Status) -> bool + Send,
    ) -> Result<Status, MemberError> {
        let reached = timeout(most, self.engine.wait_for(is_reached)).await;
        reached.map_err(|_| MemberError::TimedOut)?
    }

    /// Waits for a status without a limit, and looks only when something else is new than the
    /// progress of the log: a role, a term, a leader, a member, the first entry of a term, a
    /// snapshot or a failure. Waiting for such a thing costs nothing while the log grows.
    ///
    /// # Errors
    /// When the member has stopped.
    pub async fn wait_for_change(
        &self,
        is_reached: impl FnMut(&Status) -> bool + Send,
    ) -> Result<Status, MemberError> {
        self.engine.wait_for_change(is_reached).await
    }

    /// Waits until the member has stopped by itself, and then for two heartbeats, in which the
    /// leader hears why it does not answer any more. Returns the reason.
    pub async fn failed(&self) -> String {
        let why = match self.wait_for_change(|status| status.failure.is_some()).await {
            Ok(status) => status.failure.unwrap_or_default(),
            Err(error) => error.to_string(),
        };
        sleep(2 * self.options.heartbeat).await;
        why
    }

    /// Stops the member, and closes its network and its store.
    pub async fn stop(&self) {
        self.engine.stop().await;
    }
}
