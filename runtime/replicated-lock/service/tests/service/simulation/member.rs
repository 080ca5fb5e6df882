//! The process of a member: its service, its users, its listener, its part in changes of the
//! members, and its state in the end.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_local;
use tokio::time::sleep;
use turnstile_host::Rng;
use turnstile_host::store::{LogStore, Medium};
use turnstile_raft::{MemberChange, Members, Role, Status};
use turnstile_replicated_lock::{LockService, Options};

use super::outcome::Event;
use super::user::User;
use super::witness::{Process, Witness};
use turnstile_members_simulation::cluster::{Changes, States, make_changes, name, tell_state};
use turnstile_members_simulation::net::{Net, watch};

/// The users of each member.
pub(crate) const USERS: u64 = 3;
const HEARTBEAT: Duration = Duration::from_millis(60);
/// A process that cannot start is started again after so long.
const RESTART_PAUSE: Duration = Duration::from_millis(40);
/// A log in the store is folded when it is this long.
const LOG_MAX: u64 = 20_000;

/// The cluster, as only a test sees it.
#[derive(Clone)]
pub(crate) struct Cluster {
    pub(crate) net: Net,
    pub(crate) witness: Witness,
    /// How many begin it.
    pub(crate) first: u64,
    pub(crate) media: BTreeMap<u64, Medium>,
    /// The members that have been started, those that are added included.
    pub(crate) started: Rc<RefCell<BTreeSet<u64>>>,
    pub(crate) running: Rc<RefCell<BTreeMap<u64, LockService>>>,
    pub(crate) changes: Changes,
    /// Nobody wants a lock any more.
    pub(crate) is_over: Rc<Cell<bool>>,
    pub(crate) states: States,
}

fn options(id: u64) -> Options {
    let raft = turnstile_raft::Options {
        snapshot_every: 25,
        keep_entries: 5,
        snapshot_chunk_bytes: 200,
        timeout: Duration::from_secs(2),
        ..turnstile_raft::Options::with_heartbeat(id, HEARTBEAT)
    };
    let (command_timeout, retry) = (Duration::from_secs(1), Duration::from_millis(200));
    Options { command_timeout, retry, ..Options::with(raft) }
}

/// Starts the service, as often as its disk refuses it.
async fn start(id: u64, cluster: &Cluster) -> LockService {
    loop {
        let medium = Arc::new(cluster.media[&id].clone());
        let started = match LogStore::open_on(medium, Path::new("disk"), LOG_MAX) {
            Ok(store) => {
                LockService::start(options(id), Box::new(store), cluster.net.join(id)).await
            }
            Err(error) => Err(error),
        };
        match started {
            Ok(service) => return service,
            Err(_) => sleep(RESTART_PAUSE).await,
        }
    }
}

/// The process of a member.
pub(crate) async fn run_member(process: Process, cluster: Cluster) -> turmoil::Result {
    let (id, witness) = (process.member, cluster.witness.clone());
    while !cluster.started.borrow().contains(&id) {
        sleep(RESTART_PAUSE).await;
    }
    let service = start(id, &cluster).await;
    if id <= cluster.first {
        let list: Members = (1..=cluster.first).map(|id| (id, name(id))).collect();
        let raft = service.raft().clone();
        // As in the program: it goes on when all have run.
        spawn_local(async move { raft.initialize(&list).await });
    }
    cluster.running.borrow_mut().insert(id, service.clone());
    let raft = || service.raft().clone();
    let tally = witness.tally.clone();
    let count = move |status: &Status| {
        if status.role == Role::Leader && status.term > 1 {
            tally.note(Event::TermBegun);
        }
    };
    let tally = witness.tally.clone();
    let tell = move |change: &MemberChange| {
        tally.note(match change {
            MemberChange::Add { .. } => Event::MemberAdded,
            MemberChange::Remove { .. } => Event::MemberRemoved,
        });
    };
    spawn_local(watch(id, raft(), witness.trace.clone(), count));
    spawn_local(make_changes(raft(), HEARTBEAT, cluster.changes.clone(), tell));
    spawn_local(tell_state(raft(), 4 * HEARTBEAT, cluster.is_over.clone(), cluster.states));
    spawn_local(listen(process, service.clone(), witness.clone()));
    for number in 0..USERS {
        let (service, witness, rng) = (service.clone(), witness.clone(), Rng::from_entropy());
        spawn_local(User { process, number, service, witness, rng }.run());
    }
    std::future::pending().await
}

/// Tells of each change of the member.
async fn listen(process: Process, service: LockService, witness: Witness) {
    let mut changes = service.changes();
    loop {
        match changes.next().await {
            Ok(Some(change)) => witness.changed(process, &change),
            Ok(None) => return witness.fail(format!("{process:?} tells of no more changes")),
            Err(lagged) => return witness.fail(format!("{process:?}: {lagged}")),
        }
    }
}
