//! The state of a group as the start of another one.

use std::io;

use turnstile_host::store::Disk;
use turnstile_raft::network::hub::Hub;
use turnstile_raft::{Backup, Encode, LogPosition, Member, Members, StateMachine, Status};

use super::group::{Group, PATIENCE, options};
use crate::register::Register;

/// A group with two operations, and its state.
async fn saved() -> (Group, Backup) {
    let group = Group::start(3, |_| {}).await;
    let leader = group.leader().await;
    for operation in ["a", "b"] {
        group.propose(leader, operation).await;
    }
    let backup = group.members[&leader].backup().await.expect("it has applied something");
    (group, backup)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_begins_with_the_state_of_another() {
    let (group, backup) = saved().await;
    group.propose(group.leader().await, "after the backup").await;
    let read = Backup::decode(backup.encode()).expect("it is whole");
    assert_eq!(read, backup);
    let (hub, list) = (Hub::new(), Members::from([7, 8].map(|id| (id, format!("new-{id}")))));
    let (mut members, mut registers) = (Vec::new(), Vec::new());
    for id in [7, 8] {
        let disk = Disk::default();
        let restored = Member::restore(&options(id), Box::new(disk.open()), &read, &list).await;
        restored.expect("the disk is empty");
        let (register, store) = (Register::default(), Box::new(disk.open()));
        let member = Member::start(options(id), store, register.clone(), hub.join(id)).await;
        members.push(member.expect("the log is whole"));
        registers.push(register);
    }
    assert_eq!(members[1].forward("c").await.expect("they are a majority"), "3");
    let index = members[1].status().leader.expect("it has forwarded");
    let leader = members.iter().find(|member| member.status().id == index).expect("it runs");
    // Others are added, as to any group.
    let register = Register::default();
    let store = Box::new(Disk::default().open());
    let third = Member::start(options(9), store, register.clone(), hub.join(9)).await;
    let third = third.expect("its disk is empty");
    leader.add_member(9, "new-9").await.expect("it receives the log");
    let applied = leader.status().applied_index;
    let catches_up = |status: &Status| status.applied_index >= applied;
    third.wait_for(PATIENCE, catches_up).await.expect("it runs");
    for register in registers.iter().chain([&register]) {
        assert_eq!(register.operations(), ["a", "b", "c"]);
    }
    for member in members.iter().chain([&third]) {
        member.stop().await;
    }
    group.end().await;
}

/// A machine of another application, which cannot read the state.
struct Stranger;

impl StateMachine for Stranger {
    fn application(&self) -> &'static str {
        "another"
    }

    fn apply(&mut self, _place: LogPosition, _operation: &[u8]) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn snapshot(&self) -> Encode {
        Box::new(|_| {})
    }

    fn install(&mut self, _snapshot: &[u8]) -> io::Result<()> {
        Err(io::Error::other("the state is none of it"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_that_cannot_read_a_restored_state_leaves_it_to_its_own() {
    let (group, backup) = saved().await;
    let (hub, disk, list) = (Hub::new(), Disk::default(), Members::from([(7, String::new())]));
    let restored = Member::restore(&options(7), Box::new(disk.open()), &backup, &list).await;
    restored.expect("the disk is empty");
    for _ in 0..2 {
        let store = Box::new(disk.open());
        let refused = Member::start(options(7), store, Stranger, hub.join(7)).await.map(drop);
        let why = refused.expect_err("it cannot read it").to_string();
        assert!(why.contains("the state is none of it"), "{why}");
    }
    let mut register = Register::default();
    register.application = "its own";
    let (store, network) = (Box::new(disk.open()), hub.join(7));
    let member = Member::start(options(7), store, register.clone(), network).await;
    let member = member.expect("it is its own");
    assert_eq!(register.operations(), ["a", "b"]);
    member.stop().await;
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_refused_that_is_damaged_or_has_no_place() {
    let (group, backup) = saved().await;
    let mut bytes = backup.encode().to_vec();
    let place = bytes.len() / 2;
    bytes[place] ^= 1;
    let damaged = Backup::decode(bytes).expect_err("a byte is changed").to_string();
    assert!(damaged.contains("checksum is wrong"), "{damaged}");
    let disk = Disk::default();
    let restore = |list: Members| {
        let (disk, backup) = (disk.clone(), backup.clone());
        async move { Member::restore(&options(7), Box::new(disk.open()), &backup, &list).await }
    };
    let other = restore(Members::from([(8, String::new())])).await.expect_err("it is not in it");
    assert!(other.to_string().contains("member 7"), "{other}");
    let list = Members::from([(7, String::new())]);
    restore(list.clone()).await.expect("the disk is empty");
    let twice = restore(list).await.expect_err("it is not empty").to_string();
    assert!(twice.contains("has a log already"), "{twice}");
    group.end().await;
}
