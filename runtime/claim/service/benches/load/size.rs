//! A cluster of three with many claims: memory, snapshots, restarts, and the pauses of requests.

use std::cell::Cell;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::task::{JoinHandle, LocalSet, spawn_local};

use crate::client::Client;
use crate::members::{Members, secret, tokens};
use crate::probe::Probe;
use crate::server::{Build, Server, empty, turnstiled};

/// The number of clients that create the claims.
const WRITERS: usize = 256;
/// The number of clients that lock and unlock while snapshots are made.
const LOCKERS: usize = 32;
/// The number of snapshots of the leader that are observed.
const SNAPSHOTS: usize = 2;
/// The maximum time for them.
const PATIENCE: Duration = Duration::from_secs(300);
/// What a member writes about a snapshot.
const SNAPSHOT: &str = "a snapshot is made";

/// Prints the table for this number of claims, of this build or of another.
pub(crate) fn run(claims: usize, build: Build<'_>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{claims} claims; load average before: {}\n", load.trim());
    println!("| what | of | result |");
    println!("| --- | --- | ---: |");
    let tokens = tokens();
    LocalSet::new().block_on(&runtime, async {
        single(claims, &tokens, build).await;
        cluster(claims, &tokens, build).await;
    });
}

fn row(what: &str, of: &str, result: impl std::fmt::Display) {
    println!("| {what} | {of} | {result} |");
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Resident and peak memory, in MiB per 100,000 claims.
fn memory(server: &Server, claims: usize) -> String {
    let per = |mib: u64| mib as f64 * 1e5 / claims as f64;
    format!("{:.1} (peak {:.1}) MiB", per(server.resident_mib()), per(server.memory_mib()))
}

async fn single(claims: usize, tokens: &Path, build: Build<'_>) {
    let dir = empty("load.size-single");
    let start =
        || Server::announced(turnstiled(build).arg("--data").arg(&dir).arg("--tokens").arg(tokens));
    let mut server = start();
    print_filled("single", &fill(server.address(0), claims).await);
    row("memory per 100,000 claims", "single", memory(&server, claims));
    server.kill(0);
    server.await_end();
    let started = Instant::now();
    let server = start();
    row("start after a SIGKILL", "single", seconds(started.elapsed()));
    row("memory per 100,000 claims after it", "single", memory(&server, claims));
    drop(server);
    std::fs::remove_dir_all(&dir).expect("the directory is ours");
}

async fn cluster(claims: usize, tokens: &Path, build: Build<'_>) {
    let mut members = Members::start(tokens, build);
    let leader = leader(&mut members.client(0).await).await;
    print_filled("cluster", &fill(members.all[leader].address(0), claims).await);
    print_members(&members, leader, claims, "");
    snapshots(&members, leader).await;
    print_members(&members, leader, claims, " after snapshots");
    let follower = (leader + 1) % 3;
    row("SIGKILL to ready", "follower", seconds(members.restart(follower)));
    row("memory per 100,000 claims after it", "follower", memory(&members.all[follower], claims));
    lose_leader(&mut members, leader, follower).await;
    row("start after a SIGKILL", "former leader", seconds(members.start_again(leader)));
    let mut client = members.client(follower).await;
    let probe = Probe::start(members.all[follower].address(0));
    row("addition to ready", "new member", seconds(members.add(&mut client).await));
    print_probe("request while a member is added", probe);
    row("memory per 100,000 claims", "new member", memory(&members.all[3], claims));
    print_members(&members, leader, claims, " after it");
}

/// How claims were created.
struct Filled {
    time: Duration,
    /// The number of requests that were answered with 503 and repeated.
    unanswered: usize,
}

fn print_filled(of: &str, filled: &Filled) {
    row("creation", of, seconds(filled.time));
    row("requests answered with 503 meanwhile", of, filled.unanswered);
}

fn print_members(members: &Members<'_>, leader: usize, claims: usize, when: &str) {
    for (one, member) in members.all.iter().enumerate().take(3) {
        let of = if one == leader { "leader" } else { "follower" };
        row(&format!("memory per 100,000 claims{when}"), of, memory(member, claims));
        let mib = members.disk_bytes(one) as f64 / f64::from(1 << 20);
        row(&format!("disk{when}"), of, format!("{mib:.0} MiB"));
    }
}

fn print_probe(what: &str, probe: Probe) {
    let tally = probe.stop();
    let [p50, p99, most] = [50, 99, 100].map(|percent| tally.percentile_ms(percent));
    row(what, "p50, p99, longest", format!("{p50:.1}, {p99:.1}, {most:.1} ms"));
}

/// Observes snapshots of the leader, and a request meanwhile.
async fn snapshots(members: &Members<'_>, leader: usize) {
    let before: Vec<usize> = (0..3).map(|one| members.lines(one, 0).len()).collect();
    let at = members.all[leader].address(0);
    let probe = Probe::start(at);
    let (is_over, started) = (Rc::new(Cell::new(false)), Instant::now());
    let lockers: Vec<_> = (0..LOCKERS).map(|one| lock_and_unlock(at, one, &is_over)).collect();
    let made = |one: usize| {
        let lines = members.lines(one, before[one]);
        lines.into_iter().filter(|line| line.contains(SNAPSHOT)).collect::<Vec<_>>()
    };
    while made(leader).len() < SNAPSHOTS {
        assert!(started.elapsed() < PATIENCE, "there are {} snapshots", made(leader).len());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    is_over.set(true);
    let mut pairs = 0;
    for locker in lockers {
        pairs += locker.await.expect("a client ends well");
    }
    let rate = f64::from(pairs) / started.elapsed().as_secs_f64();
    row("pairs a second during snapshots", "leader", format!("{rate:.0}"));
    print_probe("request during snapshots", probe);
    for one in 0..3 {
        for line in made(one) {
            let (_, result) = line.split_once(SNAPSHOT).expect("it was found");
            row("snapshot", &format!("member {}", one + 1), result);
        }
    }
}

fn lock_and_unlock(at: SocketAddr, one: usize, is_over: &Rc<Cell<bool>>) -> JoinHandle<u32> {
    let is_over = Rc::clone(is_over);
    spawn_local(async move {
        let mut client = Client::connect(at).await.with_token(&secret(one));
        let (name, mut pairs) = (format!("load/{one:03}"), 0);
        while !is_over.get() {
            let claim = client.post(&name, false).await;
            assert_eq!(claim.status, 201, "nobody else wants it");
            client.patch(claim.id, "released", false).await;
            pairs += 1;
        }
        pairs
    })
}

/// Kills the leader; a client of a follower goes on.
async fn lose_leader(members: &mut Members<'_>, leader: usize, follower: usize) {
    let mut client = members.client(follower).await;
    let probe = Probe::start(members.all[follower].address(0));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let started = Instant::now();
    members.all[leader].kill(0);
    loop {
        let known = self::leader(&mut client).await;
        if known != usize::MAX && known != leader {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "no other leader");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let elected = started.elapsed();
    let mut other = members.client(follower).await;
    while other.post("load/next", false).await.status != 201 {
        assert!(started.elapsed() < PATIENCE, "no other leader");
    }
    row("SIGKILL of the leader to another one", "follower", seconds(elected));
    row("from then to the next grant", "follower", seconds(started.elapsed() - elected));
    print_probe("request when the leader is lost", probe);
}

/// The position of the leader among the members; `usize::MAX` if none is known.
async fn leader(client: &mut Client) -> usize {
    assert_eq!(client.call("GET /metrics", "", false).await.status, 200);
    let metrics = client.text().lines();
    let leader = metrics.filter_map(|line| line.strip_prefix("turnstile_log_leader ")).next();
    let leader: usize = leader.and_then(|id| id.trim().parse().ok()).expect("a number");
    leader.wrapping_sub(1)
}

/// Creates this number of claims, each of another resource.
async fn fill(at: SocketAddr, claims: usize) -> Filled {
    let (next, started) = (Rc::new(Cell::new(0)), Instant::now());
    let unanswered = Rc::new(Cell::new(0));
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let mut client = Client::connect(at).await.with_token(&secret(writer));
        let (next, unanswered) = (next.clone(), unanswered.clone());
        writers.push(spawn_local(async move {
            while next.get() < claims {
                let number = next.replace(next.get() + 1);
                let body = body(number);
                // A cluster whose leader changes answers 503, also when it has created the claim.
                let mut status = 503;
                while status == 503 {
                    status = client.call("POST /v1/claims/", &body, false).await.status;
                    unanswered.set(unanswered.get() + usize::from(status == 503));
                }
                assert!(matches!(status, 201 | 202), "{status}: nobody else wants it");
            }
        }));
    }
    for writer in writers {
        writer.await.expect("a client ends well");
    }
    Filled { time: started.elapsed(), unanswered: unanswered.get() }
}

/// The body of a POST as a cluster of workers sends it.
fn body(number: usize) -> String {
    let ttl = 36_000 + number % 36_000;
    let resource = format!("tenant-{:03}/nightly-import/{number:07}", number % 997);
    let host = format!("worker-{:02}.example", number % 61);
    let user_data = format!(r#"{{"host":"{host}","pid":{number}}}"#);
    format!(r#"{{"resource":"{resource}","ttl":{ttl},"user_data":{user_data}}}"#)
}
