//! One simulation: three clients at one lock, a server, a disk, and a seed that disturbs them.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use turmoil::{Builder, Sim};
use turnstile_driver::client::{Claim, Clock, Dice, Error, Manager, Setup};
use turnstile_driver::server::{Hosts, Options, Server, Storage};
use turnstile_driver::store::Disk;
use turnstile_driver::trace::Trace;

use super::fenced::Register;
use super::network::{Listener, connector};
use crate::replay::Notes;

const PORT: u16 = 5000;
const CLIENTS: [&str; 3] = ["c0", "c1", "c2"];
/// Disturbances end after this much simulated time.
const DISTURBED: Duration = Duration::from_secs(4);
/// By then everyone has held the lock once more.
const END: Duration = Duration::from_secs(40);
const TICK: Duration = Duration::from_millis(2);
const TTL: Duration = Duration::from_millis(400);

/// What happened in a simulation, or in many.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) acquired: u64,
    pub(super) lost: u64,
    pub(super) crashes: u64,
    pub(super) partitions: u64,
    pub(super) batches_lost: u64,
    pub(super) refused: u64,
    pub(super) overwritten_fenced: u64,
    pub(super) overwritten_unfenced: u64,
    pub(super) steps_replayed: u64,
}

impl Outcome {
    pub(super) fn add(&mut self, other: &Self) {
        self.acquired += other.acquired;
        self.lost += other.lost;
        self.crashes += other.crashes;
        self.partitions += other.partitions;
        self.batches_lost += other.batches_lost;
        self.refused += other.refused;
        self.overwritten_fenced += other.overwritten_fenced;
        self.overwritten_unfenced += other.overwritten_unfenced;
        self.steps_replayed += other.steps_replayed;
    }
}

/// What all nodes of a simulation can see, as only a test can.
#[derive(Debug)]
struct World {
    fenced: Register,
    unfenced: Register,
    /// The newest token that was ever granted, and to whom.
    newest: (u64, usize),
    /// Acts under a claim that was held, since disturbances ended, by client.
    calm_turns: [u64; CLIENTS.len()],
    is_calm: bool,
    outcome: Outcome,
}

type Seen = Rc<RefCell<World>>;

/// Runs a whole simulation.
pub(super) fn simulate(seed: u64) -> Outcome {
    let mut sim = Builder::new()
        .rng_seed(seed)
        .enable_random_order()
        .tick_duration(TICK)
        .simulation_duration(END)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(8))
        .build();
    let world: Seen = Rc::new(RefCell::new(World {
        fenced: Register::new(true),
        unfenced: Register::new(false),
        newest: (0, 0),
        calm_turns: [0; CLIENTS.len()],
        is_calm: false,
        outcome: Outcome::default(),
    }));
    let disk = Disk::default();
    let (notes, trace) = Notes::new();
    host_server(&mut sim, seed, &disk, &trace);
    for (number, name) in CLIENTS.into_iter().enumerate() {
        host_client(&mut sim, seed, (number, name), &world, &trace);
    }
    disturb(&mut sim, seed, &disk, &world);

    let mut outcome = world.borrow().outcome.clone();
    outcome.batches_lost = disk.lost();
    outcome.refused = world.borrow().fenced.refused;
    outcome.overwritten_fenced = world.borrow().fenced.overwritten;
    outcome.overwritten_unfenced = world.borrow().unfenced.overwritten;
    drop(sim);
    outcome.steps_replayed = notes.replay() as u64;
    outcome
}

fn host_server(sim: &mut Sim<'_>, seed: u64, disk: &Disk, trace: &Trace) {
    let (disk, trace) = (disk.clone(), trace.clone());
    sim.host("server", move || {
        let (disk, trace) = (disk.clone(), trace.clone());
        async move {
            let mut dice = Dice::seeded(seed);
            let pause = move || Duration::from_micros(dice.number() % 20_000);
            let storage = Storage::Simulated(Box::new(disk.open()), Box::new(pause));
            let since_epoch =
                || turmoil::since_epoch().expect("in a simulation").as_micros() as u64;
            let options = Options {
                wall_us: since_epoch,
                trace: Some(trace),
                hosts: Hosts::of(["server".into()]),
                ..Options::default()
            };
            let server = Server::open(storage, options)?;
            server.serve(Listener::bind(PORT).await?, std::future::pending()).await?;
            Ok(())
        }
    });
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
            let mut setup = Setup::new(&format!("http://server:{PORT}"));
            setup.connector = connector();
            setup.ttl = TTL;
            setup.dice = Dice::seeded(seed);
            // The machine that simulates is none of the simulated.
            setup.clock = Clock::new(|| Duration::ZERO);
            setup.trace = Some(trace);
            let manager = setup.build()?;
            let mut dice = Dice::seeded(seed.rotate_left(17));
            loop {
                turn(&manager, number, &mut dice, &world).await?;
            }
        }
    });
}

