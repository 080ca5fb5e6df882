//! Clients whose requests and answers take long: each starts, and keeps its lock, if its lease
//! leaves time for a renewal, or gives its claim up, so that others get the lock.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use turmoil::{Builder, Sim};
use turnstile_claim::client::{Clock, Error, LockClient, LockClientBuilder, Rng};
use turnstile_claim::server::{Hosts, Options, Server, Storage};

use crate::simulation::network::{Listener, connector};
use crate::simulation::outcome::Tally;

const PORT: u16 = 5000;
const URL: &str = "http://server:5000";
/// The lease of the client on the fast line.
const NEAR_TTL: Duration = Duration::from_secs(20);
/// Longer than any of the claims below takes.
const END: Duration = Duration::from_secs(300);

/// A client whose messages take `delay` in each direction, and one beside it that is fast.
#[derive(Clone, Copy, Debug)]
struct Line {
    ttl: Duration,
    delay: Duration,
    /// Whether the fast one has the lock first, for so long.
    is_queued: Option<Duration>,
}

/// What became of it.
#[derive(Debug)]
struct Came {
    /// How the slow client's claim ended, which it holds for 12 leases.
    far: Result<(), Error>,
    /// When the slow client had its answer.
    answered: Duration,
    /// When the fast client had the lock, of which it is in want all the time.
    near: Duration,
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn lock_client(seed: u64) -> LockClient {
    let mut builder = LockClientBuilder::new(URL);
    builder.rng = Rng::seeded(seed);
    builder.clock = Clock::new(|| Duration::ZERO);
    builder.connector = connector();
    builder.build().expect("a good address")
}

fn host_server(sim: &mut Sim<'_>) {
    sim.host("server", || async {
        let hosts = Hosts::of(["server".into()]);
        let server = Server::open(Storage::Memory, Options { hosts, ..Options::default() })?;
        let listener = Listener::bind(PORT, Arc::<AtomicBool>::default(), Tally::default()).await?;
        server.serve(listener, std::future::pending()).await?;
        Ok(())
    });
}

impl Line {
    fn run(self) -> Came {
        let Self { ttl, delay, is_queued } = self;
        let latency = ms(1);
        let mut sim = Builder::new()
            .tick_duration(ms(2))
            .simulation_duration(2 * END)
            .min_message_latency(latency)
            .max_message_latency(latency)
            .build();
        host_server(&mut sim);
        let far = Rc::new(Cell::new(None));
        let near = Rc::new(Cell::new(Duration::ZERO));
        let (came, got) = (far.clone(), near.clone());
        sim.client("far", async move {
            // The queue is there, or the lock is free.
            sleep(is_queued.map_or(Duration::ZERO, |_| ms(100))).await;
            let begun = Instant::now();
            let claim = timeout(END, lock_client(1).claim("r").ttl(ttl).into_future()).await?;
            let answered = begun.elapsed();
            let ended = match claim {
                Err(error) => Err(error),
                Ok(claim) => {
                    let lost = timeout(12 * ttl, claim.lost()).await;
                    assert!(lost.is_err(), "it is lost: {:?}", claim.loss());
                    claim.release().await
                }
            };
            came.set(Some((ended, answered)));
            Ok(())
        });
        sim.client("near", async move {
            let client = lock_client(2);
            if let Some(time) = is_queued {
                let claim = client.claim("r").ttl(NEAR_TTL).await?;
                sleep(time).await;
                claim.release().await?;
            }
            // The slow one is first: it connects, and asks.
            sleep(4 * delay).await;
            let begun = Instant::now();
            let claim = timeout(END, client.claim("r").ttl(NEAR_TTL).into_future()).await??;
            got.set(begun.elapsed());
            claim.release().await?;
            Ok(())
        });
        sim.set_link_latency("far", "server", delay);
        sim.run().expect("both clients end");
        let (far, answered) = far.take().expect("it has ended");
        Came { far, answered, near: near.get() }
    }

    #[track_caller]
    fn check_keeps(self) {
        let came = self.run();
        assert!(came.far.is_ok(), "{self:?}: {came:?}");
        let is_soon = came.answered < 10 * self.delay;
        assert!(is_soon || self.is_queued.is_some(), "{self:?}: {came:?}");
        assert!(came.near > 11 * self.ttl, "the lock is one's alone: {self:?}: {came:?}");
    }

    #[track_caller]
    fn check_gives_up(self, most: Duration) {
        let came = self.run();
        let error = came.far.as_ref().expect_err("it cannot keep the lock").to_string();
        let why = format!("a lease of {:?} ends before it can be renewed", self.ttl);
        assert!(error.contains(&why), "{error}");
        assert!(error.contains("a longer ttl"), "{error}");
        assert!(came.near < most, "{self:?}: {came:?}");
    }
}

#[test]
fn a_lock_whose_lease_leaves_time_for_a_renewal_is_kept() {
    for is_queued in [None, Some(ms(8_000))] {
        // More than a quarter of the ttl, and of a ttl in which answers take 2.4 s.
        Line { ttl: ms(4_000), delay: ms(600), is_queued }.check_keeps();
        Line { ttl: ms(10_000), delay: ms(1_200), is_queued }.check_keeps();
        Line { ttl: ms(1_000), delay: ms(200), is_queued }.check_keeps();
    }
}

#[test]
fn a_lock_that_cannot_be_kept_is_given_up_and_says_why() {
    for is_queued in [None, Some(ms(8_000))] {
        Line { ttl: ms(4_000), delay: ms(1_200), is_queued }.check_gives_up(ms(20_000));
        // No answer comes within the ttl.
        Line { ttl: ms(500), delay: ms(1_200), is_queued }.check_gives_up(ms(20_000));
    }
}
