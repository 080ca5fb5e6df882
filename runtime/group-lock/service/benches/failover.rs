//! How long a lock is not granted after the process of the coordinator is killed: until the failure
//! detector of a member finds it gone, and from then until that member's user has the lock, which a
//! user of the coordinator held or nobody did.
//!
//! `cargo bench -p turnstile-group-lock --bench failover`

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tokio::time::sleep;
use turnstile_group_lock::Member;
use turnstile_simulation::{Folder, Running, free_port};

const ROUNDS: usize = 15;
/// The periods of the failure detectors, in milliseconds.
const PERIODS: [u64; 2] = [200, 500];
const ASKED: Duration = Duration::from_millis(1);

fn grouplock(words: &[&str]) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grouplock"));
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Running(command.spawn().expect("the program is built"))
}

async fn member(seed: SocketAddr, period: Duration) -> Member {
    Member::builder("bench").seed(seed).period(period).start().await.expect("a port is free")
}

/// Waits until a member has a view of so many.
async fn await_view(member: &Member, count: usize) {
    let mut views = member.views();
    let whole = views.wait_for(|view| view.members.len() == count);
    whole.await.expect("the member runs");
}

/// The times from the kill until the coordinator is found gone, and from then to the lock.
async fn one_round(period: Duration, is_held: bool) -> (Duration, Duration) {
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
    let folder = Folder::new("failover");
    std::fs::create_dir_all(folder.path()).expect("the temporary folder can be written");
    let socket = folder.path().join("socket").display().to_string();
    let (listen, seconds) = (at.to_string(), period.as_secs_f64().to_string());
    let words = ["member", "--name=bench", "--listen", &listen, "--seed", &listen];
    let first = grouplock(&[&words[..], &["--period", &seconds, "--socket", &socket]].concat());
    let one = member(at, period).await;
    await_view(&one, 2).await;
    let other = member(at, period).await;
    await_view(&one, 3).await;
    let held =
        is_held.then(|| grouplock(&["run", "job", "--socket", &socket, "--", "sleep", "60"]));
    while is_held && one.try_lock("job").await.is_some() {
        sleep(ASKED).await;
    }
    // Not at one place of the detector's period, and with a waiter that asks seldom by then.
    sleep(period * 3 + period.mul_f64(f64::from(at.port() % 100) / 100.0)).await;
    let waiting = one.clone();
    let granted = tokio::spawn(async move {
        if !is_held {
            // Nobody holds it, but only a coordinator can say so.
            while waiting.status().present.contains(&at) {
                sleep(ASKED).await;
            }
        }
        let guard = waiting.lock("job").await;
        (Instant::now(), guard)
    });
    sleep(period).await;
    let killed = Instant::now();
    drop(first);
    while one.status().present.contains(&at) {
        sleep(ASKED).await;
    }
    let found = Instant::now();
    let (granted, guard) = granted.await.expect("it does not panic");
    drop((guard, held));
    other.leave().await;
    one.leave().await;
    (found - killed, granted.saturating_duration_since(found))
}

#[tokio::main]
async fn main() {
    println!(
        "period (ms)   lock   found gone after (ms), median and most   granted after that (ms)"
    );
    for period in PERIODS {
        for is_held in [false, true] {
            let (mut found, mut granted) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                let (one, other) = one_round(Duration::from_millis(period), is_held).await;
                found.push(one.as_secs_f64() * 1e3);
                granted.push(other.as_secs_f64() * 1e3);
            }
            found.sort_by(f64::total_cmp);
            granted.sort_by(f64::total_cmp);
            let lock = if is_held { "held" } else { "free" };
            println!(
                "{period:>11} {lock:>6} {:>28.0} {:>13.0} {:>15.1} {:>11.1}",
                found[ROUNDS / 2],
                found[ROUNDS - 1],
                granted[ROUNDS / 2],
                granted[ROUNDS - 1]
            );
        }
    }
}