/// Gets the lock, writes under it, gives it back.
async fn turn(
    manager: &Manager,
    number: usize,
    dice: &mut Dice,
    world: &Seen,
) -> Result<(), Error> {
    let timeout = Duration::from_millis(200 + dice.number() % 3_000);
    let claim = match manager.claim("lock").timeout(timeout).await {
        Ok(claim) => claim,
        // Somebody else had it; or a server that has lost its memory of a claim says 404.
        Err(error) if error.cause.may_pass() => return Ok(()),
        Err(error) => return Err(error),
    };
    let token = claim.fencing_token().expect("this server mints tokens");
    {
        let mut world = world.borrow_mut();
        let (newest, holder) = world.newest;
        assert!(token > newest || (token, number) == (newest, holder), "{token} after {newest}");
        world.newest = (token, number);
        world.outcome.acquired += 1;
    }
    for _ in 0..dice.number() % 6 {
        if !act(&claim, token, number, dice, world).await {
            break;
        }
    }
    if !claim.is_held() {
        world.borrow_mut().outcome.lost += 1;
    }
    match dice.number() % 3 {
        0 => drop(claim),
        _ => {
            // That the claim was lost before, or the server forgot it, is no news here.
            let _lost = claim.release().await;
        }
    }
    Ok(())
}

/// Reads and writes back. Now and then the client stands still in between, and does not look
/// whether it still holds the lock: only the fence can tell.
async fn act(claim: &Claim, token: u64, number: usize, dice: &mut Dice, world: &Seen) -> bool {
    if !claim.is_held() {
        return false;
    }
    let (fenced, unfenced) = {
        let mut world = world.borrow_mut();
        assert_eq!(world.newest, (token, number), "two hold the lock at once");
        (world.fenced.read(token), world.unfenced.read(token).expect("it has no fence"))
    };
    let stall_ms = if dice.number().is_multiple_of(12) { dice.number() % 1_500 } else { 0 };
    tokio::time::sleep(Duration::from_millis(2 + dice.number() % 30 + stall_ms)).await;
    let is_stalled = stall_ms > 0;
    if !is_stalled && !claim.is_held() {
        return false;
    }
    let mut world = world.borrow_mut();
    if !is_stalled {
        assert_eq!(world.newest, (token, number), "two hold the lock at once");
    }
    if let Some(read) = fenced {
        world.fenced.write(token, read);
    }
    world.unfenced.write(token, unfenced);
    if world.is_calm {
        world.calm_turns[number] += 1;
    }
    true
}

/// Steps the simulation and disturbs it, then lets it come to rest.
fn disturb(sim: &mut Sim<'_>, seed: u64, disk: &Disk, world: &Seen) {
    let mut dice = Dice::seeded(seed.rotate_left(31));
    let mut mends: Vec<(Duration, Mend)> = Vec::new();
    loop {
        let now = sim.elapsed();
        mends.retain(|(at, mend)| {
            let is_due = *at <= now;
            if is_due {
                mend.apply(sim);
            }
            !is_due
        });
        let is_over = now >= DISTURBED;
        if is_over && mends.is_empty() {
            let mut world = world.borrow_mut();
            world.is_calm = true;
            if world.calm_turns.iter().all(|turns| *turns > 0) {
                return;
            }
            assert!(now < END - TICK, "everyone gets a turn in the end: {:?}", world.calm_turns);
        }
        if !is_over && dice.number().is_multiple_of(100) {
            let after = now + Duration::from_millis(20 + dice.number() % 800);
            let client = CLIENTS[(dice.number() % 3) as usize];
            let mut world = world.borrow_mut();
            match dice.number() % 4 {
                0 if sim.is_host_running("server") => {
                    sim.crash("server");
                    let unsynced = disk.unsynced() as u64;
                    disk.crash((dice.number() % (unsynced + 1)) as usize);
                    world.outcome.crashes += 1;
                    mends.push((after, Mend::Bounce("server")));
                }
                1 if sim.is_host_running(client) => {
                    sim.crash(client);
                    world.outcome.crashes += 1;
                    mends.push((after, Mend::Bounce(client)));
                }
                _ => {
                    sim.partition(client, "server");
                    world.outcome.partitions += 1;
                    mends.push((after, Mend::Repair(client)));
                }
            }
        }
        sim.step().expect("no node fails");
    }
}

/// What ends a disturbance.
enum Mend {
    Bounce(&'static str),
    Repair(&'static str),
}

impl Mend {
    fn apply(&self, sim: &mut Sim<'_>) {
        match self {
            Self::Bounce(host) => sim.bounce(*host),
            Self::Repair(client) => sim.repair(*client, "server"),
        }
    }
}
