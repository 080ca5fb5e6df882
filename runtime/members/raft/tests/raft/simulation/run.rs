//! One simulation: three members, a client at each, and a seed that disturbs them.

mod tail;
mod trouble;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use turmoil::Builder;
use turnstile_host::store::{LogStore, Medium};
use turnstile_host::{Rng, simulation};
use turnstile_raft::{
    Encode, LogPosition, Member, MemberError, Members, Options, StateMachine, Status,
};

use crate::register::Register;
use trouble::{Trouble, has_noticed, kill};
use turnstile_members_simulation::loss::Loss;
use turnstile_members_simulation::net::{Net, Trace, watch};

const MEMBERS: u64 = 3;
const DISTURBED: Duration = Duration::from_secs(8);
/// The clients are busy for half of this time afterwards, and then come to rest.
const CLIENTS_REST: Duration = Duration::from_secs(8);
/// By then everything is as it should be.
const END: Duration = Duration::from_secs(60);
const TICK: Duration = Duration::from_millis(2);
/// A log in the store is folded when it is this long.
const LOG_MAX: u64 = 20_000;

/// What has happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) executed: u64,
    pub(crate) not_executed: u64,
    pub(crate) unknown: u64,
    pub(crate) read: u64,
    pub(crate) killed: u64,
    pub(crate) powerless: u64,
    pub(crate) cut: u64,
    pub(crate) held: u64,
    pub(crate) slowed: u64,
    pub(crate) tails: u64,
    pub(crate) lost: u64,
    pub(crate) snapshots: u64,
    pub(crate) terms: u64,
    pub(crate) wiped: u64,
    pub(crate) rolled_back: u64,
    /// A member has stopped since acknowledged operations are lost.
    pub(crate) noticed: u64,
    /// It was by two entries with one id.
    pub(crate) led_twice: u64,
}

impl Outcome {
    pub(crate) fn add(&mut self, one: &Self) {
        self.executed += one.executed;
        self.not_executed += one.not_executed;
        self.unknown += one.unknown;
        self.read += one.read;
        self.killed += one.killed;
        self.powerless += one.powerless;
        self.cut += one.cut;
        self.held += one.held;
        self.slowed += one.slowed;
        self.tails += one.tails;
        self.lost += one.lost;
        self.snapshots += one.snapshots;
        self.terms += one.terms;
        self.wiped += one.wiped;
        self.rolled_back += one.rolled_back;
        self.noticed += one.noticed;
        self.led_twice += one.led_twice;
    }
}

/// A run, and all that happened in it.
pub(crate) struct Run {
    pub(crate) outcome: Outcome,
    pub(crate) trace: Vec<String>,
}

/// What a client was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Executed,
    NotExecuted,
    Unknown,
}

/// What only a test sees of its members.
#[derive(Clone)]
struct World {
    net: Net,
    trace: Trace,
    media: BTreeMap<u64, Medium>,
    members: Rc<RefCell<BTreeMap<u64, (Member, Register)>>>,
    told: Arc<Mutex<BTreeMap<String, Told>>>,
    /// The number of reads that were confirmed.
    read: Rc<Cell<u64>>,
    /// What a read lacked: a wrong one, unless a member notices that operations are lost.
    lacking: Rc<RefCell<Option<String>>>,
}

impl World {
    fn tell(&self, operation: &str, told: Told) {
        let mut all = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(operation.to_owned(), told);
    }

    fn executed(&self) -> Vec<String> {
        let all = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let executed = all.iter().filter(|(_, told)| **told == Told::Executed);
        executed.map(|(operation, _)| operation.clone()).collect()
    }

    /// The members that run.
    fn statuses(&self) -> Vec<Status> {
        self.members.borrow().values().map(|(member, _)| member.status()).collect()
    }

    /// Reads at a member. What was answered before, by any member, is there.
    async fn read(&self, id: u64, member: &Member, register: &Register) {
        let answered = self.executed();
        if member.read_index().await.is_err() {
            return;
        }
        self.read.set(self.read.get() + 1);
        let seen: BTreeSet<String> = register.operations().into_iter().collect();
        for operation in answered {
            if !seen.contains(&operation) {
                let why = format!("a read at member {id} lacks {operation}");
                self.lacking.borrow_mut().get_or_insert(why);
            }
        }
    }
}

/// A register that notes what is applied.
struct Traced {
    id: u64,
    register: Register,
    trace: Trace,
}

impl StateMachine for Traced {
    fn apply(&mut self, place: LogPosition, operation: &[u8]) -> io::Result<Vec<u8>> {
        self.trace.note_bytes(format_args!("{} applies {}", self.id, place.index), operation);
        self.register.apply(place, operation)
    }

    fn snapshot(&self) -> Encode {
        self.register.snapshot()
    }

    fn install(&mut self, snapshot: &[u8]) -> io::Result<()> {
        self.trace.note_bytes(format_args!("{} installs", self.id), snapshot);
        self.register.install(snapshot)
    }
}

