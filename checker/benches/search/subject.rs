//! The benchmarks: searches by name.

use std::fs;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use stateright::{Checker, Model as _};
use turnstile_checker::SYSTEMS;
use turnstile_harness::options::Options;
use turnstile_models::parts::Lock;
use turnstile_reference::Model;
use turnstile_search::bounds::{Limits, NoProgress, Reductions};
use turnstile_search::breadth_first::{SearchConfig, search};
use turnstile_search::engine::CheckRequest;
use turnstile_search::interned::Interned;
use turnstile_world::World;

use crate::clock::CpuClock;
use crate::packed::Packed;
use crate::table::Measurement;
use crate::{actors, promela};

/// A benchmark.
pub(crate) struct Benchmark {
    /// Its name as an argument.
    pub(crate) name: &'static str,
    /// Its title in the table.
    pub(crate) title: &'static str,
}

/// The sizes: `CLIENTSxROUNDS` of the lock protocol, or a world of the claim system.
pub(crate) fn sizes(is_full: bool) -> Vec<String> {
    let sizes: &[&str] = if is_full {
        &["3x1", "2x2", "4x1", "lost+late+duplicate", "small clients=3"]
    } else {
        &["3x1", "2x2", "lost+late+duplicate"]
    };
    sizes.iter().map(|size| (*size).to_owned()).collect()
}

pub(crate) fn protocol(size: &str) -> Option<(usize, u8)> {
    let (clients, rounds) = size.split_once('x')?;
    Some((clients.parse().ok()?, rounds.parse().ok()?))
}

impl Benchmark {
    /// The benchmarks of a size. The first is the baseline.
    pub(crate) fn of(size: &str) -> Vec<Self> {
        let of = |(name, title)| Self { name, title };
        let everywhere = [
            ("world", "stateright BFS over the World"),
            ("interned 1", "interned, 1 thread"),
            ("interned 2", "interned, 2 threads"),
        ];
        let protocol_only = [
            ("parts 1", "interned, written as parts, 1 thread"),
            ("parts 2", "interned, written as parts, 2 threads"),
            ("packed", "hand-packed BFS"),
            ("actors", "stateright actors, BFS"),
            ("actors dfs", "stateright actors, DFS"),
            ("spin", "Spin, exhaustive"),
        ];
        let is_protocol = protocol(size).is_some();
        let further = protocol_only.into_iter().filter(|_| is_protocol);
        everywhere.into_iter().chain(further).map(of).collect()
    }
}

/// Runs one search and prints its measurement.
pub(crate) fn run_single(name: &str, size: &str) -> ExitCode {
    let before = peak_bytes();
    let has_several = name.ends_with('2');
    let clock = CpuClock::new(has_several);
    let began = Instant::now();
    let found = match protocol(size) {
        Some((clients, rounds)) => search_protocol(name, clients, rounds, &clock),
        None => search_claims(name, size, &clock),
    };
    let Some((states, cost)) = found else { return ExitCode::FAILURE };
    let measurement = match cost {
        Some((seconds, bytes)) => Measurement { states, seconds, busy: seconds, bytes },
        None => Measurement {
            states,
            seconds: began.elapsed().as_secs_f64(),
            busy: if has_several { clock.busiest() } else { clock.only() },
            bytes: peak_bytes().saturating_sub(before),
        },
    };
    println!("{measurement}");
    ExitCode::SUCCESS
}

/// States, and the seconds and bytes of another process that ran the search.
type SearchCost = Option<(u64, Option<(f64, u64)>)>;

