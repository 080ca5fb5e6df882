//! Two processes of a core of one's own on TCP: `examples/baton`, one of them killed and started
//! again. What they traced is what the core does.
//!
//! A program of its own: what a test beside it has locked, a process that is about to begin has,
//! too.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use turnstile_scenario::CoreNode;
use turnstile_scenario::trace::replay_core;
use turnstile_simulation::free_port;

#[path = "../examples/baton/core.rs"]
mod runner;

/// Longer than a baton is ever on its way.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program beside this test, which `cargo test` builds with it.
fn program() -> PathBuf {
    let mut path = std::env::current_exe().expect("a test has a path");
    path.pop();
    path.pop();
    path.push("examples/baton");
    assert!(path.exists(), "{} is not built: cargo build --examples", path.display());
    path
}

struct Process {
    child: Child,
    trace: PathBuf,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("it is our child");
    }
}

/// A runner at its port, in one of its lives; each number that it holds is sent with its own.
fn start(
    dir: &Path,
    own: u8,
    ports: [u16; 2],
    life: u8,
    held: &mpsc::Sender<(u8, u8, u64)>,
) -> Process {
    let trace = dir.join(format!("trace-{own}.jsonl"));
    let [at, other] =
        [own, 1 - own].map(|runner| format!("127.0.0.1:{}", ports[usize::from(runner)]));
    let mut command = Command::new(program());
    command.args([&own.to_string(), &at, &(1 - own).to_string(), &other]);
    command.arg(dir.join(format!("data-{own}"))).arg(&trace);
    command.args((own == 0 && life == 0).then_some("begin"));
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let out = BufReader::new(child.stdout.take().expect("it is piped"));
    let held = held.clone();
    std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            let number = line.parse().expect("it prints numbers");
            if held.send((own, life, number)).is_err() {
                return;
            }
        }
    });
    Process { child, trace }
}

/// How many steps there were.
fn replay(trace: &Path) -> usize {
    let file = BufReader::new(File::open(trace).expect("it was written"));
    let node = |name: &str, is: &str| {
        let other = if name == "0" { 1 } else { 0 };
        (is == "runner").then(|| CoreNode::new(runner::Runner { other }))
    };
    let replay = replay_core(file, node).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(replay.matches(), "{replay:#?}");
    replay.steps
}

#[test]
fn two_processes_pass_the_baton_though_one_is_killed() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("baton");
    let _none = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the directory is ours");
    let ports = [(); 2].map(|()| free_port());
    let (held, seen) = mpsc::channel();
    let mut newest = [0; 2];
    // Until the second runner has held it five times in this life.
    let mut pass = |in_life: u8| {
        let mut times = 0;
        while times < 5 {
            let (runner, life, number) = seen.recv_timeout(PATIENCE).expect("the baton is passed");
            assert_eq!(number % 2, u64::from(runner), "one of the two holds {number}");
            // A runner that starts again may hold the newest one again.
            let before = std::mem::replace(&mut newest[usize::from(runner)], number);
            assert!(number >= before, "{number} is held after {before}");
            times += u64::from(runner == 1 && life == in_life);
        }
    };
    let first = start(&dir, 0, ports, 0, &held);
    let mut second = start(&dir, 1, ports, 0, &held);
    for life in 1..4 {
        pass(life - 1);
        drop(second);
        second = start(&dir, 1, ports, life, &held);
    }
    pass(3);
    let traces = [first.trace.clone(), second.trace.clone()];
    drop((first, second));
    for trace in traces {
        // The last line may be torn, but none before it: each life goes on behind whole ones.
        assert!(replay(&trace) > 20, "{}", trace.display());
    }
}
