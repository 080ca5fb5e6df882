//! Clocks that jump in mid-run: a machine that sleeps, a wall clock that is set, a process that is
//! stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, timeout};
use turnstile_claim::client::{Claim, Clock, ErrorKind, LeaseState, LockClient, LockClientBuilder};
use turnstile_claim::server::{Options, Storage};

use super::Running;
use crate::http::{PATIENCE, until};
use crate::real::Turnstiled;

/// The sleep of a machine, which a test decides upon.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleep(Arc<AtomicU64>);

impl Sleep {
    /// The machine sleeps for so long, and wakes.
    pub(crate) fn sleep(&self, time: Duration) {
        self.0.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }

    pub(crate) fn clock(&self) -> Clock {
        let slept = self.0.clone();
        Clock::new(move || Duration::from_millis(slept.load(Ordering::Relaxed)))
    }
}

fn lock_client(at: std::net::SocketAddr, clock: Clock) -> LockClient {
    let mut builder = LockClientBuilder::new(&format!("http://{at}"));
    builder.clock = clock;
    builder.build().expect("a good address")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_machine_that_slept_too_long_has_lost_its_claims_when_it_wakes() {
    let server = Running::in_memory();
    let sleep = Sleep::default();
    let sleeper = lock_client(server.at, sleep.clock());
    let ttl = Duration::from_secs(20);
    let claim = sleeper.claim("r").ttl(ttl).await.expect("no other client claims it");
    let margin = claim.margin();
    let lost = tokio::spawn(claim.lost());
    sleep.sleep(ttl - margin + Duration::from_millis(1));
    let woken = Instant::now();
    assert!(!claim.is_held(), "at once, whoever asks");
    assert_eq!(claim.lease_state(), LeaseState::Lost);
    timeout(PATIENCE, lost).await.expect("in time").expect("no panic");
    assert!(woken.elapsed() < margin, "before the lease can lapse at the server");
    let late = claim.refresh(None).await.expect_err("it is lost");
    assert!(matches!(late.cause, ErrorKind::Lost(_)), "{late}");
    let other = lock_client(server.at, Clock::default());
    other.revoke(&claim.url()).await.expect("the server has not noticed yet");
    let next = other.claim("r").await.expect("no other client claims it");
    assert!(next.fencing_token() > claim.fencing_token());
    assert!(!claim.is_held(), "lost is final");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_machine_that_slept_a_little_renews_when_it_wakes() {
    let server = Running::in_memory();
    let sleep = Sleep::default();
    let ttl = Duration::from_secs(20);
    let sleeper = lock_client(server.at, sleep.clock());
    let claim = sleeper.claim("r").ttl(ttl).await.expect("no other client claims it");
    let mut changes = claim.changes();
    let before = claim.deadline().expect("it is held");
    let woken = Instant::now();
    sleep.sleep(ttl / 2);
    timeout(PATIENCE, changes.next()).await.expect("in time");
    assert!(woken.elapsed() < ttl / 4, "the renewal was due while it slept");
    assert!(claim.is_held() && claim.deadline() >= Some(before));
    claim.release().await.expect("it is held");
}

static WALL_AHEAD_US: AtomicI64 = AtomicI64::new(0);

/// Sets the wall clock so many seconds from where it was.
pub(crate) fn set_wall_clock(ahead: f64) {
    WALL_AHEAD_US.store((ahead * 1e6) as i64, Ordering::Relaxed);
}

pub(crate) fn jumping_wall_us() -> u64 {
    1_700_000_000_000_000_u64.saturating_add_signed(WALL_AHEAD_US.load(Ordering::Relaxed))
}

#[test]
fn a_wall_clock_that_is_set_moves_no_lease_and_no_date() {
    let options = Options { wall_us: jumping_wall_us, ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    let held = client.post(r#"{"resource":"r","ttl":30}"#).expect(201);
    let mut queued = Vec::new();
    for ahead in [3_600.0, -3_600.0, -1_700_000_000.0] {
        set_wall_clock(ahead);
        let claim = client.get(&held.path()).expect(200);
        let ttl = claim.number("ttl");
        assert!(ttl > 1.0 && ttl <= 30.0, "{ttl} with a wall clock {ahead} s ahead");
        queued.push(client.post(r#"{"resource":"r","ttl":30}"#).expect(202));
        let renewed = client.patch(&held.path(), r#"{"ttl":30}"#).expect(200);
        assert!(renewed.number("ttl") > 20.0 && renewed.number("active_duration") < 30.0);
    }
    let year = held.field("created").to_string();
    assert!(year.contains(" 2023 "), "the clock that was read at the start: {year}");
    for claim in queued {
        assert!(claim.field("created").to_string().contains(" 2023 "), "{claim:?}");
        assert!(claim.number("waiting_duration") < 30.0, "{claim:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_server_that_is_stopped_and_goes_on_has_no_two_holders() {
    let server = Turnstiled::start(&["--in-memory"]);
    let pid = Pid::from_child(&server.child);
    let one = lock_client(server.at, Clock::default());
    let two = lock_client(server.at, Clock::default());
    let ttl = Duration::from_millis(400);
    let claim = one.claim("r").ttl(ttl).await.expect("no other client claims it");
    let waiting = tokio::spawn(two.claim("r").ttl(ttl).into_future());
    let mut client = crate::http::Client::new(server.at);
    until("the second queues", || {
        let list = client.get("/v1/claims/?resource=r").json();
        list.as_array().map(Vec::len) == Some(2)
    });
    kill_process(pid, Signal::STOP).expect("it runs");
    timeout(PATIENCE, claim.lost()).await.expect("nobody renews the lease");
    assert!(!waiting.is_finished(), "nobody has it");
    kill_process(pid, Signal::CONT).expect("it runs");
    let next: Claim = timeout(PATIENCE, waiting)
        .await
        .expect("in time")
        .expect("no panic")
        .expect("the first is lost, and the second is promoted when the server goes on");
    assert!(!claim.is_held() && next.is_held());
    assert!(next.fencing_token() > claim.fencing_token());
}
