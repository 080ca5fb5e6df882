//! The claims of all members: clients of one lock, one that remembers what it has written, one
//! whose lease never lapses; what goes wrong with them, and what must hold in the end.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use turmoil::Sim;
use turmoil::net::TcpStream;
use turnstile_claim::client::{Connector, Rng};
use turnstile_members_simulation::cluster::{Cluster, name};
use turnstile_members_simulation::fault_injection::{Service, deafen};
use turnstile_members_simulation::run::{Run, Times};
use turnstile_raft::Member;

use super::keeper::Keeper;
use super::member::{CLUSTER, ClaimCluster, MEMBERS_MAX, PORT, WALL_OFF_US, run_member};
use super::tenant;
use crate::simulation::outcome::{Event, Outcome, Tally};
use crate::simulation::run::{CLIENTS, SLEPT, Seen, World, client_builder};
use crate::simulation::trouble::{WALLS_OFF_US, sleep};
use crate::simulation::turn::turn;

/// Disturbances end after this much simulated time.
pub(super) const DISTURBED: Duration = Duration::from_secs(5);
const TICK: Duration = Duration::from_millis(4);
const TTL: Duration = Duration::from_secs(1);
/// How long after its return the member that led may take to notice what is lost.
const NOTICED_MOST: Duration = Duration::from_secs(8);
const KEEPER: &str = "keeper";
const TENANT: &str = "tenant";

/// The claims.
pub(super) struct Claims {
    cluster: ClaimCluster,
    world: Seen,
    /// The last leader that was seen, and its term.
    led: Option<(u64, u64)>,
    /// A disk was rolled back.
    is_rolled_back: bool,
    /// Then the run ends by this time, unless the loss is noticed.
    ends: Option<Duration>,
}

impl Service for Claims {
    type Process = Member;
    type Event = Event;
    const TIMES: Times = Times {
        disturbed: DISTURBED,
        end: Duration::from_secs(60),
        tick: TICK,
        seldom: 60,
        lasts: Duration::from_millis(1_500),
    };
    const OWN: u64 = 7;

    fn begin(sim: &mut Sim<'_>, members: &Cluster<Member>) -> Self {
        WALL_OFF_US.set([0; MEMBERS_MAX]);
        SLEPT.set([Duration::ZERO; CLIENTS.len()]);
        let tally = Tally::default();
        let world = World::new(&tally, TTL);
        let cluster = ClaimCluster { members: members.clone(), tally, contact: Default::default() };
        let of_member = cluster.clone();
        members.host(sim, move |id, _| run_member(id, of_member.clone()));
        for (number, host) in CLIENTS.into_iter().enumerate() {
            host_client(sim, members.seed, (number, host), &world, &cluster);
        }
        host_keeper(sim, members.seed, &cluster);
        host_tenant(sim, &cluster);
        Self { cluster, world, led: None, is_rolled_back: false, ends: None }
    }

    /// A leader that begins its term may become deaf.
    fn watch(&mut self, run: &mut Run<'_, '_>) {
        if run.now() >= DISTURBED || run.now() < run.quiet_until || self.is_rolled_back {
            return;
        }
        let leader = self.cluster.members.settled_leader();
        let leads = leader.map(|status| (status.term, status.id));
        if leads.is_some() && leads != self.led {
            self.led = leads;
            if run.rng.number().is_multiple_of(3) {
                deafen(&self.cluster.members, run);
            }
        }
    }

    fn disturb(&mut self, run: &mut Run<'_, '_>, number: u64, id: u64) {
        let one = (run.rng.number() % CLIENTS.len() as u64) as usize;
        let (client, later, tally) = (CLIENTS[one], run.later(), &self.cluster.tally);
        match number {
            0 if run.sim.is_host_running(client) => {
                run.sim.crash(client);
                self.world.borrow_mut().waits[one] = false;
                tally.note(Event::ClientKilled);
                run.at(later, move |run| run.sim.bounce(client));
            }
            0..3 => {
                run.sim.partition(client, name(id));
                tally.note(Event::Partitioned);
                run.at(later, move |run| run.sim.repair(client, name(id)));
            }
            3 => {
                for id in 1..=self.cluster.members.first {
                    run.sim.partition(client, name(id));
                    run.at(later, move |run| run.sim.repair(client, name(id)));
                }
                tally.note(Event::ClientCutOff);
            }
            4 => sleep(run, one, tally),
            _ => {
                let mut off = WALL_OFF_US.get();
                off[id as usize - 1] = run.choose(&WALLS_OFF_US);
                WALL_OFF_US.set(off);
                tally.note(Event::WallClockSet);
            }
        }
    }

