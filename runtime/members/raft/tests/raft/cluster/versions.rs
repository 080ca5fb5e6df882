//! Members of different versions, as in an upgrade of one after the other.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use tokio::time::timeout;
use turnstile_host::store::Disk;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{
    Encode, LogPosition, Member, MemberError, Members, Role, StateMachine, Status,
};

use super::group::{PATIENCE, options};

/// Answers with the version by which an operation is applied. The state is those of all.
struct Versioned {
    newest: u32,
    applied: Vec<u8>,
}

impl StateMachine for Versioned {
    fn version(&self) -> u32 {
        self.newest
    }

    fn apply(&mut self, place: LogPosition, _operation: &[u8]) -> io::Result<Vec<u8>> {
        self.applied.push(u8::try_from(place.version).expect("the tests have few"));
        Ok(self.applied.clone())
    }

    fn snapshot(&self) -> Encode {
        let applied = self.applied.clone();
        Box::new(move |out| out.extend_from_slice(&applied))
    }

    fn install(&mut self, snapshot: &[u8]) -> io::Result<()> {
        self.applied = snapshot.to_vec();
        Ok(())
    }
}

#[derive(Default)]
struct Upgrade {
    hub: Hub,
    disks: BTreeMap<u64, Disk>,
    members: BTreeMap<u64, Member>,
}

impl Upgrade {
    /// Starts a member, perhaps again, with this version.
    async fn start(&mut self, id: u64, newest: u32) -> io::Result<()> {
        if let Some(member) = self.members.remove(&id) {
            member.stop().await;
        }
        let store = Box::new(self.disks.entry(id).or_default().open());
        let machine = Versioned { newest, applied: Vec::new() };
        let options = turnstile_raft::Options { keep_entries: 0, ..options(id) };
        let member = Member::start(options, store, machine, self.hub.join(id)).await?;
        self.members.insert(id, member);
        Ok(())
    }

    async fn leader(&self) -> &Member {
        let leads = |status: &Status| status.leader.is_some() && status.applied_index.is_some();
        let status = self.members[&1].wait_for(PATIENCE, leads).await.expect("one is elected");
        let leader = &self.members[&status.leader.expect("it was waited for")];
        let leads = |status: &Status| status.role == Role::Leader;
        leader.wait_for(PATIENCE, leads).await.expect("it leads");
        leader
    }

    /// Proposes until an operation is applied by this version; returns the versions of all.
    async fn reach(&self, version: u8) -> Vec<u8> {
        let reached = timeout(PATIENCE, async {
            loop {
                let answer = self.members[&1].forward("x").await.expect("there is a majority");
                if answer.last() == Some(&version) {
                    return answer.to_vec();
                }
            }
        });
        reached.await.expect("all members can apply it")
    }

    async fn end(self) {
        for member in self.members.values() {
            member.stop().await;
        }
    }
}

async fn of_versions(versions: &[u32]) -> Upgrade {
    let mut upgrade = Upgrade::default();
    let ids = 1..=versions.len() as u64;
    for (id, version) in ids.clone().zip(versions) {
        upgrade.start(id, *version).await.expect("its disk is empty");
    }
    let list: Members = ids.map(|id| (id, format!("member-{id}"))).collect();
    upgrade.members[&1].initialize(&list).await.expect("it is one of them");
    upgrade.leader().await;
    upgrade
}

#[tokio::test(flavor = "multi_thread")]
async fn the_version_of_the_log_is_the_oldest_of_its_members() {
    let mut upgrade = of_versions(&[2, 2, 1]).await;
    // The leader knows all after this.
    for id in 1..=3 {
        upgrade.members[&id].forward("x").await.expect("there is a majority");
    }
    assert!(upgrade.reach(1).await.iter().all(|version| *version == 1));
    // A member that is down may have any version.
    upgrade.members.remove(&3).expect("it runs").stop().await;
    assert!(upgrade.reach(1).await.iter().all(|version| *version == 1));
    upgrade.start(3, 2).await.expect("its disk is whole");
    let versions = upgrade.reach(2).await;
    assert!(versions.is_sorted(), "{versions:?}");
    let leader = upgrade.leader().await;
    assert_eq!(leader.version(), 2);
    // It stays so in a snapshot, and after a change of the leader.
    leader.snapshot().await.expect("it is made");
    for id in 1..=3 {
        upgrade.start(id, 2).await.expect("its disk is whole");
    }
    upgrade.leader().await;
    let answer = upgrade.members[&1].forward("x").await.expect("there is a majority");
    assert!(answer.is_sorted() && answer.last() == Some(&2), "{answer:?}");
    upgrade.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_cannot_apply_the_log_is_not_taken_in() {
    let mut upgrade = of_versions(&[2]).await;
    upgrade.reach(2).await;
    upgrade.start(2, 1).await.expect("its disk is empty");
    let error = upgrade.members[&1].add_member(2, "member-2").await.expect_err("it is too old");
    let MemberError::Membership { why } = error else { panic!("{error}") };
    assert!(why.contains("member 2 applies operations up to version 1"), "{why}");
    upgrade.start(2, 3).await.expect("its disk is empty");
    upgrade.members[&1].add_member(2, "member-2").await.expect("it receives the log");
    assert_eq!(upgrade.reach(2).await.last(), Some(&2));
    upgrade.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_is_too_old_for_its_log_stops() {
    let mut upgrade = of_versions(&[2]).await;
    upgrade.reach(2).await;
    let refused = match upgrade.start(1, 1).await {
        Err(error) => error.to_string(),
        Ok(()) => {
            let has_failed = |status: &Status| status.failure.is_some();
            let wait = upgrade.members[&1].wait_for(Duration::from_secs(60), has_failed).await;
            wait.expect("it stops").failure.expect("it was waited for")
        }
    };
    assert!(refused.contains("the log has operations of version 2"), "{refused}");
    upgrade.end().await;
}
