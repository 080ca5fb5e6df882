//! The process of a member: its server, its part in changes of the members, its state in the end.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::time::sleep;
use turnstile_claim::server::{ClusterOptions, Hosts, Options, Server};
use turnstile_host::store::Medium;
use turnstile_raft::{Member, MemberChange, Members, Role, Status};

use super::tenant::note_contact;
use crate::simulation::disk::Watched;
use crate::simulation::network::Listener;
use crate::simulation::outcome::{Event, Tally};
use turnstile_members_simulation::cluster::{Changes, States, make_changes, name, tell_state};
use turnstile_members_simulation::loss::Loss;
use turnstile_members_simulation::net::{Net, Trace, watch};

pub(super) const PORT: u16 = 5000;
/// The name in the URLs of all members.
pub(super) const CLUSTER: &str = "cluster";
/// The greatest number of a member.
pub(super) const MEMBERS_MAX: usize = 7;
const HEARTBEAT: Duration = Duration::from_millis(60);
/// A process that cannot start is started again after so long.
const RESTART_PAUSE: Duration = Duration::from_millis(40);

thread_local! {
    /// How wrong the wall clock of each member's machine is. A simulation has a thread for itself.
    pub(super) static WALL_OFF_US: Cell<[i64; MEMBERS_MAX]> = const { Cell::new([0; MEMBERS_MAX]) };
}

/// The cluster, as only a test sees it.
#[derive(Clone)]
pub(super) struct Cluster {
    pub(super) net: Net,
    pub(super) trace: Trace,
    pub(super) tally: Tally,
    /// How many begin it.
    pub(super) first: u64,
    pub(super) media: BTreeMap<u64, Medium>,
    /// The members that have been started, those that are added included.
    pub(super) started: Rc<RefCell<BTreeSet<u64>>>,
    pub(super) running: Rc<RefCell<BTreeMap<u64, Member>>>,
    pub(super) changes: Changes,
    /// The leader that was in contact with a majority last, and when.
    pub(super) contact: Rc<Cell<Option<(u64, Duration)>>>,
    /// Nothing is written any more.
    pub(super) is_over: Rc<Cell<bool>>,
    pub(super) states: States,
    /// A member has stopped since what it has answered for is lost.
    pub(super) is_loss_noticed: Rc<Cell<bool>>,
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
        snapshot_every: 60,
        keep_entries: 10,
        snapshot_chunk_bytes: 2_000,
        timeout: Duration::from_secs(2),
        ..turnstile_raft::Options::with_heartbeat(id, HEARTBEAT)
    };
    let wall_us = WALLS[id as usize - 1];
    let options = Options { wall_us, hosts: Hosts::of([CLUSTER.into()]), ..Options::default() };
    (ClusterOptions::new("simulated", raft), options)
}

/// The process of a member.
pub(super) async fn run_member(id: u64, cluster: Cluster) -> turmoil::Result {
    while !cluster.started.borrow().contains(&id) {
        sleep(RESTART_PAUSE).await;
    }
    // The disk may refuse a start, and the process may end while it reads.
    let server = loop {
        let (log, options) = options(id);
        let network = cluster.net.join(id);
        let started = match Watched::open(&cluster.media[&id], &cluster.tally) {
            Ok(store) => Server::join(log, Box::new(store), network, options).await,
            Err(error) => Err(error),
        };
        match started {
            Ok(server) => break server,
            Err(_) => sleep(RESTART_PAUSE).await,
        }
    };
    let member = server.member().expect("it is one").clone();
    if id <= cluster.first {
        let list: Members = (1..=cluster.first).map(|id| (id, name(id))).collect();
        let member = member.clone();
        // As in the program: it goes on when all have run.
        tokio::task::spawn_local(async move { member.initialize(&list).await });
    }
    cluster.running.borrow_mut().insert(id, member.clone());
    let tally = cluster.tally.clone();
    let count = move |status: &Status| {
        if status.role == Role::Leader && status.term > 1 {
            tally.note(Event::TermBegun);
        }
    };
    tokio::task::spawn_local(note_contact(member.clone(), cluster.clone()));
    tokio::task::spawn_local(watch(id, member.clone(), cluster.trace.clone(), count));
    let (tally, trace) = (cluster.tally.clone(), cluster.trace.clone());
    let tell = move |change: &MemberChange| {
        tally.note(match change {
            MemberChange::Add { .. } => Event::MemberAdded,
            MemberChange::Remove { .. } => Event::MemberRemoved,
        });
        trace.note(format_args!("{change:?}"));
    };
    let (changes, states) = (cluster.changes.clone(), cluster.states.clone());
    tokio::task::spawn_local(make_changes(member.clone(), HEARTBEAT, changes, tell));
    tokio::task::spawn_local(tell_state(member, 4 * HEARTBEAT, cluster.is_over.clone(), states));
    let has_no_descriptors = Arc::new(AtomicBool::new(false));
    let listener = Listener::bind(PORT, has_no_descriptors, cluster.tally.clone()).await?;
    let failed = server.failed();
    tokio::select! {
        biased;
        why = failed => {
            if !Loss::is_noticed(Some(&why)) {
                return Err(format!("member {id} has stopped by itself: {why}").into());
            }
            cluster.is_loss_noticed.set(true);
            std::future::pending().await
        }
        served = server.serve(listener, std::future::pending()) => Ok(served?),
    }
}
