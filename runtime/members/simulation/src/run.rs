//! One simulation: a seed disturbs it, and then it comes to rest.

use std::time::{Duration, UNIX_EPOCH};

use tokio::time::sleep;
use turmoil::{Builder, Sim};
use turnstile_host::Rng;
use turnstile_host::store::{Faults, Medium};

/// The date at which a simulation begins, since the Unix epoch.
const BEGINNING: Duration = Duration::from_secs(1_800_000_000);
/// How long a message takes that the simulation of the network carries.
const LATENCY: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(8)];
/// A disturbance lasts so long at least.
const LEAST: Duration = Duration::from_millis(50);
/// A process that cannot start is started again after so long.
pub(crate) const RESTART_PAUSE: Duration = Duration::from_millis(40);

/// The times of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Disturbances begin until then.
    pub disturbed: Duration,
    /// By then everything is as it should be.
    pub end: Duration,
    /// The time of a step.
    pub tick: Duration,
    /// A disturbance begins in one of so many steps.
    pub seldom: u64,
    /// How long a disturbance lasts at most.
    pub lasts: Duration,
}

impl Times {
    /// An empty simulation that goes on for long enough.
    pub fn build<'sim>(&self, seed: u64) -> Sim<'sim> {
        Builder::new()
            .rng_seed(seed)
            .epoch(UNIX_EPOCH + BEGINNING)
            .enable_random_order()
            .tick_duration(self.tick)
            .min_message_latency(LATENCY[0])
            .max_message_latency(LATENCY[1])
            .simulation_duration(self.end + self.tick)
            .build()
    }
}

/// What is disturbed, and what must hold of it.
pub trait Simulation {
    /// Does what is due before a step. Returns whether the simulation is over.
    fn is_over(&mut self, _run: &mut Run<'_, '_>) -> bool {
        false
    }

    /// Begins a disturbance.
    fn disturb(&mut self, run: &mut Run<'_, '_>);

    /// Whether all is as it should be, after the last disturbance.
    fn is_at_rest(&mut self, run: &mut Run<'_, '_>) -> bool;

    /// What must not be.
    fn wrong(&self) -> Option<String> {
        None
    }

    /// The states of all members, for who looks why it does not come to rest.
    fn states(&self) -> String;
}

/// What ends a disturbance.
type Mend = Box<dyn FnOnce(&mut Run<'_, '_>)>;

/// A simulation that runs.
pub struct Run<'a, 'sim> {
    /// Its hosts and their links.
    pub sim: &'a mut Sim<'sim>,
    /// What decides about it.
    pub seed: u64,
    /// What decides about its disturbances.
    pub rng: Rng,
    /// No disturbance begins until then.
    pub quiet_until: Duration,
    times: Times,
    mends: Vec<(Duration, Mend)>,
}

impl<'a, 'sim> Run<'a, 'sim> {
    /// One that begins.
    pub fn new(sim: &'a mut Sim<'sim>, seed: u64, times: Times) -> Self {
        let rng = Rng::seeded(seed.rotate_left(31));
        Self { sim, seed, rng, quiet_until: Duration::ZERO, times, mends: Vec::new() }
    }

    /// Steps the simulation and disturbs it, then lets it come to rest.
    ///
    /// # Panics
    /// When something is wrong, or it does not come to rest.
    pub fn drive(mut self, simulation: &mut impl Simulation) {
        let (seed, Times { disturbed, end, tick, seldom, .. }) = (self.seed, self.times);
        loop {
            let now = self.now();
            for (_, mend) in self.mends.extract_if(.., |(at, _)| *at <= now).collect::<Vec<_>>() {
                mend(&mut self);
            }
            if simulation.is_over(&mut self) {
                return;
            }
            if now >= disturbed && self.is_mended() && simulation.is_at_rest(&mut self) {
                return;
            }
            let may_disturb = now < disturbed && now >= self.quiet_until;
            if may_disturb && self.rng.number().is_multiple_of(seldom) {
                simulation.disturb(&mut self);
            }
            let stepped = self.sim.step();
            stepped.unwrap_or_else(|error| panic!("seed {seed}: no node fails: {error}"));
            let wrong = simulation.wrong();
            assert!(wrong.is_none(), "seed {seed}: {wrong:?} at {now:?}");
            let states = || simulation.states();
            assert!(now < end - 2 * tick, "seed {seed}: all comes to rest: {}", states());
        }
    }

    /// The simulated time.
    pub fn now(&self) -> Duration {
        self.sim.elapsed()
    }

    /// Whether every disturbance has ended.
    pub fn is_mended(&self) -> bool {
        self.mends.is_empty() && self.now() >= self.quiet_until
    }

    /// When a disturbance that begins now ends.
    pub fn later(&mut self) -> Duration {
        self.now() + self.rng.between(LEAST, self.times.lasts)
    }

    /// Ends a disturbance at this time.
    pub fn at(&mut self, at: Duration, mend: impl FnOnce(&mut Run<'_, '_>) + 'static) {
        self.mends.push((at, Box::new(mend)));
    }

    /// One of these.
    pub fn choose<T: Copy>(&mut self, some: &[T]) -> T {
        some[(self.rng.number() % some.len() as u64) as usize]
    }
}

/// The process on a host ends, alone or with its machine.
pub fn end_process(sim: &mut Sim<'_>, medium: &Medium, host: &str, is_powerless: bool) {
    medium.kill();
    sim.crash(host);
    if is_powerless {
        medium.lose_power();
    }
    medium.revive();
}

/// The disk refuses nothing any more.
pub fn mend(medium: &Medium) {
    medium.set_faults(Faults::default());
    // A fuse that burns is out.
    if !medium.is_dead() {
        medium.revive();
    }
}

/// Starts something as often as its disk refuses it.
pub async fn start<T, E>(mut start: impl AsyncFnMut() -> Result<T, E>) -> T {
    loop {
        match start().await {
            Ok(started) => return started,
            Err(_) => sleep(RESTART_PAUSE).await,
        }
    }
}
