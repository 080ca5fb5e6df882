//! One simulation: three members or five, clients of one lock, a client that remembers what it has
//! written, and a seed that disturbs them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use turmoil::net::TcpStream;
use turmoil::{Builder, Sim};
use turnstile_claim::client::{Connector, Rng};
use turnstile_host::simulation;
use turnstile_host::store::Medium;

use super::keeper::Keeper;
use super::member::{CLUSTER, Cluster, MEMBERS_MAX, PORT, WALL_OFF_US, run_member};
use super::tenant;
use super::trouble::Trouble;
use crate::simulation::outcome::{Event, Outcome, Tally};
use crate::simulation::run::{CLIENTS, SLEPT, Seen, World, client_builder};
use crate::simulation::turn::turn;
use turnstile_members_simulation::cluster::name;
use turnstile_members_simulation::net::{Net, Trace};

/// Disturbances end after this much simulated time.
pub(super) const DISTURBED: Duration = Duration::from_secs(4);
/// By then everything is as it should be.
pub(super) const END: Duration = Duration::from_secs(60);
pub(super) const TICK: Duration = Duration::from_millis(4);
const TTL: Duration = Duration::from_secs(1);
/// The date at which a simulation begins, since the Unix epoch.
const BEGINNING: Duration = Duration::from_secs(1_800_000_000);
pub(super) const KEEPER: &str = "keeper";
pub(super) const TENANT: &str = "tenant";

/// A run, and all that happened in it.
pub(super) struct Run {
    pub(super) outcome: Outcome,
    pub(super) trace: Vec<String>,
}

/// Runs a whole simulation.
pub(super) fn simulate(seed: u64, is_traced: bool) -> Run {
    let _simulated = simulation::simulate(seed);
    WALL_OFF_US.set([0; MEMBERS_MAX]);
    SLEPT.set([Duration::ZERO; CLIENTS.len()]);
    let mut sim = Builder::new()
        .rng_seed(seed)
        .epoch(UNIX_EPOCH + BEGINNING)
        .enable_random_order()
        .tick_duration(TICK)
        .simulation_duration(END)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(8))
        .build();
    let (trace, tally) = (Trace::new(is_traced), Tally::default());
    let first = if seed.is_multiple_of(4) { 5 } else { 3 };
    let cluster = Cluster {
        net: Net::new(seed.rotate_left(7), &trace),
        trace: trace.clone(),
        tally: tally.clone(),
        first,
        media: (1..=first + 2).map(|id| (id, Medium::new(seed ^ id << 40))).collect(),
        started: Rc::new(RefCell::new((1..=first).collect::<BTreeSet<u64>>())),
        running: Rc::default(),
        changes: Rc::default(),
        contact: Rc::default(),
        is_over: Rc::default(),
        states: Rc::default(),
        is_loss_noticed: Rc::default(),
    };
    let world = World::new(&tally, TTL);
    for id in 1..=first + 2 {
        let cluster = cluster.clone();
        sim.host(name(id), move || run_member(id, cluster.clone()));
    }
    for (number, host) in CLIENTS.into_iter().enumerate() {
        host_client(&mut sim, seed, (number, host), &world, &cluster);
    }
    host_keeper(&mut sim, seed, &cluster);
    host_tenant(&mut sim, &cluster);
    Trouble::new(&mut sim, seed, &cluster, &world).run();
    drop(sim);
    tally.add(Event::MessageLost, cluster.net.lost());
    tally.add(Event::Refused, world.borrow().fenced.refused);
    tally.add(Event::OverwrittenFenced, world.borrow().fenced.overwritten);
    Run { outcome: tally.outcome(), trace: trace.lines() }
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
    cluster: &Cluster,
) {
    let (world, cluster) = (world.clone(), cluster.clone());
    let lives = RefCell::new(0_u64);
    sim.host(host, move || {
        *lives.borrow_mut() += 1;
        let seed = seed ^ (number as u64 + 1) << 32 ^ *lives.borrow() << 48;
        let (world, cluster) = (world.clone(), cluster.clone());
        async move {
            let mut builder = client_builder(&format!("http://{CLUSTER}:{PORT}"), number, seed);
            builder.connector = connector(seed.rotate_left(5), cluster.first);
            builder.ttl = TTL;
            let lock_client = builder.build()?;
            let mut rng = Rng::seeded(seed.rotate_left(17));
            while !cluster.is_over.get() {
                turn(&lock_client, number, &mut rng, &world).await?;
                let (newest, holder) = world.borrow().newest;
                cluster.trace.note(format_args!("{host}'s turn ends: {newest} of {holder}"));
            }
            std::future::pending().await
        }
    });
}

/// The client whose lease never lapses.
fn host_tenant(sim: &mut Sim<'_>, cluster: &Cluster) {
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
fn host_keeper(sim: &mut Sim<'_>, seed: u64, cluster: &Cluster) {
    let cluster = cluster.clone();
    sim.host(KEEPER, move || {
        let cluster = cluster.clone();
        async move {
            let mut keeper = Keeper::new(cluster.clone(), Rng::seeded(seed.rotate_left(23)));
            keeper.disturbed().await;
            while !cluster.is_over.get() {
                tokio::time::sleep(TICK).await;
            }
            let members: Vec<u64> = cluster.running.borrow().keys().copied().collect();
            for member in members {
                while !keeper.check(member).await {
                    tokio::time::sleep(TTL).await;
                }
            }
            Ok(())
        }
    });
}
