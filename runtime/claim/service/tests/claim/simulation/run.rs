//! One simulation: three clients at one lock, an operator, a server, a disk, and a seed that
//! disturbs them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use turmoil::Sim;
use turnstile_claim::client::{Clock, LockClientBuilder, Rng};
use turnstile_claim::server::{Hosts, Options, Server, Storage};
use turnstile_host::Trace;
use turnstile_members_simulation::run::{Run, Times, start};

use super::disk::Watched;
use super::fenced::Register;
use super::network::{Listener, connector};
use super::operator::host_operator;
use super::outcome::{Event, Outcome, Tally};
use super::trouble::Trouble;
use super::turn::turn;
use crate::replay::Notes;
use turnstile_host::store::Medium;

const PORT: u16 = 5000;
pub(crate) const SERVER_URL: &str = "http://server:5000";
pub(crate) const LOCK: &str = "lock";
pub(crate) const CLIENTS: [&str; 3] = ["c0", "c1", "c2"];
/// Disturbances end after this much simulated time.
pub(crate) const DISTURBED: Duration = Duration::from_secs(4);
/// Everyone holds the lock once more afterwards.
const TIMES: Times = Times {
    disturbed: DISTURBED,
    end: Duration::from_secs(40),
    tick: Duration::from_millis(2),
    seldom: 70,
    lasts: Duration::from_millis(800),
};
const TTL: Duration = Duration::from_millis(400);

thread_local! {
    /// How wrong the server's wall clock is. A simulation has a thread for itself.
    pub(crate) static WALL_OFF_US: Cell<i64> = const { Cell::new(0) };
    /// For how long each client's machine has slept.
    pub(crate) static SLEPT: Cell<[Duration; CLIENTS.len()]> =
        const { Cell::new([Duration::ZERO; CLIENTS.len()]) };
}

/// What all nodes of a simulation can see, as only a test can.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) fenced: Register,
    pub(crate) unfenced: Register,
    /// The newest token that was ever granted, and to whom.
    pub(crate) newest: (u64, usize),
    /// Tokens of claims that an operator has asked to revoke: it may be so.
    pub(crate) revoking: BTreeSet<u64>,
    /// Those that are revoked, and since when at the latest.
    pub(crate) revoked: BTreeMap<u64, Duration>,
    /// Which clients wait for the lock.
    pub(crate) waits: [bool; CLIENTS.len()],
    /// Acts under a claim that was held, since disturbances ended, by client.
    pub(crate) calm_turns: [u64; CLIENTS.len()],
    pub(crate) is_calm: bool,
    /// How long a lease lasts.
    pub(crate) ttl: Duration,
    pub(crate) tally: Tally,
}

pub(crate) type Seen = Rc<RefCell<World>>;

impl World {
    pub(crate) fn new(tally: &Tally, ttl: Duration) -> Seen {
        Rc::new(RefCell::new(Self {
            fenced: Register::new(true),
            unfenced: Register::new(false),
            newest: (0, 0),
            revoking: BTreeSet::new(),
            revoked: BTreeMap::new(),
            waits: [false; CLIENTS.len()],
            calm_turns: [0; CLIENTS.len()],
            is_calm: false,
            ttl,
            tally: tally.clone(),
        }))
    }
}

/// What the server's machine has: a disk, and file descriptors or none.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) medium: Medium,
    pub(crate) has_no_descriptors: Arc<AtomicBool>,
}

/// Runs a whole simulation.
pub(crate) fn simulate(seed: u64) -> Outcome {
    WALL_OFF_US.set(0);
    SLEPT.set([Duration::ZERO; CLIENTS.len()]);
    let mut sim = TIMES.build(seed);
    let tally = Tally::default();
    let world = World::new(&tally, TTL);
    let machine = Machine { medium: Medium::new(seed), has_no_descriptors: Arc::default() };
    let (notes, trace) = Notes::new();
    host_server(&mut sim, seed, &machine, &trace, &tally);
    for (number, name) in CLIENTS.into_iter().enumerate() {
        host_client(&mut sim, seed, (number, name), &world, &trace);
    }
    host_operator(&mut sim, seed, &world);
    let mut trouble = Trouble { machine, world: world.clone(), tally: tally.clone() };
    Run::new(&mut sim, seed, TIMES).drive(&mut trouble);
    let mut outcome = tally.counts();
    outcome.note(Event::Refused, world.borrow().fenced.refused);
    outcome.note(Event::OverwrittenFenced, world.borrow().fenced.overwritten);
    outcome.note(Event::OverwrittenUnfenced, world.borrow().unfenced.overwritten);
    drop(sim);
    outcome.note(Event::StepsReplayed, notes.replay() as u64);
    outcome
}

/// The wall clock of the server's machine.
fn wall_us() -> u64 {
    let since_epoch = turmoil::since_epoch().expect("in a simulation").as_micros() as u64;
    since_epoch.saturating_add_signed(WALL_OFF_US.get())
}

/// What the server lets in: some have room for fewer than want the lock.
fn options(seed: u64) -> Options {
    let mut options =
        Options { wall_us, hosts: Hosts::of(["server".into()]), ..Options::default() };
    match seed % 4 {
        0 => options.quotas.claims_max = 2,
        1 => options.limits.waiters_max = 1,
        _ => {}
    }
    options
}

fn host_server(sim: &mut Sim<'_>, seed: u64, machine: &Machine, trace: &Trace, tally: &Tally) {
    let (machine, trace, tally) = (machine.clone(), trace.clone(), tally.clone());
    sim.host("server", move || {
        let (machine, trace, tally) = (machine.clone(), trace.clone(), tally.clone());
        async move {
            let server = start(async || {
                let store = Watched::open(&machine.medium, &tally)?;
                let mut rng = Rng::seeded(seed);
                let pause = move || Duration::from_micros(rng.number() % 20_000);
                let storage = Storage::Simulated(Box::new(store), Box::new(pause));
                Server::open(storage, Options { trace: Some(trace.clone()), ..options(seed) })
            });
            let server = server.await;
            let listener = Listener::bind(PORT, machine.has_no_descriptors, tally).await?;
            server.serve(listener, std::future::pending()).await?;
            Ok(())
        }
    });
}

/// What each life of a client has: its random numbers, and the clock of its machine.
pub(crate) fn client_builder(url: &str, number: usize, seed: u64) -> LockClientBuilder {
    let mut builder = LockClientBuilder::new(url);
    builder.rng = Rng::seeded(seed);
    // The machine that simulates is none of the simulated.
    builder.clock = Clock::new(move || SLEPT.get()[number]);
    builder
}

fn host_client(
    sim: &mut Sim<'_>,
    seed: u64,
    (number, name): (usize, &'static str),
    world: &Seen,
    trace: &Trace,
) {
    let (world, trace) = (world.clone(), trace.clone());
    let lives = RefCell::new(0_u64);
    sim.host(name, move || {
        *lives.borrow_mut() += 1;
        let seed = seed ^ (number as u64 + 1) << 32 ^ *lives.borrow() << 48;
        let (world, trace) = (world.clone(), trace.of(name));
        async move {
            let mut builder = client_builder(SERVER_URL, number, seed);
            builder.connector = connector();
            builder.ttl = TTL;
            builder.trace = Some(trace);
            let lock_client = builder.build()?;
            let mut rng = Rng::seeded(seed.rotate_left(17));
            loop {
                turn(&lock_client, number, &mut rng, &world).await?;
            }
        }
    });
}
