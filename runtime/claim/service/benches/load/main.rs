//! The load generator: how many claims a second the real server grants, and how evenly, beside the
//! bare disk, bare HTTP, redis and etcd.
//!
//! It starts each server as a process, connects over loopback only, and measures every row once per
//! round. `cargo bench -p turnstile-claim --bench load -- [SECONDS]` prints the tables of
//! `LOAD.md`; `of WORD` selects the rows whose server has this word in its name, and `beside
//! DIRECTORY` adds rows of the `turnstiled` in that directory, which is another build. `reading`
//! and `start` print the tables about a million claims instead, `cluster` the one of three members,
//! and `size` the one of three members with many claims. Servers and generator share the machine.

mod client;
mod cluster;
mod constant;
mod disk;
mod etcd;
mod lock;
mod members;
mod probe;
mod reading;
mod redis;
mod server;
mod size;
mod start;
mod table;
mod tally;

use std::path::Path;
use std::time::{Duration, Instant};

use etcd::Etcd;
use lock::{Health, HeldClaim, Lock, Refused, hand_overs, pairs};
use redis::Redis;
use server::{Build, Server};
use table::{OURS, Row};
use tally::Measure;
use tokio::task::{LocalSet, spawn_local};

/// The default number of claims of `reading` and `start`; `reading 100000` sets another.
const CLAIMS: usize = 1_000_000;
/// The maximum time per row and round.
const SECONDS_MAX: f64 = 60.0;
/// The number of rounds.
const ROUNDS: usize = 7;

fn main() {
    // Cargo itself passes `--bench`.
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_said = |word: &str| words.iter().any(|said| said == word);
    let claims = words.iter().find_map(|word| word.parse().ok()).unwrap_or(CLAIMS);
    match () {
        () if is_said("constant") => constant::serve(),
        () if is_said("reading") => reading::run(claims, Duration::from_secs(10)),
        () if is_said("start") => start::run(claims, other(&words)),
        () if is_said("size") => size::run(claims, other(&words)),
        () if is_said("cluster") => cluster::run(time(&words)),
        () => {
            let of = words.iter().skip_while(|word| *word != "of").nth(1);
            compare(time(&words), of, other(&words));
        }
    }
}

/// The time per row and round.
fn time(words: &[String]) -> Duration {
    let seconds = words.iter().find_map(|word| word.parse().ok()).unwrap_or(1.0_f64);
    Duration::from_secs_f64(seconds.clamp(0.1, SECONDS_MAX))
}

/// The directory of another build to measure, too.
fn other(words: &[String]) -> Build<'_> {
    words.iter().skip_while(|word| *word != "beside").nth(1).map(Path::new)
}

/// The workload of the clients.
#[derive(Clone, Copy, Debug)]
enum Load {
    Pairs,
    HandOvers,
}

fn print_machine(time: Duration) {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let seconds = time.as_secs_f64();
    println!("{cores} cores, shared by servers and generator; {ROUNDS} rounds, {seconds} s a row");
    println!("load average before: {}\n", load.trim());
}

/// Measures all rows in turns, and prints the table.
fn compare(time: Duration, of: Option<&String>, other: Build<'_>) {
    print_machine(time);
    let (memory, disk) = (Some(Server::in_memory(None)), Some(Server::on_disk(None)));
    let others = other.map(|_| (Some(Server::in_memory(other)), Some(Server::on_disk(other))));
    let constant = Some(Server::constant());
    let (redis, etcd) = (Server::redis(), Server::etcd());
    let mut rows = vec![
        Row::new("synced appends", "a file that grows", 1, || Some(disk::measure(false, time))),
        Row::new("synced appends", "a file with room", 1, || Some(disk::measure(true, time))),
    ];
    for (load, clients) in [(Load::Pairs, 8), (Load::Pairs, 64), (Load::HandOvers, 64)] {
        if matches!(load, Load::Pairs) {
            rows.push(row::<HeldClaim>("constants, bare", load, clients, &constant, time));
            rows.push(row::<Health>("its /healthz", load, clients, &memory, time));
            rows.push(row::<Refused>("its refusals", load, clients, &memory, time));
        }
        rows.push(row::<HeldClaim>("turnstiled in memory", load, clients, &memory, time));
        rows.push(row::<HeldClaim>(OURS, load, clients, &disk, time));
        if let Some((memory, disk)) = &others {
            rows.push(row::<HeldClaim>(
                "another turnstiled in memory",
                load,
                clients,
                memory,
                time,
            ));
            rows.push(row::<HeldClaim>("another turnstiled on disk", load, clients, disk, time));
        }
        rows.push(row::<Redis<true>>("redis", load, clients, &redis, time));
        if matches!(load, Load::HandOvers) {
            rows.push(row::<Redis<false>>("redis without leases", load, clients, &redis, time));
        }
        rows.push(row::<Etcd>("etcd", load, clients, &etcd, time));
    }
    rows.retain(|row| of.is_none_or(|of| row.of.contains(of)));
    measure_in_turns(&mut rows);
    table::print(&rows, OURS);
}

fn measure_in_turns(rows: &mut [Row<'_>]) {
    for _ in 0..ROUNDS {
        for row in &mut *rows {
            row.measure();
        }
    }
}

fn row<'a, L: Lock + 'static>(
    of: &'static str,
    load: Load,
    clients: usize,
    server: &'a Option<Server>,
    time: Duration,
) -> Row<'a> {
    let name = match load {
        Load::Pairs => "lock + unlock pairs",
        Load::HandOvers => "hand-overs of one lock",
    };
    Row::new(name, of, clients, move || {
        server.as_ref().map(|server| measure::<L>(server, load, clients, time))
    })
}

/// Runs a number of clients against a server.
fn measure<L: Lock + 'static>(
    server: &Server,
    load: Load,
    clients: usize,
    time: Duration,
) -> Measure {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    LocalSet::new().block_on(&runtime, async {
        let mut connected = Vec::new();
        for client in 0..clients {
            connected.push(L::connect(server.address(client)).await);
        }
        let one = "load/one";
        if let (Load::HandOvers, Some(client)) = (load, connected.first_mut()) {
            client.prepare(one).await;
        }
        let (started, before) = (Instant::now(), server.cpu_time());
        let end = started + time;
        let run = |(number, client)| {
            spawn_local(async move {
                match load {
                    Load::Pairs => pairs(client, number, end).await,
                    Load::HandOvers => hand_overs(client, one, end).await,
                }
            })
        };
        let running: Vec<_> = connected.into_iter().enumerate().map(run).collect();
        let mut tallies = Vec::new();
        for task in running {
            tallies.push(task.await.expect("a client ends well"));
        }
        Measure::of(&tallies, started.elapsed(), server.cpu_time() - before)
    })
}
