//! The soak test: a mixed load for minutes, in which the server's memory and files must not grow.
//!
//! `cargo bench -p turnstile-claim --bench soak -- [MINUTES]` starts the real `turnstiled` on a
//! directory, with low limits on finished claims and on the time that disconnected waiters are
//! kept, and samples it twice per second. It compares the last third of the time with the second,
//! with the tolerances of `watch`, and exits with 1 if something has grown. The first third is the
//! warm-up.
//! `SOAK_SEED` sets the seed of names and data.

mod client;
mod load;
mod watch;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use load::{CLIENTS, Counts, Load};
use rustix::process::{Pid, Signal, kill_process};
use tokio::task::LocalSet;
use turnstile_claim::client::Rng;
use watch::Sample;

const MINUTES: f64 = 10.0;
const LOOK: Duration = Duration::from_millis(500);
const FINISHED_MAX: &str = "20000";
/// In seconds: disconnected waiters would otherwise be kept for an hour.
const UNASKED_MAX: &str = "20";

fn main() -> ExitCode {
    // Cargo itself passes `--bench`.
    let minutes = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(MINUTES);
    let seed = std::env::var("SOAK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let time = Duration::from_secs_f64(minutes.clamp(0.05, 10_000.0) * 60.0);
    println!("soak: {minutes} minutes, SOAK_SEED={seed}");
    println!("turnstiled --finished-max {FINISHED_MAX} --unasked-max {UNASKED_MAX}");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("soak");
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    let server = Server::start(&dir);
    let counts = Counts::default();
    let load = Load { at: server.at, end: Instant::now() + time, counts: counts.clone() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let tasks = LocalSet::new();
    let samples =
        tasks.block_on(&runtime.expect("a runtime"), soak(load, seed, server.child.id(), &dir));
    for (what, times) in &*counts.borrow() {
        println!("{times:>9} {what}");
    }
    let mut wrong = watch::judge(&samples);
    wrong.extend(server.end());
    // What it has written, another one takes up.
    wrong.extend(Server::start(&dir).end());
    for wrong in &wrong {
        eprintln!("soak: {wrong}");
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs all clients and samples the server.
async fn soak(load: Load, seed: u64, process: u32, data: &Path) -> Vec<Sample> {
    let mut rng = Rng::seeded(seed);
    let mut clients = Vec::new();
    for (kind, count) in CLIENTS {
        for _ in 0..count {
            let (load, rng) = (load.clone(), Rng::seeded(rng.number()));
            clients.push(tokio::task::spawn_local(load.run(kind, rng)));
        }
    }
    let mut samples = Vec::new();
    while Instant::now() < load.end {
        tokio::time::sleep(LOOK).await;
        samples.push(Sample::take(process, data).expect("the server runs"));
        if clients.iter().any(tokio::task::JoinHandle::is_finished) && Instant::now() < load.end {
            break;
        }
    }
    for client in clients {
        client.await.expect("the protocol has every answer").expect("the server answers");
    }
    samples
}

/// A server process; dropping this kills it.
struct Server {
    child: Child,
    at: SocketAddr,
}

impl Server {
    fn start(data: &PathBuf) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnstiled"));
        command.args(["--listen", "127.0.0.1:0", "--unasked-max", UNASKED_MAX]);
        command.args(["--finished-max", FINISHED_MAX, "--data"]);
        let command = command.arg(data).env("TURNSTILE_LOG", "warn").stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("the server says where it listens");
        let at = line.trim().rsplit('/').next().and_then(|at| at.parse().ok());
        Self { at: at.unwrap_or_else(|| panic!("no address in {line:?}")), child }
    }

    /// Stops it by SIGTERM. Returns what was wrong.
    fn end(mut self) -> Option<String> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("it runs");
        let status = self.child.wait().expect("it is our child");
        (!status.success()).then(|| format!("the server has ended with {status}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that was ended is gone.
        let _gone = self.child.kill().and_then(|()| self.child.wait());
    }
}
