//! The process of a member: its server, its part in changes of the members, its state in the end.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use turnstile_claim::server::{ClusterOptions, Hosts, Options, Server};
use turnstile_host::store::Medium;
use turnstile_raft::{Member, MemberChange, MemberError, Members, Role, Status};

use super::net::{Net, Trace, watch};
use crate::simulation::disk::Watched;
use crate::simulation::network::Listener;
use crate::simulation::outcome::{Event, Tally};

pub(super) const PORT: u16 = 5000;
/// The name in the URLs of all members.
pub(super) const CLUSTER: &str = "cluster";
/// The greatest number of a member.
pub(super) const MEMBERS_MAX: usize = 6;
const HEARTBEAT: Duration = Duration::from_millis(60);
/// A process that cannot start is started again after so long.
const RESTART_PAUSE: Duration = Duration::from_millis(40);
/// How long a change of the members takes at most.
const CHANGE_MOST: Duration = Duration::from_secs(3);

thread_local! {
    /// How wrong the wall clock of each member's machine is. A simulation has a thread for itself.
    pub(super) static WALL_OFF_US: Cell<[i64; MEMBERS_MAX]> = const { Cell::new([0; MEMBERS_MAX]) };
}

/// The index of the last entry that a member has applied, and its state.
type LastState = (Option<u64>, Vec<u8>);

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
    /// The changes of the members that are to be made, the next one first.
    pub(super) changes: Rc<RefCell<Vec<MemberChange>>>,
    /// Nothing is written any more.
    pub(super) is_over: Rc<Cell<bool>>,
    /// The state of each member, once nothing is written any more.
    pub(super) states: Rc<RefCell<BTreeMap<u64, LastState>>>,
}

pub(super) fn name(id: u64) -> String {
    format!("member-{id}")
}

/// The wall clock of a member's machine.
fn wall_us<const ID: usize>() -> u64 {
    let since_epoch = turmoil::since_epoch().expect("in a simulation").as_micros() as u64;
    since_epoch.saturating_add_signed(WALL_OFF_US.get()[ID - 1])
}

/// The wall clock of each member's machine.
const WALLS: [fn() -> u64; MEMBERS_MAX] =
    [wall_us::<1>, wall_us::<2>, wall_us::<3>, wall_us::<4>, wall_us::<5>, wall_us::<6>];

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
        member.initialize(&list).await?;
    }
    cluster.running.borrow_mut().insert(id, member.clone());
    let tally = cluster.tally.clone();
    let count = move |status: &Status| {
        if status.role == Role::Leader && status.term > 1 {
            tally.note(Event::TermBegun);
        }
    };
    tokio::task::spawn_local(watch(id, member.clone(), cluster.trace.clone(), count));
    tokio::task::spawn_local(change_members(member.clone(), cluster.clone()));
    tokio::task::spawn_local(tell_state(id, member, cluster.clone()));
    let has_no_descriptors = Arc::new(AtomicBool::new(false));
    let listener = Listener::bind(PORT, has_no_descriptors, cluster.tally.clone()).await?;
    let failed = server.failed();
    tokio::select! {
        biased;
        why = failed => Err(format!("member {id} has stopped by itself: {why}").into()),
        served = server.serve(listener, std::future::pending()) => Ok(served?),
    }
}

/// Makes the changes of the members that are to be made, if this member leads.
async fn change_members(member: Member, cluster: Cluster) {
    loop {
        sleep(HEARTBEAT).await;
        let next = cluster.changes.borrow().first().cloned();
        let Some(change) = next.filter(|_| member.status().role == Role::Leader) else { continue };
        let made = timeout(CHANGE_MOST, member.change_members(&change)).await;
        let (is_made, event) = match (&change, made) {
            (MemberChange::Add { .. }, made) => (matches!(made, Ok(Ok(()))), Event::MemberAdded),
            // It was made when the outcome was unknown.
            (MemberChange::Remove { id }, Ok(Err(MemberError::Membership { .. }))) => {
                (!member.status().members.contains_key(id), Event::MemberRemoved)
            }
            (MemberChange::Remove { .. }, made) => {
                (matches!(made, Ok(Ok(()))), Event::MemberRemoved)
            }
        };
        let mut changes = cluster.changes.borrow_mut();
        if is_made && changes.first() == Some(&change) {
            changes.remove(0);
            cluster.tally.note(event);
            cluster.trace.note(format_args!("{change:?}"));
        }
    }
}

/// Tells the state of a member, once nothing is written any more.
async fn tell_state(id: u64, member: Member, cluster: Cluster) {
    loop {
        sleep(4 * HEARTBEAT).await;
        if cluster.is_over.get()
            && let Ok(backup) = member.backup().await
        {
            let state = (member.status().snapshot_index, backup.state().to_vec());
            cluster.states.borrow_mut().insert(id, state);
        }
    }
}
