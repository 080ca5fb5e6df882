//! The cold build of a crate with one table, beside the same machine in smlang: `cargo bench -p
//! turnstile-machine`. Both are built five times in turn, and the medians are printed. Cargo
//! downloads smlang once.
//!
//! Both are built as from a registry, without incremental compilation. Processor time is read from
//! `/proc`, and is 0 on other systems than Linux.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

/// Pairs of builds.
const PAIRS: usize = 5;
/// Ticks of `/proc/self/stat` in a second.
const TICKS: f64 = 100.0;

const OURS: &str = "turnstile_machine::machine!(\"gate.yaml\");
use gate::{Event, State, step};
fn main() {
    let coin = step(State::Locked, Event::Coin, &|_| true).expect(\"a row\");
    assert_eq!(coin.to, State::Unlocked);
}
";

const SMLANG: &str = "smlang::statemachine! {
    transitions: {
        *Locked + Coin / unlock = Unlocked,
        Unlocked + Push / lock = Locked,
        Unlocked + Coin / thank = Unlocked,
    }
}
struct Context;
impl StateMachineContext for Context {
    fn unlock(&mut self) -> Result<(), ()> { Ok(()) }
    fn lock(&mut self) -> Result<(), ()> { Ok(()) }
    fn thank(&mut self) -> Result<(), ()> { Ok(()) }
}
fn main() {
    let mut gate = StateMachine::new(Context);
    gate.process_event(Events::Coin).expect(\"a transition\");
    assert!(matches!(gate.state(), States::Unlocked));
}
";

fn main() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ours = project("ours", OURS, &format!("turnstile-machine = {{ path = {home:?} }}"));
    let smlang = project("smlang", SMLANG, "smlang = \"0.8\"");
    let table = fs::copy(home.join("tests/embedder/gate.yaml"), ours.join("gate.yaml"));
    table.expect("the table can be copied");
    fs::copy(home.join("../../Cargo.lock"), ours.join("Cargo.lock")).expect("it can be copied");
    let both = [&ours, &smlang];
    for place in both {
        cargo(place, &["fetch", "--quiet"]);
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..PAIRS {
        for (place, times) in both.into_iter().zip(&mut times) {
            times.push(build(place));
        }
    }
    for ((name, place), times) in ["turnstile", "smlang"].into_iter().zip(both).zip(&times) {
        let [wall, processor] = [0, 1].map(|nth| median(times.iter().map(|both| both[nth])));
        let crates = crates(place);
        println!("{name}: {wall:.2} s, {processor:.2} s of processors, {crates} crates");
    }
    let ratio = |nth: usize| {
        median(times[0].iter().zip(&times[1]).map(|(ours, theirs)| ours[nth] / theirs[nth]))
    };
    println!("ratio: {:.2}, of processors {:.2}", ratio(0), ratio(1));
}

/// A crate of one file with one dependency.
fn project(name: &str, main: &str, dependency: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cold").join(name);
    fs::create_dir_all(place.join("src")).expect("a folder can be made");
    let manifest = format!(
        "[package]\nname = \"{name}-gate\"\nedition = \"2024\"\n\n[dependencies]\n{dependency}\n\n\
         [workspace]\n"
    );
    fs::write(place.join("Cargo.toml"), manifest).expect("it can be written");
    fs::write(place.join("src/main.rs"), main).expect("it can be written");
    place
}

/// Seconds that a build from nothing takes: on the clock, and of processors.
fn build(place: &Path) -> [f64; 2] {
    if let Err(error) = fs::remove_dir_all(place.join("target")) {
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
    }
    let (begun, used) = (Instant::now(), processor_seconds());
    cargo(place, &["build", "--quiet", "--offline"]);
    [begun.elapsed().as_secs_f64(), processor_seconds() - used]
}

/// The crates that are built for a crate, without itself.
fn crates(place: &Path) -> usize {
    let tree = cargo(place, &["tree", "--offline", "--edges", "normal,build", "--prefix", "none"]);
    let mut names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    names.sort_unstable();
    names.dedup();
    names.len() - 1
}

/// Runs cargo in a folder; returns what it prints.
fn cargo(place: &Path, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(place).args(words);
    for (name, _) in env::vars_os() {
        let is_set = name.to_str().is_some_and(|name| name.starts_with("CARGO_"));
        if is_set && name != "CARGO_HOME" || name == "RUSTFLAGS" {
            command.env_remove(name);
        }
    }
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", place.join("target"));
    let output = command.output().expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Processor time of the processes that this one has waited for.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
