//! Snapshots: of a member that restarts, and for one that lags behind.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use turnstile_host::store::Disk;
use turnstile_raft::network::hub::{Hub, HubPort};
use turnstile_raft::network::{Boxed, CallError, Handler, Network};
use turnstile_raft::{Member, Members, Options, Status};

use super::group::{Group, PATIENCE, options};
use crate::register::Register;

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_lags_behind_is_given_a_snapshot() {
    let mut group = Group::start(3, |options| {
        options.keep_entries = 0;
        // Many parts.
        options.snapshot_chunk_bytes = 64;
    })
    .await;
    let leader = group.leader().await;
    let late = group.others(leader)[0];
    group.stop(late).await;
    for number in 0..50 {
        group.propose(leader, &format!("operation {number}")).await;
    }
    let snapshot = group.members[&leader].snapshot().await.expect("it is made");
    let index = snapshot.snapshot_index;
    assert!(index.is_some());
    let purged = |status: &Status| status.purged_index == index;
    group.members[&leader].wait_for(PATIENCE, purged).await.expect("its entries are purged");
    group.join(late).await;
    group.agree(leader).await;
    let status = group.members[&late].status();
    assert_eq!(status.snapshot_index, index, "it received the snapshot");
    // It restarts from the snapshot that it has received.
    group.stop(late).await;
    group.join(late).await;
    assert_eq!(group.registers[&late].operations().len(), 50);
    group.propose(leader, "the last").await;
    group.agree(leader).await;
    group.end().await;
}

/// The size of the parts of a snapshot.
const PART: usize = 1000;

/// A network that fails for a while in the middle of a snapshot.
struct Broken {
    port: Arc<HubPort>,
    /// The parts that have arrived.
    parts: AtomicUsize,
    /// The requests that have failed.
    failed: AtomicUsize,
}

impl Network for Broken {
    fn serve(&self, handler: Arc<dyn Handler>) {
        self.port.serve(handler);
    }

    fn set_members(&self, members: &BTreeMap<u64, String>) {
        self.port.set_members(members);
    }

    fn call(&self, to: u64, request: Bytes) -> Boxed<'_, Result<Bytes, CallError>> {
        let is_over = self.failed.load(Ordering::SeqCst) == 20;
        if self.parts.load(Ordering::SeqCst) == 5 && !is_over {
            self.failed.fetch_add(1, Ordering::SeqCst);
            return Box::pin(std::future::ready(Err(CallError::new("it is broken"))));
        }
        if request.len() > PART {
            self.parts.fetch_add(1, Ordering::SeqCst);
        }
        self.port.call(to, request)
    }

    fn close(&self) -> Boxed<'_, ()> {
        self.port.close()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_whose_stream_broke_is_resumed() {
    let hub = Hub::new();
    let settings = |id| Options {
        keep_entries: 0,
        snapshot_chunk_bytes: PART as u64,
        heartbeat: std::time::Duration::from_millis(20),
        ..options(id)
    };
    let (parts, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let network = Arc::new(Broken { port: hub.join(1), parts, failed });
    let store = Box::new(Disk::default().open());
    let leader = Member::start(settings(1), store, Register::default(), Arc::clone(&network) as _);
    let leader = leader.await.expect("its disk is empty");
    let list = Members::from([(1, "member-1".to_owned())]);
    leader.initialize(&list).await.expect("it is one of them");
    leader.forward("x".repeat(9 * PART + PART / 2)).await.expect("it is alone");
    let index = leader.snapshot().await.expect("it is made").snapshot_index;
    let purged = |status: &Status| status.purged_index == index;
    leader.wait_for(PATIENCE, purged).await.expect("its entries are purged");
    let (register, store) = (Register::default(), Box::new(Disk::default().open()));
    let second = Member::start(settings(2), store, register.clone(), hub.join(2)).await;
    let second = second.expect("its disk is empty");
    leader.add_member(2, "member-2").await.expect("it receives the log");
    assert_eq!(register.operations().len(), 1);
    assert_eq!(network.failed.load(Ordering::SeqCst), 20, "it was broken");
    // The last one is smaller, and not counted.
    assert_eq!(network.parts.load(Ordering::SeqCst), 9, "each part is sent once");
    for member in [leader, second] {
        member.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_restarts_from_its_snapshot_and_the_entries_after_it() {
    let mut group = Group::start(1, |options| options.keep_entries = 0).await;
    let leader = group.leader().await;
    group.propose(leader, "a").await;
    let index = group.members[&leader].snapshot().await.expect("it is made").snapshot_index;
    group.propose(leader, "b").await;
    group.stop(leader).await;
    group.join(leader).await;
    let leader = group.leader().await;
    assert_eq!(group.members[&leader].status().snapshot_index, index);
    assert_eq!(group.propose(leader, "c").await, "3");
    assert_eq!(group.registers[&leader].operations(), ["a", "b", "c"]);
    group.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshots_are_made_after_so_many_entries() {
    let group = Group::start(3, |options| {
        (options.snapshot_every, options.keep_entries) = (20, 5);
    })
    .await;
    let leader = group.leader().await;
    for number in 0..60 {
        group.propose(leader, &number.to_string()).await;
    }
    for member in group.members.values() {
        let has_purged = |status: &Status| status.purged_index > Some(20);
        member.wait_for(PATIENCE, has_purged).await.expect("it makes snapshots");
    }
    group.agree(leader).await;
    group.end().await;
}