    fn is_rolled_back(&mut self, run: &mut Run<'_, '_>) {
        CLIENTS.iter().chain(&[KEEPER, TENANT]).for_each(|one| run.sim.crash(*one));
        self.is_rolled_back = true;
    }

    /// Whether each client has had its turn, everything that was written is found, and the members
    /// have equal states.
    fn is_at_rest(&mut self, run: &mut Run<'_, '_>) -> bool {
        if self.is_rolled_back {
            return run.now() >= *self.ends.get_or_insert(run.now() + NOTICED_MOST);
        }
        let mut world = self.world.borrow_mut();
        world.is_calm = true;
        if world.calm_turns.contains(&0) {
            return false;
        }
        let members = &self.cluster.members;
        members.is_over.set(true);
        !run.sim.is_host_running(KEEPER) && members.has_equal_states()
    }

    fn outcome(self) -> Outcome {
        let (tally, fenced) = (self.cluster.tally, &self.world.borrow().fenced);
        tally.add(Event::Refused, fenced.refused);
        tally.add(Event::OverwrittenFenced, fenced.overwritten);
        tally.counts()
    }
}

/// Connects to any of the members that begin the cluster.
fn connector(seed: u64, first: u64) -> Connector {
    let rng = Arc::new(Mutex::new(Rng::seeded(seed)));
    Connector::new(move |_host: String, _port| {
        let id = 1 + rng.lock().expect("no holder panics").number() % first;
        async move { TcpStream::connect((name(id), PORT)).await }
    })
}

/// A client of the lock that all clients want.
fn host_client(
    sim: &mut Sim<'_>,
    seed: u64,
    (number, host): (usize, &'static str),
    world: &Seen,
    cluster: &ClaimCluster,
) {
    let (world, cluster) = (world.clone(), cluster.clone());
    let lives = RefCell::new(0_u64);
    sim.host(host, move || {
        *lives.borrow_mut() += 1;
        let seed = seed ^ (number as u64 + 1) << 32 ^ *lives.borrow() << 48;
        let (world, cluster) = (world.clone(), cluster.clone());
        async move {
            let mut builder = client_builder(&format!("http://{CLUSTER}:{PORT}"), number, seed);
            builder.connector = connector(seed.rotate_left(5), cluster.members.first);
            builder.ttl = TTL;
            let lock_client = builder.build()?;
            let mut rng = Rng::seeded(seed.rotate_left(17));
            while !cluster.members.is_over.get() {
                turn(&lock_client, number, &mut rng, &world).await?;
                let (newest, holder) = world.borrow().newest;
                cluster
                    .members
                    .trace
                    .note(format_args!("{host}'s turn ends: {newest} of {holder}"));
            }
            std::future::pending().await
        }
    });
}

/// The client whose lease never lapses.
fn host_tenant(sim: &mut Sim<'_>, cluster: &ClaimCluster) {
    let cluster = cluster.clone();
    sim.host(TENANT, move || {
        let cluster = cluster.clone();
        async move {
            tenant::hold(cluster).await;
            Ok(())
        }
    });
}

/// The client that remembers. In the end it finds everything at every member.
fn host_keeper(sim: &mut Sim<'_>, seed: u64, cluster: &ClaimCluster) {
    let cluster = cluster.clone();
    sim.host(KEEPER, move || {
        let cluster = cluster.clone();
        async move {
            let mut keeper = Keeper::new(cluster.clone(), Rng::seeded(seed.rotate_left(23)));
            keeper.disturbed().await;
            while !cluster.members.is_over.get() {
                tokio::time::sleep(TICK).await;
            }
            let members: Vec<u64> = cluster.members.running.borrow().keys().copied().collect();
            for member in members {
                while !keeper.check(member).await {
                    tokio::time::sleep(TTL).await;
                }
            }
            Ok(())
        }
    });
}