fn options(id: u64) -> Options {
    Options {
        timeout: Duration::from_secs(2),
        snapshot_every: 40,
        keep_entries: 5,
        snapshot_chunk_bytes: 200,
        ..Options::with_heartbeat(id, Duration::from_millis(100))
    }
}

fn name(id: u64) -> String {
    format!("member-{id}")
}

/// Runs a whole simulation.
pub(crate) fn simulate(seed: u64, is_traced: bool) -> Run {
    let _simulated = simulation::simulate(seed);
    let trace = Trace::new(is_traced);
    let world = World {
        net: Net::new(seed.rotate_left(7), &trace),
        trace: trace.clone(),
        media: (1..=MEMBERS).map(|id| (id, Medium::new(seed ^ id << 40))).collect(),
        members: Rc::default(),
        told: Arc::default(),
        read: Rc::default(),
        lacking: Rc::default(),
    };
    let mut sim = Builder::new()
        .rng_seed(seed)
        .enable_random_order()
        .tick_duration(TICK)
        .simulation_duration(END)
        .build();
    for id in 1..=MEMBERS {
        let world = world.clone();
        sim.host(name(id), move || run_member(id, world.clone()));
    }
    let mut outcome = Outcome::default();
    let lost = Trouble::new(&mut sim, seed, &world).run(&mut outcome);
    match lost {
        Some((_, Loss::RolledBack | Loss::LedTwice)) if has_noticed(&world) => {
            outcome.noticed += 1;
            let mut statuses = world.statuses().into_iter();
            let by_two = |status: Status| {
                status.failure.is_some_and(|why| why.contains("has written two entries"))
            };
            outcome.led_twice += u64::from(statuses.any(by_two));
        }
        Some((id, Loss::Wiped)) => {
            assert!(!world.members.borrow().contains_key(&id), "seed {seed}: it is refused");
            check(seed, &world, &mut outcome);
        }
        Some((_, Loss::RolledBack | Loss::LedTwice)) | None => check(seed, &world, &mut outcome),
    }
    drop(sim);
    Run { outcome, trace: trace.lines() }
}

/// The process of a member, with a client of its own.
async fn run_member(id: u64, world: World) -> turmoil::Result {
    let medium = world.media[&id].clone();
    let register = Register::default();
    let machine = Traced { id, register: register.clone(), trace: world.trace.clone() };
    let store = LogStore::open_on(Arc::new(medium), Path::new("disk"), LOG_MAX)?;
    let network = world.net.join(id);
    let member = Member::start(options(id), Box::new(store), machine, network).await?;
    let list: Members = (1..=MEMBERS).map(|id| (id, name(id))).collect();
    member.initialize(&list).await?;
    world.members.borrow_mut().insert(id, (member.clone(), register.clone()));
    tokio::spawn(watch(id, member.clone(), world.trace.clone(), |_| {}));
    let mut rng = Rng::from_entropy();
    for number in 0.. {
        tokio::time::sleep(rng.between(Duration::ZERO, Duration::from_millis(150))).await;
        if turmoil::sim_elapsed().is_some_and(|now| now > DISTURBED + CLIENTS_REST / 2) {
            break;
        }
        world.read(id, &member, &register).await;
        let operation = format!("{id}-{:x}-{number}", rng.number());
        // The process may end before it hears.
        world.tell(&operation, Told::Unknown);
        match member.forward(operation.clone()).await {
            Ok(_) => world.tell(&operation, Told::Executed),
            Err(MemberError::Stopped { .. }) => {}
            Err(error) if error.is_not_executed() => world.tell(&operation, Told::NotExecuted),
            Err(_) => {}
        }
    }
    std::future::pending().await
}

/// What was answered is executed once, what was refused never, and all members have the same.
fn check(seed: u64, world: &World, outcome: &mut Outcome) {
    assert_eq!(*world.lacking.borrow(), None, "seed {seed}");
    let members = world.members.borrow();
    let (first, register) = members.values().next().expect("two of them run");
    let operations = register.operations();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for operation in &operations {
        *counts.entry(operation).or_default() += 1;
    }
    for (id, (member, register)) in &*members {
        assert_eq!(register.operations(), operations, "seed {seed}: member {id}");
        outcome.snapshots += u64::from(member.status().snapshot_index.is_some());
    }
    outcome.terms += first.status().term;
    outcome.lost += world.net.lost();
    outcome.read += world.read.get();
    for (operation, told) in &*world.told.lock().unwrap_or_else(PoisonError::into_inner) {
        let times = counts.get(operation.as_str()).copied().unwrap_or(0);
        let (sum, is_right) = match told {
            Told::Executed => (&mut outcome.executed, times == 1),
            Told::NotExecuted => (&mut outcome.not_executed, times == 0),
            Told::Unknown => (&mut outcome.unknown, times <= 1),
        };
        assert!(is_right, "seed {seed}: {operation}: {told:?}, executed {times} times");
        *sum += 1;
    }
}
