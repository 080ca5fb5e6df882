//! The service, its users and its listener in the process of each member; and what must hold in the
//! end.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_local;
use turmoil::Sim;
use turnstile_host::Rng;
use turnstile_host::store::LogStore;
use turnstile_members_simulation::cluster::{self, Cluster};
use turnstile_members_simulation::counts::Counts;
use turnstile_members_simulation::fault_injection::Service;
use turnstile_members_simulation::run::{Run, Times, start};
use turnstile_raft::Member;
use turnstile_replicated_lock::{LockService, Options};

use super::event::Event;
use super::user::User;
use super::witness::{LOCKS, Process, Witness};

/// The users of each member.
const USERS: u64 = 3;
const HEARTBEAT: Duration = Duration::from_millis(60);
/// A log in the store is folded when it is this long.
const LOG_MAX: u64 = 20_000;

/// What runs in the process of a member.
#[derive(Clone)]
pub(crate) struct Running(LockService);

impl cluster::Process for Running {
    fn member(&self) -> &Member {
        self.0.raft()
    }

    /// Its tables handle all that it has seen.
    fn check(&self, seed: u64) {
        assert_eq!(self.0.status().unhandled, [""; 0], "seed {seed}");
    }
}

/// The locks of all members.
pub(crate) struct Locks {
    cluster: Cluster<Running>,
    witness: Witness,
    is_lined_up: bool,
}

impl Service for Locks {
    type Process = Running;
    type Event = Event;
    const TIMES: Times = Times {
        disturbed: Duration::from_secs(10),
        end: Duration::from_secs(60),
        tick: Duration::from_millis(4),
        seldom: 90,
        lasts: Duration::from_secs(3),
    };

    fn begin(sim: &mut Sim<'_>, cluster: &Cluster<Running>) -> Self {
        let witness = Witness::new(&cluster.trace);
        let (heard, lives) = (witness.clone(), Rc::new(Cell::new(0)));
        cluster.host(sim, move |member, cluster| {
            lives.set(lives.get() + 1);
            run_member(Process { member, life: lives.get() }, cluster, heard.clone())
        });
        Self { cluster: cluster.clone(), witness, is_lined_up: false }
    }

    fn is_killed(&mut self, id: u64) {
        self.witness.tally.add(Event::HolderKilled, u64::from(self.witness.holds(id)));
    }

    /// Whether each user has had each lock, each member has had its turn at each in a line, nobody
    /// holds a lock or waits for one, and the members have equal states.
    fn is_at_rest(&mut self, _run: &mut Run<'_, '_>) -> bool {
        let (cluster, witness) = (&self.cluster, &self.witness);
        let running: Vec<u64> = cluster.running.borrow().keys().copied().collect();
        witness.calm_down();
        let mut users = running.iter().flat_map(|id| (0..USERS).map(move |user| (*id, user)));
        if !users.all(|user| witness.is_served(user)) {
            return false;
        }
        if !std::mem::replace(&mut self.is_lined_up, true) {
            witness.line_up(&running);
        }
        let is_over = |lock: &&str| witness.line(lock, |line| line.is_over()) == Some(true);
        if !LOCKS.iter().all(is_over) {
            return false;
        }
        cluster.is_over.set(true);
        let all = cluster.running.borrow();
        let are_free = all.values().all(|service| service.0.status().locks.is_empty());
        are_free && cluster.has_equal_states()
    }

    fn wrong(&self) -> Option<String> {
        self.witness.wrong()
    }

    fn outcome(self) -> Counts<Event> {
        self.witness.tally.counts()
    }
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

/// The process of a member.
async fn run_member(
    process: Process,
    cluster: Cluster<Running>,
    witness: Witness,
) -> turmoil::Result {
    let id = process.member;
    let service = start(async || {
        let medium = Arc::new(cluster.media[&id].clone());
        let store = LogStore::open_on(medium, Path::new("disk"), LOG_MAX)?;
        LockService::start(options(id), Box::new(store), cluster.net.join(id)).await
    });
    let service = service.await;
    cluster.add(id, Running(service.clone()));
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
