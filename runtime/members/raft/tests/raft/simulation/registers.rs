//! A register at each member with a client of its own; and what must hold in the end.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use turmoil::Sim;
use turnstile_host::Rng;
use turnstile_host::store::LogStore;
use turnstile_members_simulation::cluster::{Cluster, Process};
use turnstile_members_simulation::counts::{Counts, Tally};
use turnstile_members_simulation::fault_injection::Service;
use turnstile_members_simulation::faults::Fault;
use turnstile_members_simulation::loss::Loss;
use turnstile_members_simulation::net::Trace;
use turnstile_members_simulation::run::{Run, Times, start};
use turnstile_raft::{Encode, LogPosition, Member, MemberError, Options, StateMachine};

use crate::register::Register;

const DISTURBED: Duration = Duration::from_secs(8);
/// The clients are busy for so long afterwards, and then come to rest for as long.
const CLIENTS_REST: Duration = Duration::from_secs(4);
/// The pause of a client at most.
const PAUSE_MOST: Duration = Duration::from_millis(150);
/// A log in the store is folded when it is this long.
const LOG_MAX: u64 = 20_000;

/// What clients are told, and what is found in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// An operation is executed, as its client was told.
    Executed,
    /// It is not.
    NotExecuted,
    /// A client does not know whether its operation is executed.
    Unknown,
    /// A read is confirmed.
    Read,
    /// A member has a snapshot in the end.
    Snapshot,
    /// A loss was noticed by two entries with one id.
    LedTwice,
}

/// What runs in the process of a member.
#[derive(Clone)]
pub(crate) struct Running(Member, Register);

impl Process for Running {
    fn member(&self) -> &Member {
        &self.0
    }
}

/// The registers, and what their clients were told; clones share it.
#[derive(Clone)]
pub(crate) struct Registers {
    cluster: Cluster<Running>,
    tally: Tally<Event>,
    told: Rc<RefCell<BTreeMap<String, Event>>>,
    /// What a read lacked: a wrong one, unless a member notices that operations are lost.
    lacking: Rc<RefCell<Option<String>>>,
    /// When the clients have come to rest.
    rests: Rc<Cell<Option<Duration>>>,
}

impl Service for Registers {
    type Process = Running;
    type Event = Event;
    const TIMES: Times = Times {
        disturbed: DISTURBED,
        end: Duration::from_secs(60),
        tick: Duration::from_millis(2),
        seldom: 130,
        lasts: Duration::from_millis(1_500),
    };

    fn begin(sim: &mut Sim<'_>, cluster: &Cluster<Running>) -> Self {
        let registers = Self {
            cluster: cluster.clone(),
            tally: Tally::default(),
            told: Rc::default(),
            lacking: Rc::default(),
            rests: Rc::default(),
        };
        let of_member = registers.clone();
        cluster.host(sim, move |id, _| of_member.clone().run_member(id));
        registers
    }

    /// One disk is lost in most runs, once nothing else goes wrong.
    fn loss(seed: u64) -> (Option<Loss>, Duration) {
        let losses = [None, Some(Loss::Wiped), Some(Loss::RolledBack), Some(Loss::LedTwice)];
        (losses[(seed % 4) as usize], DISTURBED)
    }

    /// Whether all members have applied the whole log, and no client waits.
    fn is_at_rest(&mut self, run: &mut Run<'_, '_>) -> bool {
        if run.now() < DISTURBED + CLIENTS_REST {
            return false;
        }
        self.cluster.is_over.set(true);
        let rests = self.rests.get().unwrap_or(run.now() + CLIENTS_REST);
        self.rests.set(Some(rests));
        run.now() >= rests && self.cluster.has_equal_states()
    }

    fn outcome(self) -> Counts<Event> {
        if self.cluster.faults.counts().of(Fault::LossNoticed) == 0 {
            self.check();
        }
        for status in self.cluster.statuses() {
            let by_two = |why: String| why.contains("has written two entries");
            self.tally.add(Event::LedTwice, u64::from(status.failure.is_some_and(by_two)));
        }
        self.tally.counts()
    }
}

impl Registers {
    /// The process of a member, with a client of its own.
    async fn run_member(self, id: u64) -> turmoil::Result {
        let cluster = &self.cluster;
        let register = Register::default();
        let member = start(async || {
            let medium = Arc::new(cluster.media[&id].clone());
            let store = LogStore::open_on(medium, Path::new("disk"), LOG_MAX)?;
            let (register, trace) = (register.clone(), cluster.trace.clone());
            let machine = Traced { id, register, trace };
            Member::start(options(id), Box::new(store), machine, cluster.net.join(id)).await
        });
        let member = member.await;
        cluster.add(id, Running(member.clone(), register.clone()));
        let mut rng = Rng::from_entropy();
        for number in 0.. {
            tokio::time::sleep(rng.between(Duration::ZERO, PAUSE_MOST)).await;
            if cluster.is_over.get() {
                break;
            }
            self.read(id, &member, &register).await;
            let operation = format!("{id}-{:x}-{number}", rng.number());
            // The process may end before it hears.
            self.tell(&operation, Event::Unknown);
            match member.forward(operation.clone()).await {
                Ok(_) => self.tell(&operation, Event::Executed),
                Err(MemberError::Stopped { .. }) => {}
                Err(error) if error.is_not_executed() => self.tell(&operation, Event::NotExecuted),
                Err(_) => {}
            }
        }
        std::future::pending().await
    }

    fn tell(&self, operation: &str, told: Event) {
        self.told.borrow_mut().insert(operation.to_owned(), told);
    }

    /// Reads at a member. What was answered before, by any member, is there.
    async fn read(&self, id: u64, member: &Member, register: &Register) {
        let told = self.told.borrow().clone();
        if member.read_index().await.is_err() {
            return;
        }
        self.tally.note(Event::Read);
        let seen: BTreeSet<String> = register.operations().into_iter().collect();
        let executed = told.iter().filter(|(_, told)| **told == Event::Executed);
        for (operation, _) in executed.filter(|(operation, _)| !seen.contains(*operation)) {
            let why = format!("a read at member {id} lacks {operation}");
            self.lacking.borrow_mut().get_or_insert(why);
        }
    }

    /// What was answered is executed once, what was refused never, and all members have the same.
    fn check(&self) {
        let seed = self.cluster.seed;
        assert_eq!(*self.lacking.borrow(), None, "seed {seed}");
        let running = self.cluster.running.borrow();
        let Running(_, register) = running.values().next().expect("all of them run");
        let operations = register.operations();
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for operation in &operations {
            *counts.entry(operation).or_default() += 1;
        }
        for (id, Running(member, register)) in &*running {
            assert_eq!(register.operations(), operations, "seed {seed}: member {id}");
            self.tally.add(Event::Snapshot, u64::from(member.status().snapshot_index.is_some()));
        }
        for (operation, told) in &*self.told.borrow() {
            let times = counts.get(operation.as_str()).copied().unwrap_or(0);
            let is_right = match told {
                Event::Executed => times == 1,
                Event::NotExecuted => times == 0,
                Event::Unknown | Event::Read | Event::Snapshot | Event::LedTwice => times <= 1,
            };
            assert!(is_right, "seed {seed}: {operation}: {told:?}, executed {times} times");
            self.tally.note(*told);
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
