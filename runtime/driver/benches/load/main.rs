//! The load generator: how many claims a second the real server grants, and how evenly.
//!
//! It starts `turnstiled` as a process of its own, speaks to it over loopback only, and stops after
//! a few seconds a row. `cargo bench -p turnstile-driver --bench load -- [SECONDS]` prints the
//! table that stands in `LOAD.md`, and with `reading` instead of it the one about a million claims
//! that others read. Server and generator share the machine.

mod client;
mod reading;
mod tally;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use client::Client;
use tally::{Tally, jain};
use tokio::task::LocalSet;

/// So many claims are there to be read, unless it is said: `reading 100000`.
const CLAIMS: usize = 1_000_000;
/// A row is not measured for longer than this.
const SECONDS_MAX: f64 = 60.0;

fn main() {
    // Cargo itself passes `--bench`.
    let mut words = std::env::args().skip_while(|word| word != "reading");
    if words.next().is_some() {
        let claims = words.find_map(|word| word.parse().ok()).unwrap_or(CLAIMS);
        return reading::run(claims, Duration::from_secs(10));
    }
    let seconds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(3.0_f64);
    let time = Duration::from_secs_f64(seconds.clamp(0.1, SECONDS_MAX));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{cores} cores, shared by server and generator, {} s a row\n", time.as_secs_f64());
    println!("| load | store | clients | a second | p50 ms | p99 ms | Jain | CPU us of both |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for store in ["memory", "disk"] {
        for clients in [8, 64] {
            let (tallies, cpu) = measure(store, clients, time, pairs);
            print_row("lock + unlock pairs", store, &tallies, time, cpu);
        }
    }
    for store in ["memory", "disk"] {
        let (tallies, cpu) = measure(store, 64, time, hand_overs);
        print_row("hand-overs of one lock", store, &tallies, time, cpu);
    }
}

/// Runs a number of clients against a server of their own: what they got done, and the processor
/// time that both took together.
fn measure<F>(
    store: &str,
    clients: usize,
    time: Duration,
    load: impl Fn(Client, usize, Instant) -> F,
) -> (Vec<Tally>, Duration)
where
    F: Future<Output = Tally> + 'static,
{
    let server = Server::start(store);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let tasks = LocalSet::new();
    tasks.block_on(&runtime, async {
        let mut connected = Vec::new();
        for _ in 0..clients {
            connected.push(Client::connect(server.at).await);
        }
        let processes = ["self".to_owned(), server.child.id().to_string()];
        let cpu = || processes.iter().map(|process| cpu_time(process)).sum::<Duration>();
        let before = cpu();
        let end = Instant::now() + time;
        let running: Vec<_> = connected
            .into_iter()
            .enumerate()
            .map(|(number, client)| tokio::task::spawn_local(load(client, number, end)))
            .collect();
        let mut tallies = Vec::new();
        for task in running {
            tallies.push(task.await.expect("a client ends well"));
        }
        (tallies, cpu() - before)
    })
}

/// What a process has had of the processors so far; the kernel counts in hundredths of a second.
fn cpu_time(process: &str) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    // The name in parentheses may hold anything; behind it the 12th and 13th are user and system.
    let (_, fields) = stat.rsplit_once(')').expect("a name in parentheses");
    let ticks = |at| -> u64 {
        fields.split_whitespace().nth(at).and_then(|ticks| ticks.parse().ok()).expect("a number")
    };
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

/// Locks and unlocks a resource of its own.
async fn pairs(mut client: Client, number: usize, end: Instant) -> Tally {
    let resource = format!("load/{number}");
    let mut tally = Tally::default();
    while Instant::now() < end {
        let started = Instant::now();
        let claim = client.post(&resource, false).await;
        assert_eq!(claim.status, 201, "nobody else wants {resource}");
        let released = client.patch(claim.id, "released", false).await;
        assert_eq!(released.status, 204, "the lock is held");
        tally.note(started.elapsed());
    }
    tally
}

thread_local! {
    /// When the last holder sent its release.
    static RELEASED: std::cell::Cell<Option<Instant>> = const { std::cell::Cell::new(None) };
}

/// Takes turns with everyone else at one lock.
async fn hand_overs(mut client: Client, _number: usize, end: Instant) -> Tally {
    let mut tally = Tally::default();
    while Instant::now() < end {
        let mut answer = client.post("one", true).await;
        let id = answer.id;
        while !matches!(answer.status, 200 | 201) {
            assert!(matches!(answer.status, 202 | 409), "{}", answer.status);
            answer = client.patch(id, "active", true).await;
        }
        if let Some(released) = RELEASED.take() {
            tally.note(released.elapsed());
        }
        RELEASED.set(Some(Instant::now()));
        let released = client.patch(id, "released", false).await;
        assert_eq!(released.status, 204, "the lock is held");
    }
    tally
}

fn print_row(load: &str, store: &str, tallies: &[Tally], time: Duration, cpu: Duration) {
    let counts: Vec<usize> = tallies.iter().map(Tally::count).collect();
    let all = Tally::sum(tallies);
    println!(
        "| {load} | {store} | {} | {:.0} | {:.2} | {:.2} | {:.3} | {:.0} |",
        tallies.len(),
        all.count() as f64 / time.as_secs_f64(),
        all.percentile_ms(50),
        all.percentile_ms(99),
        jain(&counts),
        cpu.as_secs_f64() * 1e6 / all.count() as f64,
    );
}

/// The real server, until it is dropped.
struct Server {
    child: Child,
    at: SocketAddr,
}

impl Server {
    fn start(store: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnstiled"));
        command.args(["--listen", "127.0.0.1:0"]).env("TURNSTILE_LOG", "warn");
        if store == "disk" {
            let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("load");
            if dir.exists() {
                std::fs::remove_dir_all(&dir).expect("the directory is ours");
            }
            command.arg("--data").arg(dir);
        } else {
            command.arg("--in-memory");
        }
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("the server says where it listens");
        let at = line.trim().rsplit('/').next().and_then(|at| at.parse().ok());
        Self { at: at.unwrap_or_else(|| panic!("no address in {line:?}")), child }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().expect("it is our child");
        self.child.wait().expect("it is our child");
    }
}
