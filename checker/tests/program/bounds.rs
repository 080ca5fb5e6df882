//! Truncated searches: interrupted, out of time, out of memory. Each ends with the verdicts so far,
//! status 3 and the reason.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Timers of the machine; there are 2 to this power configurations.
const TIMERS: u32 = 24;

/// A machine whose timers all run at first and fire in any order.
fn many() -> String {
    let names: Vec<String> = (0..TIMERS).map(|timer| format!("t{timer}")).collect();
    let all = names.join(", ");
    let mut table = format!(
        "language: 1\nmachine: many\nstates:\n  first: {{ holds: [{all}], initial: true }}\n  \
         rest: {{ may hold: [{all}] }}\n  other: {{ may hold: [{all}] }}\nresources:\n"
    );
    for name in &names {
        let _ = writeln!(table, "  {name}: timer");
    }
    table.push_str("events:\n  tick: { kind: command }\n");
    for name in &names {
        let _ = writeln!(table, "  {name} fires: {{ consumes: {name} }}");
    }
    table.push_str("transitions:\n  - { from: rest, to: other, event: tick }\n");
    table.push_str("  - { from: other, to: rest, event: tick }\n");
    for name in &names {
        for from in ["first", "rest", "other"] {
            let _ = writeln!(table, "  - {{ from: {from}, to: rest, event: {name} fires }}");
        }
    }
    table.push_str("ignore:\n  - { state: first, event: tick, because: nothing has fired }\n");
    table
}

/// A file with the machine, of one test alone.
fn file(test: &str) -> PathBuf {
    let name = format!("turnstile-{}-{test}.yaml", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::write(&path, many()).expect("the folder for temporary files can be written");
    path
}

#[track_caller]
fn is_truncated(output: &Output, because: &str) {
    leaves_open(output, because, "no deadlock");
}

#[track_caller]
fn leaves_open(output: &Output, because: &str, property: &str) {
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{printed}");
    assert!(printed.contains(because), "`{because}` is not in: {printed}");
    let line = printed.lines().find(|line| line.starts_with(&format!("  ? {property} ")));
    assert!(line.is_some_and(|line| line.ends_with("  incomplete")), "{printed}");
    assert!(!printed.contains("✗"), "{printed}");
}

fn check(test: &str, words: &[&str]) -> Output {
    let path = file(test);
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstile"));
    let output = command.arg("check").arg(&path).args(words).output();
    fs::remove_file(&path).expect("it was written");
    output.expect("the binary is built")
}

#[test]
fn time_runs_out() {
    is_truncated(&check("time", &["--timeout", "0.3"]), "--timeout reached");
}

#[test]
fn memory_runs_out() {
    is_truncated(&check("memory", &["--max-memory", "8M"]), "--max-memory 8388608 reached");
}

#[test]
fn memory_runs_out_for_a_system_too() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstile"));
    let output =
        command.args(["check", "claim/network-faults-twice", "--max-memory", "8M"]).output();
    let output = output.expect("the binary is built");
    leaves_open(&output, "--max-memory 8388608 reached", "at most one open claim per client");
}

#[test]
fn states_run_out() {
    is_truncated(&check("states", &["--max-states", "5000"]), "--max-states 5000 reached");
}

/// How many states the first result of a check has, and whether it is complete.
fn counted(words: &[&str]) -> (u64, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstile"));
    let output = command.args(["check", "--json"]).args(words).output();
    let output = output.expect("the binary is built").stdout;
    let report: serde_json::Value = serde_json::from_slice(&output).expect("it is JSON");
    let result = &report["results"][0];
    let states = result["states"].as_u64().expect("a number");
    (states, result["complete"].as_bool().expect("it is so or not"))
}

#[test]
fn a_search_ends_with_exactly_as_many_states_as_it_may_have() {
    let engines = [
        ["--threads=1", "--engine=interned"],
        ["--threads=2", "--engine=interned"],
        ["--threads=1", "--engine=stateright"],
        ["--threads=2", "--engine=stateright"],
    ];
    for [threads, engine] in engines {
        let bounded = |most: u64| {
            let most = format!("--max-states={most}");
            counted(&["view-handler/small", threads, engine, "--reduce=none", &most])
        };
        let (all, is_complete) = bounded(u64::MAX);
        assert!(is_complete);
        assert_eq!(bounded(all), (all, true), "{threads} {engine}");
        assert_eq!(bounded(all - 1), (all - 1, false), "{threads} {engine}");
        assert_eq!(bounded(1), (1, false), "{threads} {engine}");
    }
    let table = file("exactly");
    let bounded = |most| counted(&[table.to_str().expect("a path in UTF-8"), most]);
    assert_eq!(bounded("--max-states=1234"), (1234, false));
    fs::remove_file(&table).expect("it was written");
}

/// Whether a process has a handler for signal 2, by `/proc`.
#[cfg(target_os = "linux")]
fn catches_interrupts(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> 1 & 1 == 1)
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_with_the_verdicts_so_far() {
    let path = file("interrupt");
    let output = interrupted(path.to_str().expect("a path in UTF-8"));
    fs::remove_file(&path).expect("it was written");
    is_truncated(&output, "interrupted");
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_the_search_of_a_system_too() {
    let output = interrupted("claim/network-faults-twice");
    leaves_open(&output, "interrupted", "at most one open claim per client");
    // Liveness needs the complete graph.
    leaves_open(&output, "interrupted", "claim() eventually returns");
}

/// An interrupt also ends the searches that have not started.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_prevents_further_searches() {
    let output = interrupted("claim");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{printed}");
    assert!(printed.contains("more searches not started"), "{printed}");
    assert!(printed.contains("\nincomplete: "), "{printed}");
}

/// The output of a check that is interrupted.
#[cfg(target_os = "linux")]
fn interrupted(name: &str) -> Output {
    use std::time::{Duration, Instant};

    let child = Command::new(env!("CARGO_BIN_EXE_turnstile"))
        .args(["check", name])
        // Should the interrupt get lost, the test fails by what is printed, not by hanging.
        .args(["--timeout", "60"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is built");
    let begun = Instant::now();
    while !catches_interrupts(child.id()) {
        assert!(begun.elapsed() < Duration::from_secs(30), "no handler was set");
        std::thread::yield_now();
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    child.wait_with_output().expect("it ends by itself")
}
