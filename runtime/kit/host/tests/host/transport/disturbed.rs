//! Three nodes over simulated TCP that is cut, and that crash and start again, by many seeds.
//!
//! Whatever happens, no message arrives twice, or before one that was sent earlier, or after it
//! was handed back; and once all is well, messages flow again. A seed replays only in a process of
//! its own: the order in which tokio drops the tasks of a node that crashes goes by their numbers.

mod record;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use turmoil::{Builder, Sim};
use turnstile_host::Rng;
use turnstile_host::transport::tcp::{Address, Limits, Options};
use turnstile_host::transport::{Counts, Transport};
use turnstile_simulation::{Dialer, Listener};

use super::pipes::PROTOCOL;
use record::{Record, Recorder};

const NODES: u32 = 3;
const PORT: u16 = 7000;
const SEEDS: u64 = 40;
const TICK: Duration = Duration::from_millis(2);
/// How often a node sends to each other one.
const PACE: Duration = Duration::from_millis(5);
/// Disturbances end then.
const DISTURBED: Duration = Duration::from_secs(2);
/// By then everyone has heard everyone anew.
const END: Duration = Duration::from_secs(4);

fn name(node: u32) -> String {
    format!("n{node}")
}

fn limits() -> Limits {
    let millis = Duration::from_millis;
    Limits {
        queue_messages: 30,
        timeout: millis(200),
        connect: millis(100),
        write: millis(150),
        heartbeat: millis(30),
        silence: millis(150),
        backoff_least: millis(5),
        backoff_most: millis(100),
        hello: millis(100),
        ..Limits::default()
    }
}

type Seen = Arc<Mutex<Record>>;

/// One life of a node.
async fn live(own: u32, seed: u64, seen: Seen) -> turmoil::Result {
    let life = seen.lock().expect("no panic").begin_life();
    let recorder = Recorder::new(own, Arc::clone(&seen));
    let options = (0..NODES).fold(Options::new(own, PROTOCOL), |options, peer| {
        options.peer(peer, Address::new(name(peer), PORT))
    });
    let options = options.limits(limits()).seed(seed ^ life);
    let tcp = options.start(Listener::bind(PORT).await?, Dialer, recorder)?;
    for number in 0.. {
        for to in (0..NODES).filter(|to| *to != own) {
            let is_taken = tcp.send(to, (life, number)).is_ok();
            seen.lock().expect("no panic").sent(own, to, life, number, is_taken);
        }
        seen.lock().expect("no panic").counts.insert(life, tcp.counts());
        tokio::time::sleep(PACE).await;
    }
    Ok(())
}

/// Does one thing to the nodes.
fn disturb(sim: &mut Sim<'_>, rng: &mut Rng) {
    let mut below = |bound: u32| (rng.number() % u64::from(bound)) as u32;
    let one = below(NODES);
    let other = (one + 1 + below(NODES - 1)) % NODES;
    match below(8) {
        0 => sim.partition(name(one), name(other)),
        1 => sim.partition_oneway(name(one), name(other)),
        2..=4 => sim.repair(name(one), name(other)),
        5 if sim.is_host_running(name(one)) => sim.crash(name(one)),
        _ => sim.bounce(name(one)),
    }
}

fn simulate(seed: u64) -> Record {
    let mut sim = Builder::new()
        .rng_seed(seed)
        .tick_duration(TICK)
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(10))
        .simulation_duration(END * 2)
        .build();
    let seen = Seen::default();
    for own in 0..NODES {
        let seen = Arc::clone(&seen);
        sim.host(name(own), move || live(own, seed, Arc::clone(&seen)));
    }
    let mut rng = Rng::seeded(seed);
    while sim.elapsed() < END {
        let is_disturbed = sim.elapsed() < DISTURBED;
        sim.step().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if is_disturbed && rng.number().is_multiple_of(40) {
            disturb(&mut sim, &mut rng);
        }
        if is_disturbed && sim.elapsed() >= DISTURBED {
            for one in 0..NODES {
                for other in (0..NODES).filter(|other| *other != one) {
                    sim.repair(name(one), name(other));
                }
                if !sim.is_host_running(name(one)) {
                    sim.bounce(name(one));
                }
            }
            seen.lock().expect("no panic").be_calm();
        }
    }
    drop(sim);
    let mut record = seen.lock().expect("no panic");
    std::mem::take(&mut *record)
}

#[test]
fn messages_arrive_once_and_in_order_and_flow_again() {
    let mut all = Counts::default();
    let mut lives = 0;
    for seed in 0..SEEDS {
        let record = simulate(seed);
        assert!(record.faults.is_empty(), "seed {seed}: {:#?}", record.faults);
        for from in 0..NODES {
            for to in (0..NODES).filter(|to| *to != from) {
                assert!(record.calm.contains(&(from, to)), "seed {seed}: {from} to {to}");
            }
        }
        lives += record.lives;
        for counts in record.counts.into_values() {
            all.sent += counts.sent;
            all.received += counts.received;
            all.lost += counts.lost;
            all.failed += counts.failed;
            for (why, times) in counts.unsent {
                *all.unsent.entry(why).or_default() += times;
            }
        }
    }
    assert!(all.received > 100_000 && lives > SEEDS * 2 * u64::from(NODES), "{lives} {all:?}");
    assert!(all.lost > SEEDS && all.failed > SEEDS && all.unsent.len() >= 2, "{all:?}");
    assert!(all.sent > all.received, "some are lost on the way: {all:?}");
}
