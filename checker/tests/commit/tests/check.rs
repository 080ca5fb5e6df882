//! A program with a system of its own has the whole command line, and is small.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The most files of a system of two tables with cores in Rust.
const FILES_MAX: usize = 14;
/// The most lines of them.
const LINES_MAX: usize = 1_900;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run(arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_turnstile-commit"));
    // Away from the checkout, whose own systems would be found.
    program.current_dir(std::env::temp_dir()).args(arguments);
    program.output().expect("the program runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_slice(&run(arguments).stdout).expect("one JSON object")
}

#[test]
fn a_system_of_two_tables_is_small() {
    let mut folders = vec![root().to_owned()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of this crate") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let lines = |file: &PathBuf| fs::read_to_string(file).expect("text").lines().count();
    let lines: usize = files.iter().map(lines).sum();
    assert!(files.len() <= FILES_MAX, "{} files", files.len());
    assert!(lines <= LINES_MAX, "{lines} lines");
}

#[test]
fn it_holds_and_every_row_is_taken() {
    let output = run(&["check"]);
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("✓ every row taken  holds"), "{text}");
    let listed = json(&["list", "--json"]);
    assert_eq!(listed["systems"][0]["tables"], serde_json::json!(["coordinator", "participant"]));
}

/// As written, a participant votes before it writes; the checker finds the failure.
#[test]
fn the_document_as_written_fails() {
    let output = run(&["check", "commit/restart", "--as-written"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("unhandled event `decision` in state `working`"), "{text}");
    let verified = json(&["amend", "--verify", "--json"]);
    let amendment = &verified["results"][0]["amendments"][0];
    assert_eq!(amendment["needed"], true, "{verified}");
    assert_eq!(amendment["shown_by"], serde_json::json!(["commit/no unhandled event"]));
}

/// The last action of a row is one that a property of the system needs.
#[test]
fn mutants_of_its_tables_are_judged() {
    let judged = json(&["mutate", "participant", "--only", "`write it down`", "--json"]);
    let table = &judged["results"][0];
    assert_eq!(table["name"], "participant", "{judged}");
    assert!(table["killed_by"]["system"].as_u64() >= Some(1), "{judged}");
}

#[test]
fn a_counterexample_is_replayed() {
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("counterexamples.jsonl");
    let trace = trace.to_str().expect("it is text");
    let output = run(&["check", "commit/restart", "--as-written", "--trace", trace]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let replayed = run(&["replay", trace]);
    assert!(replayed.status.success(), "{}", text(&replayed));
    assert!(text(&replayed).contains("commit/restart: no unhandled event: fails as recorded"));
}

#[test]
fn its_states_can_be_walked_through() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_turnstile-commit"));
    let words = ["explore", "commit", "--listen", "127.0.0.1:0"];
    let program = program.args(words).stdout(Stdio::piped()).spawn();
    let mut program = program.expect("the program runs");
    let mut line = String::new();
    let stdout = program.stdout.take().expect("it is piped");
    let read = BufReader::new(stdout).read_line(&mut line);
    program.kill().and_then(|()| program.wait()).expect("it is ours");
    read.expect("it is text");
    let port = line.split("http://127.0.0.1:").nth(1).and_then(|rest| rest.split(' ').next());
    assert!(port.is_some_and(|port| port.parse::<u16>().is_ok_and(|port| port != 0)), "{line}");
}

/// A file that was edited runs in place of the compiled table.
#[test]
fn an_edited_table_runs_through_the_compiled_cores() {
    let text = fs::read_to_string(root().join("spec/coordinator.yaml")).expect("it is text");
    let waits = "to: same,       event: vote (yes), if: { not: all have voted yes }";
    let hastens = "to: committed,  event: vote (yes), if: { not: all have voted yes }, \
                   do: [delete vote timer, write it down, tell participants]";
    let hasty = text.replace(waits, hastens);
    assert_ne!(hasty, text);
    let file = std::env::temp_dir().join(format!("coordinator-{}.yaml", std::process::id()));
    fs::write(&file, hasty).expect("a file of our own");
    let checked = json(&["check", &file.display().to_string(), "--json"]);
    fs::remove_file(&file).expect("it is ours");
    let results = checked["results"].as_array().expect("a list");
    let fails = |name: &str| {
        let mut properties =
            results.iter().flat_map(|result| result["properties"].as_array().expect("a list"));
        properties.any(|one| one["name"] == name && one["verdict"] == "fails")
    };
    assert!(fails("commit only if all are prepared"), "{checked:#}");
}

#[test]
fn both_engines_agree() {
    let states = |engine| {
        let checked =
            json(&["check", "commit/small", "--json", "--engine", engine, "--reduce", "none"]);
        checked["results"][0]["states"].as_u64().expect("a number")
    };
    assert_eq!(states("interned"), states("stateright"));
}

#[test]
fn an_unknown_system_is_refused_with_the_known_names() {
    let output = run(&["check", "claim"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("names: commit, coordinator, participant"), "{said}");
}
