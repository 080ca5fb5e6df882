//! Histories that a seed decides: processes are killed, disks lose their power, messages are lost.
//! The baton is held by one runner at a time, and in the end it goes to and fro again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use turnstile_host::store::{Faults as DiskFaults, LogStore, Medium};
use turnstile_host::transport::simulated::{Conditions, Simulated, SimulatedTransport};
use turnstile_host::{Node, Options, Rng};
use turnstile_random::seeds;

use crate::runner::{Begin, HasBaton, Message, Runner, Timer};

/// How many seeds a run of the test takes, unless TURNSTILE_SEEDS says otherwise.
const SEEDS: u64 = 200;
/// A log is folded when it is this long.
const LOG_MAX: u64 = 1_500;
/// Faults end after so long.
const DISTURBED: Duration = Duration::from_secs(4);
const END: Duration = Duration::from_secs(12);

type Network = Simulated<u8, Message>;

/// Who has held which baton: a runner that starts again holds the same one again.
#[derive(Clone, Debug, Default)]
struct Record(Arc<Mutex<BTreeMap<u64, u8>>>);

impl Record {
    fn note(&self, runner: u8, number: u64) {
        let mut held = self.0.lock().expect("no holder panics");
        let before = held.insert(number, runner);
        assert!(before.is_none_or(|before| before == runner), "{number} is held by both");
        let newest = held.last_key_value().map(|(newest, _)| *newest);
        assert_eq!(newest, Some(number), "an older baton is held again");
    }

    fn newest(&self) -> u64 {
        self.0.lock().expect("no holder panics").last_key_value().map_or(0, |(newest, _)| *newest)
    }
}

/// What went wrong, over all seeds.
#[derive(Debug, Default)]
struct Tally {
    killed: u64,
    power_lost: u64,
    refused: u64,
    stopped: u64,
    lost: u64,
    duplicated: u64,
    held: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.killed += other.killed;
        self.power_lost += other.power_lost;
        self.refused += other.refused;
        self.stopped += other.stopped;
        self.lost += other.lost;
        self.duplicated += other.duplicated;
        self.held += other.held;
    }
}

/// One life of a runner.
struct Life {
    node: Node<Runner, SimulatedTransport<u8, Message>>,
}

async fn start(own: u8, medium: &Medium, net: &Network, record: &Record) -> Option<Life> {
    let store = LogStore::open_on(Arc::new(medium.clone()), Path::new("disk"), LOG_MAX).ok()?;
    let options = Options {
        store: Some(Box::new(store)),
        ..Options::new(|_state, timer| match timer {
            Timer::Hold => Duration::from_millis(20),
            Timer::Retry => Duration::from_millis(100),
        })
    };
    let runner = Runner { other: 1 - own };
    let join = |inbox| std::future::ready(Ok(net.join(own, inbox)));
    let (node, mut notices) = Node::start(runner, options, join).await.ok()?;
    let record = record.clone();
    tokio::spawn(async move {
        while let Some(HasBaton(number)) = notices.notice().await {
            record.note(own, number);
        }
    });
    Some(Life { node })
}

/// One fault of a runner's process or its disk. Afterwards the process may have ended.
async fn disturb(rng: &mut Rng, life: &mut Option<Life>, medium: &Medium, tally: &mut Tally) {
    match rng.number() % 6 {
        0 => {
            medium.set_faults(DiskFaults { is_full: true, syncs: 2, ..DiskFaults::default() });
            sleep(Duration::from_millis(200)).await;
            medium.set_faults(DiskFaults::default());
            tally.refused += 1;
        }
        1 => {
            if let Some(life) = life.take() {
                life.node.stop(Duration::from_millis(50)).await;
                tally.stopped += 1;
            }
        }
        power => {
            medium.light_fuse(rng.number() % 4);
            sleep(Duration::from_millis(30)).await;
            medium.kill();
            *life = None;
            tokio::task::yield_now().await;
            if power > 3 {
                medium.lose_power();
                tally.power_lost += 1;
            }
            medium.revive();
            tally.killed += 1;
        }
    }
}

async fn run(seed: u64) -> Tally {
    let mut rng = Rng::seeded(seed);
    let conditions =
        Conditions { loss: 0.1, duplication: 0.1, fifo: false, ..Conditions::default() };
    let net = Network::new(seed, conditions);
    let media = [Medium::new(seed), Medium::new(seed ^ 1 << 40)];
    let (record, mut tally) = (Record::default(), Tally::default());
    let mut lives = [None, None];
    for own in [0, 1] {
        lives[usize::from(own)] = start(own, &media[usize::from(own)], &net, &record).await;
    }
    lives[0].as_ref().expect("this disk is well").node.command(Begin).await.expect("it runs");
    let begun = Instant::now();
    while begun.elapsed() < DISTURBED {
        sleep(rng.between(Duration::from_millis(5), Duration::from_millis(250))).await;
        let own = (rng.number() % 2) as u8;
        let (life, medium) = (&mut lives[usize::from(own)], &media[usize::from(own)]);
        disturb(&mut rng, life, medium, &mut tally).await;
        while life.is_none() {
            *life = start(own, medium, &net, &record).await;
        }
    }
    net.set_conditions(Conditions::default());
    let calm = record.newest();
    while record.newest() < calm + 10 {
        let states = lives.iter().flatten().map(|life| life.node.state());
        let states: Vec<_> = states.collect();
        assert!(begun.elapsed() < END, "no baton is passed after {calm}: {states:?}");
        sleep(Duration::from_millis(50)).await;
    }
    let faults = net.faults();
    (tally.lost, tally.duplicated, tally.held) = (faults.lost, faults.duplicated, record.newest());
    tally
}

#[test]
fn one_runner_holds_the_baton_whatever_fails() {
    let history = |seed| {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().expect("a runtime");
        runtime.block_on(run(seed))
    };
    let repeat = "-p turnstile-host --test host one_runner";
    let Some((_, sum)) = seeds::run(SEEDS, repeat, history, Tally::add) else { return };
    let Tally { killed, power_lost, refused, stopped, lost, duplicated, held } = sum;
    for count in [killed, power_lost, refused, stopped, lost, duplicated, held] {
        assert!(count > 0, "each fault is met: {sum:?}");
    }
}
