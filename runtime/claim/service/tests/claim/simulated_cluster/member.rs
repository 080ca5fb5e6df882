//! The process of a member: its server.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use turnstile_claim::server::{ClusterOptions, Hosts, Options, Server};
use turnstile_members_simulation::cluster::Cluster;
use turnstile_members_simulation::loss::Loss;
use turnstile_members_simulation::run::start;
use turnstile_raft::Member;

use super::tenant::note_contact;
use crate::simulation::disk::Watched;
use crate::simulation::network::Listener;
use crate::simulation::outcome::Tally;

pub(super) const PORT: u16 = 5000;
/// The name in the URLs of all members.
pub(super) const CLUSTER: &str = "cluster";
/// The greatest number of a member.
pub(super) const MEMBERS_MAX: usize = 7;
const HEARTBEAT: Duration = Duration::from_millis(60);

thread_local! {
    /// How wrong the wall clock of each member's machine is. A simulation has a thread for itself.
    pub(super) static WALL_OFF_US: Cell<[i64; MEMBERS_MAX]> = const { Cell::new([0; MEMBERS_MAX]) };
}

/// The cluster, as only a test sees it; clones share it.
#[derive(Clone)]
pub(super) struct ClaimCluster {
    pub(super) members: Cluster<Member>,
    pub(super) tally: Tally,
    /// The leader that was in contact with a majority last, and when.
    pub(super) contact: Rc<Cell<Option<(u64, Duration)>>>,
}

/// The wall clock of a member's machine.
fn wall_us<const ID: usize>() -> u64 {
    let since_epoch = turmoil::since_epoch().expect("in a simulation").as_micros() as u64;
    since_epoch.saturating_add_signed(WALL_OFF_US.get()[ID - 1])
}

/// The wall clock of each member's machine.
const WALLS: [fn() -> u64; MEMBERS_MAX] = [
    wall_us::<1>,
    wall_us::<2>,
    wall_us::<3>,
    wall_us::<4>,
    wall_us::<5>,
    wall_us::<6>,
    wall_us::<7>,
];

fn options(id: u64) -> (ClusterOptions, Options) {
    let raft = turnstile_raft::Options {
        snapshot_every: 30,
        keep_entries: 5,
        snapshot_chunk_bytes: 2_000,
        timeout: Duration::from_secs(2),
        ..turnstile_raft::Options::with_heartbeat(id, HEARTBEAT)
    };
    let wall_us = WALLS[id as usize - 1];
    let options = Options { wall_us, hosts: Hosts::of([CLUSTER.into()]), ..Options::default() };
    (ClusterOptions::new("simulated", raft), options)
}

/// The process of a member.
pub(super) async fn run_member(id: u64, cluster: ClaimCluster) -> turmoil::Result {
    let ClaimCluster { members, tally, .. } = &cluster;
    let server = start(async || {
        let ((log, options), network) = (options(id), members.net.join(id));
        let store = Watched::open(&members.media[&id], tally)?;
        Server::join(log, Box::new(store), network, options).await
    });
    let server = server.await;
    let member = server.member().expect("it is one").clone();
    members.add(id, member.clone());
    tokio::task::spawn_local(note_contact(member, cluster.clone()));
    let has_no_descriptors = Arc::new(AtomicBool::new(false));
    let listener = Listener::bind(PORT, has_no_descriptors, tally.clone()).await?;
    let failed = server.failed();
    tokio::select! {
        biased;
        why = failed => {
            if !Loss::is_noticed(Some(&why)) {
                return Err(format!("member {id} has stopped by itself: {why}").into());
            }
            std::future::pending().await
        }
        served = server.serve(listener, std::future::pending()) => Ok(served?),
    }
}
