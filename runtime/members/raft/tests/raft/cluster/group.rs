//! A group of members on simulated disks, connected by a hub.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use turnstile_host::store::Disk;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Backup, Member, Members, Options, Role, Status};

use super::answered::Answered;
use crate::register::Register;

/// The timeout of all waits of a test: reaching it is a failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Short intervals, so that the tests are quick.
pub(crate) fn options(id: u64) -> Options {
    Options {
        heartbeat: Duration::from_millis(100),
        election_least: Duration::from_millis(900),
        election_most: Duration::from_millis(1200),
        timeout: Duration::from_secs(20),
        ..Options::new(id)
    }
}

/// The members, their machines, and their disks, which outlive them.
pub(crate) struct Group {
    pub(crate) hub: Hub,
    pub(crate) members: BTreeMap<u64, Member>,
    pub(crate) registers: BTreeMap<u64, Register>,
    pub(crate) networks: BTreeMap<u64, Arc<Answered>>,
    disks: BTreeMap<u64, Disk>,
    configure: fn(&mut Options),
}

impl Group {
    /// No members yet.
    pub(crate) fn empty(configure: fn(&mut Options)) -> Self {
        let (hub, members) = (Hub::new(), BTreeMap::new());
        let (registers, networks, disks) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { hub, members, registers, networks, disks, configure }
    }

    /// Members 1 to `count`, as one group.
    pub(crate) async fn start(count: u64, configure: fn(&mut Options)) -> Self {
        let mut group = Self::empty(configure);
        for id in 1..=count {
            group.join(id).await;
        }
        let list: Members = (1..=count).map(|id| (id, format!("member-{id}"))).collect();
        group.members[&1].initialize(&list).await.expect("it is one of them");
        group
    }

    /// Starts a member, on the disk that it had before.
    pub(crate) async fn join(&mut self, id: u64) {
        let mut options = options(id);
        (self.configure)(&mut options);
        let disk = self.disks.entry(id).or_default();
        let register = Register::default();
        let store = Box::new(disk.open());
        let network = Answered::new(self.hub.join(id));
        self.networks.insert(id, Arc::clone(&network));
        let member = Member::start(options, store, register.clone(), network).await;
        self.members.insert(id, member.expect("its disk is whole"));
        self.registers.insert(id, register);
    }

    /// Stops a member; its disk remains.
    pub(crate) async fn stop(&mut self, id: u64) {
        self.members.remove(&id).expect("it runs").stop().await;
    }

    /// A copy of the disk of a member that is stopped.
    pub(crate) fn back_up(&self, id: u64) -> Disk {
        self.disks[&id].copy()
    }

    /// Gives a member that is stopped another disk.
    pub(crate) fn restore(&mut self, id: u64, disk: Disk) {
        self.disks.insert(id, disk);
    }

    /// Gives a member that is stopped an empty disk.
    pub(crate) fn lose_disk(&mut self, id: u64) {
        self.disks.remove(&id).expect("it had one");
    }

    /// Waits until one of the members leads and has applied an entry of its term.
    pub(crate) async fn leader_among(&self, ids: &[u64]) -> u64 {
        let leads = |status: &Status| {
            status.leader.is_some_and(|leader| ids.contains(&leader))
                && status.applied_index.is_some()
        };
        let status = self.members[&ids[0]].wait_for(PATIENCE, leads).await;
        let leader = status.expect("one is elected").leader.expect("it was waited for");
        let leads = |status: &Status| status.role == Role::Leader;
        self.members[&leader].wait_for(PATIENCE, leads).await.expect("it leads");
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

    pub(crate) async fn propose(&self, at: u64, operation: &str) -> String {
        let answer = self.members[&at].propose(operation.to_owned()).await;
        let answer = answer.unwrap_or_else(|error| panic!("{at} executes {operation}: {error}"));
        String::from_utf8(answer.to_vec()).expect("it is a number")
    }

    /// Waits until all members have applied what this one has, and compares their machines.
    pub(crate) async fn agree(&self, with: u64) {
        let ids: Vec<u64> = self.members.keys().copied().filter(|id| *id != with).collect();
        self.agree_among(&[&[with][..], &ids].concat()).await;
    }

    /// Waits until these members have applied what the first one has, and compares their machines.
    pub(crate) async fn agree_among(&self, ids: &[u64]) {
        let index = self.members[&ids[0]].status().applied_index;
        let expected = self.registers[&ids[0]].operations();
        for id in ids {
            let is_applied = |status: &Status| status.applied_index >= index;
            self.members[id].wait_for(PATIENCE, is_applied).await.expect("it catches up");
            assert_eq!(self.registers[id].operations(), expected, "member {id}");
        }
    }

    /// Waits until a member does not work with another, and says why.
    pub(crate) async fn refusal(&self, at: u64, other: u64) -> String {
        let is_refused = |status: &Status| status.refused.contains_key(&other);
        let status = self.members[&at].wait_for(PATIENCE, is_refused).await;
        status.expect("it is refused").refused[&other].clone()
    }

    /// Writes a state into the disk of a member that does not run.
    pub(crate) async fn restore_from(&mut self, id: u64, backup: &Backup, list: &Members) {
        let disk = self.disks.entry(id).or_default();
        let restored = Member::restore(&options(id), Box::new(disk.open()), backup, list).await;
        restored.expect("the disk is empty");
    }

    pub(crate) async fn end(self) {
        for member in self.members.values() {
            member.stop().await;
        }
    }
}
