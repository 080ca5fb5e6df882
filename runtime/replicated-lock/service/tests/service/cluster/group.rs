//! A group of members on simulated disks, connected by a hub.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use turnstile_host::store::Disk;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Members, Options as RaftOptions, Role, Status as RaftStatus};
use turnstile_replicated_lock::{Guard, LockError, LockService, LockStatus, Options};

use super::late::LateNetwork;

/// The timeout of all waits of a test: reaching it is a failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The id of the lock of most tests.
pub(crate) const LOCK: &str = "printer";

/// Short intervals, so that the tests are quick.
pub(crate) fn options(id: u64) -> Options {
    let raft = RaftOptions {
        heartbeat: Duration::from_millis(60),
        election_least: Duration::from_millis(540),
        election_most: Duration::from_millis(720),
        timeout: Duration::from_secs(5),
        ..RaftOptions::new(id)
    };
    let (command_timeout, retry) = (Duration::from_secs(5), Duration::from_millis(200));
    Options { command_timeout, retry, ..Options::with(raft) }
}

/// The members, and their disks, which outlive them.
pub(crate) struct Group {
    pub(crate) hub: Hub,
    pub(crate) members: BTreeMap<u64, LockService>,
    pub(crate) networks: BTreeMap<u64, Arc<LateNetwork>>,
    pub(crate) disks: BTreeMap<u64, Disk>,
    configure: fn(&mut Options),
}

impl Group {
    /// Members 1 to `count`, as one group; all are ready.
    pub(crate) async fn start(count: u64, configure: fn(&mut Options)) -> Self {
        let (hub, members, networks) = (Hub::new(), BTreeMap::new(), BTreeMap::new());
        let mut group = Self { hub, members, networks, disks: BTreeMap::new(), configure };
        for id in 1..=count {
            group.join(id).await;
        }
        let list: Members = (1..=count).map(|id| (id, format!("member-{id}"))).collect();
        group.members[&1].raft().initialize(&list).await.expect("it is one of them");
        for id in 1..=count {
            group.ready(id).await;
        }
        group
    }

    /// Starts a member, on the disk that it had before.
    pub(crate) async fn join(&mut self, id: u64) {
        let mut options = options(id);
        (self.configure)(&mut options);
        let store = Box::new(self.disks.entry(id).or_default().open());
        let network = LateNetwork::new(self.hub.join(id));
        self.networks.insert(id, Arc::clone(&network));
        let member = LockService::start(options, store, network).await;
        self.members.insert(id, member.expect("its disk is whole"));
    }

    /// Stops a member; its disk remains.
    pub(crate) async fn stop(&mut self, id: u64) {
        self.members.remove(&id).expect("it runs").stop().await;
    }

    /// Waits until a member takes commands.
    pub(crate) async fn ready(&self, id: u64) {
        let ready = timeout(PATIENCE, async { while self.members[&id].ready().await.is_err() {} });
        ready.await.unwrap_or_else(|_| panic!("{:?} is not ready", self.members[&id].status()));
    }

    /// The leader, once all of these follow it.
    pub(crate) async fn leader_among(&self, ids: &[u64]) -> u64 {
        let leads = |status: &RaftStatus| status.leader.is_some_and(|leader| ids.contains(&leader));
        let status = self.members[&ids[0]].raft().wait_for(PATIENCE, leads).await;
        let leader = status.expect("one is elected").leader.expect("it was waited for");
        let leads = |status: &RaftStatus| status.role == Role::Leader;
        self.members[&leader].raft().wait_for(PATIENCE, leads).await.expect("it leads");
        leader
    }

    pub(crate) async fn leader(&self) -> u64 {
        let ids: Vec<u64> = self.members.keys().copied().collect();
        self.leader_among(&ids).await
    }

    /// The members but for one.
    pub(crate) fn others(&self, than: u64) -> Vec<u64> {
        self.members.keys().copied().filter(|id| *id != than).collect()
    }

    /// Locks at a member, which succeeds at once or after a wait.
    pub(crate) async fn lock(&self, at: u64, id: &str) -> Guard {
        self.granted(at, id, self.members[&at].lock(id).lock()).await
    }

    /// The same, but a command that fails is repeated: a member that is sent a snapshot does not
    /// hear what has become of those that the snapshot has.
    pub(crate) async fn lock_in_the_end(&self, at: u64, id: &str) -> Guard {
        let locking = async {
            loop {
                match self.members[&at].lock(id).lock().await {
                    Err(LockError::Failed) => {}
                    locked => return locked,
                }
            }
        };
        self.granted(at, id, locking).await
    }

    async fn granted(
        &self,
        at: u64,
        id: &str,
        locking: impl Future<Output = Result<Guard, LockError>>,
    ) -> Guard {
        let locked = timeout(PATIENCE, locking).await;
        let locked = locked.unwrap_or_else(|_| panic!("{at} waits: {:#?}", self.all()));
        locked.unwrap_or_else(|error| panic!("{at} locks {id}: {error}: {:#?}", self.all()))
    }

    /// Waits until this member's listener has been notified that it waits.
    pub(crate) async fn waits(&self, at: u64, changes: &mut turnstile_replicated_lock::Changes) {
        let waits = timeout(PATIENCE, async {
            loop {
                let change = changes.next().await.expect("few things change");
                if change.expect("it runs").status == LockStatus::Waiting {
                    return;
                }
            }
        });
        waits.await.unwrap_or_else(|_| panic!("{at} does not wait: {:#?}", self.all()));
    }

    pub(crate) fn all(&self) -> Vec<turnstile_replicated_lock::Status> {
        self.members.values().map(LockService::status).collect()
    }

    /// Stops all members, none of which has seen an event that its tables do not handle.
    pub(crate) async fn end(self) {
        for member in self.members.values() {
            member.stop().await;
            assert_eq!(member.status().unhandled, [""; 0]);
        }
    }
}