fn search_protocol(name: &str, clients: usize, rounds: u8, clock: &CpuClock) -> SearchCost {
    let states = match name {
        "world" => bfs(turnstile_models::world(clients, rounds)),
        "interned 1" => interned(&turnstile_models::world(clients, rounds), 1, clock),
        "interned 2" => interned(&turnstile_models::world(clients, rounds), 2, clock),
        "parts 1" => written_as_parts(clients, rounds, 1, clock),
        "parts 2" => written_as_parts(clients, rounds, 2, clock),
        "packed" => {
            let clients = u32::try_from(clients).expect("few clients");
            let packed = Packed { clients, rounds: rounds.into() };
            packed.search().states as u64
        }
        "actors" => {
            let checker = actors::model(clients, rounds).checker().spawn_bfs().join();
            checker.unique_state_count() as u64
        }
        "actors dfs" => {
            let checker = actors::model(clients, rounds).checker().spawn_dfs().join();
            checker.unique_state_count() as u64
        }
        "spin" => return spin(clients, rounds),
        _ => return None,
    };
    Some((states, None))
}

/// The protocol as a transition system, without a World.
fn written_as_parts(clients: usize, rounds: u8, threads: usize, clock: &CpuClock) -> u64 {
    let system = Lock::new(u8::try_from(clients).expect("few clients"), rounds);
    let interned = Interned::new(&system);
    let space = interned.space(vec![(0, false), (1, true)], Reductions::NONE);
    let config = SearchConfig {
        threads,
        limits: Limits::default(),
        stop_at: 1,
        records_graph: false,
        progress: clock,
    };
    search(&space, config).states as u64
}

fn bfs(world: World) -> u64 {
    let model = Model::new(Arc::new(world)).expect("stateright is asked about few properties");
    model.checker().spawn_bfs().join().unique_state_count() as u64
}

fn interned(world: &World, threads: usize, clock: &CpuClock) -> u64 {
    let outcome =
        turnstile_world::search(world, CheckRequest { threads, ..CheckRequest::new(clock) });
    outcome.states as u64
}

/// A world of the claim system: `lost+late+duplicate`, or with settings `small clients=3`.
fn search_claims(name: &str, size: &str, clock: &CpuClock) -> SearchCost {
    let mut words = size.split_whitespace();
    let world = words.next()?;
    let set = words.filter_map(|word| word.split_once('='));
    let set = set.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let entry = SYSTEMS.entry("claim")?;
    let file = entry.file.system().ok()?;
    let options = Options { reduce: Reductions::NONE, set, ..Options::new(&NoProgress) };
    let world = entry.world(file, file.world(world)?, &options).ok()?;
    let states = match name {
        // Only states are counted: what runs do in the end, stateright does not say either.
        "world" => bfs(world),
        "interned 1" => interned(&of_states(world), 1, clock),
        "interned 2" => interned(&of_states(world), 2, clock),
        _ => return None,
    };
    Some((states, None))
}

/// The world without the properties of whole runs.
fn of_states(mut world: World) -> World {
    use turnstile_world::TemporalFormula;
    world.retain_properties(|property| {
        matches!(property.formula, TemporalFormula::Always { .. } | TemporalFormula::Sometimes(_))
    });
    world
}

/// Spin's own figures, of a verifier built for speed. `None` without Spin or a C compiler.
fn spin(clients: usize, rounds: u8) -> SearchCost {
    let place = std::env::temp_dir().join(format!("turnstile-bench-{}", std::process::id()));
    fs::create_dir_all(&place).ok()?;
    let text = promela::text(clients, rounds.into());
    fs::write(place.join("lock.pml"), text).ok()?;
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(&place).output().ok()
    };
    run("spin", &["-a", "lock.pml"])?;
    run("gcc", &["-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16000", "-o", "pan", "pan.c"])?;
    let began = Instant::now();
    let output = run("./pan", &["-E", "-w24", "-m100000000"]);
    let seconds = began.elapsed().as_secs_f64();
    fs::remove_dir_all(&place).ok()?;
    let said = String::from_utf8(output?.stdout).ok()?;
    let line = |what: &str| said.lines().find(|line| line.contains(what));
    let number = |what: &str| line(what)?.split_whitespace().next()?.parse::<f64>().ok();
    let states = line("states, stored")?.split_whitespace().next()?.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an amount")]
    let bytes = (number("total actual memory usage")? * 1_048_576.0) as u64;
    Some((states, Some((seconds, bytes))))
}

/// The most memory that this process has had. 0 where the system does not say.
fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}
