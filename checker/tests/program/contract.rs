//! The JSON contract, checked field by field on real output: no field is missing, and none is
//! unspecified.

#![expect(dead_code, reason = "that a field is there and of its type is what is tested")]

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::command::{text, turnstile};

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables")
}

/// The output of a verb with `--json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Printed<R> {
    version: u32,
    results: Vec<R>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Checked {
    name: String,
    kind: Kind,
    world: Option<String>,
    as_written: bool,
    complete: bool,
    /// Why not, if not.
    cut: Option<String>,
    engine: String,
    threads: u32,
    reductions: Vec<String>,
    states: u64,
    transitions: u64,
    depth: u64,
    seconds: f64,
    peak_memory_bytes: u64,
    faults: Vec<Fault>,
    properties: Vec<Property>,
    coverage: Coverage,
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Table,
    System,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    code: String,
    severity: Severity,
    message: String,
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    help: Option<String>,
    row: Option<String>,
    cells: serde_json::Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Error,
    Finding,
    Warning,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Property {
    name: String,
    kind: PropertyKind,
    verdict: Verdict,
    assumptions: Vec<String>,
    faults_exercised: Vec<String>,
    loop_from: Option<usize>,
    counterexample: Vec<TraceEntry>,
    /// The violation at the end of the counterexample.
    finding: Option<String>,
    /// Violations of other properties in the same state.
    besides: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum PropertyKind {
    Always,
    Sometimes,
    #[serde(rename = "can reach")]
    CanReach,
    Eventually,
    #[serde(rename = "leads to")]
    LeadsTo,
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Holds,
    Fails,
    #[serde(rename = "fails only unfairly")]
    FailsOnlyUnfairly,
    Vacuous,
    Incomplete,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceEntry {
    node: String,
    event: String,
    row: String,
    /// The sender, if the event is a message.
    from: Option<String>,
    effects: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Coverage {
    rows: u32,
    rows_taken: u32,
    not_taken: Vec<String>,
    excused: Vec<String>,
    impossible: u32,
    impossible_reached: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutated {
    name: String,
    mutants: usize,
    killed_by: KilledBy,
    survivors: Vec<Survivor>,
    /// Those whose searches were truncated.
    incomplete: Vec<Survivor>,
    /// The checks that fail without any change.
    fails: Vec<String>,
    /// The diagnostics of the file.
    faults: Vec<Fault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KilledBy {
    lint: usize,
    table: usize,
    system: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivor {
    row: String,
    change: String,
    explained: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Amended {
    name: String,
    amendments: Vec<Amendment>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Amendment {
    id: String,
    shown_by: Vec<String>,
    needed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    version: u32,
    tables: Vec<Table>,
    systems: Vec<System>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: String,
    document: String,
    states: usize,
    rows: usize,
    amendments: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct System {
    name: String,
    tables: Vec<String>,
    worlds: Vec<String>,
}

/// The output of a command, which must follow the contract, and its status.
#[track_caller]
fn printed<T: DeserializeOwned>(words: &str) -> (T, Option<i32>) {
    let words: Vec<&str> = words.split(' ').collect();
    let output = turnstile(&tables(), &words);
    let printed = text(&output.stdout);
    let read = serde_json::from_str(&printed);
    (read.unwrap_or_else(|error| panic!("{words:?}: {error}\n{printed}")), output.status.code())
}

#[track_caller]
fn results<R: DeserializeOwned>(words: &str) -> (Vec<R>, Option<i32>) {
    let (printed, status) = printed::<Printed<R>>(words);
    assert_eq!(printed.version, 1);
    (printed.results, status)
}

#[test]
fn check_prints_the_contract() {
    for (words, code) in [
        ("check gate.yaml trap.yaml --json", 1),
        ("check fetch-leaky.yaml ring.yaml --as-written --json", 1),
        ("check fetch-leaky.yaml --json", 1),
        ("check trap.yaml --max-states 1 --json", 3),
        ("check claim/small view-handler --max-states 300 --json", 3),
        ("check absent.yaml gate.yaml --json", 2),
    ] {
        let (checked, status) = results::<Checked>(words);
        assert_eq!(status, Some(code), "{words}");
        for result in checked {
            let is_searched = !result.properties.is_empty();
            assert_eq!(result.cut.is_none(), result.complete || !is_searched, "{words}");
            assert!(result.kind == Kind::System || result.world.is_none());
        }
    }
}

/// A trace in JSON has as much as the one on the terminal: node, event, row and effects.
#[test]
fn a_trace_has_effects_and_causes() {
    let words = "check claim/small --as-written --max-states 5000 --threads 1 --json";
    let (checked, _) = results::<Checked>(words);
    let properties = checked.iter().flat_map(|result| &result.properties);
    let failing = properties.filter(|property| property.verdict == Verdict::Fails);
    let shown: Vec<&Property> =
        failing.filter(|property| !property.counterexample.is_empty()).collect();
    assert!(!shown.is_empty(), "the claim document has faults as written");
    assert!(shown.iter().any(|property| property.finding.is_some()));
    let steps: Vec<&TraceEntry> =
        shown.iter().flat_map(|property| &property.counterexample).collect();
    assert!(steps.iter().any(|step| step.from.as_deref() == Some("server")));
    let has = |words: &str| {
        let mut effects = steps.iter().flat_map(|step| &step.effects);
        effects.any(|effect| effect.starts_with(words))
    };
    assert!(has("sends ") && has("arms ") && has("tells "), "what a step does is said");
}

#[test]
fn lint_prints_the_contract() {
    let (linted, status) = results::<Checked>("lint gate.yaml fetch-leaky.yaml --json");
    assert_eq!(status, Some(1));
    let names: Vec<&str> = linted.iter().map(|result| result.name.as_str()).collect();
    assert_eq!(names, ["gate", "fetch-leaky"]);
    assert!(linted[0].faults.is_empty() && !linted[1].faults.is_empty());
}

#[test]
fn mutate_prints_the_contract_and_truncated_searches() {
    let (all, status) = results::<Mutated>("mutate gate.yaml --json");
    assert_eq!(status, Some(1), "a survivor that nobody explains");
    assert!(all[0].survivors.iter().any(|survivor| survivor.explained.is_none()));
    let (all, status) = results::<Mutated>("mutate fetch.yaml --max-states 1 --json");
    assert_eq!(status, Some(3));
    let Mutated { mutants, killed_by, survivors, incomplete, .. } = &all[0];
    // What the table level kills, lint refuses, too.
    assert_eq!(killed_by.lint + survivors.len() + incomplete.len(), *mutants);
    assert!(!incomplete.is_empty());
    let (all, status) = results::<Mutated>("mutate fetch-leaky.yaml --json");
    assert_eq!(status, Some(1));
    assert!(!all[0].faults.is_empty(), "what is wrong with the file is in the JSON, too");
    let (all, status) = results::<Mutated>("mutate trap.yaml --json");
    assert_eq!(status, Some(1));
    assert!(!all[0].fails.is_empty(), "what fails without any change is in the JSON, too");
}

#[test]
fn amend_and_list_print_the_contract() {
    let (all, status) = results::<Amended>("amend amended.yaml --verify --json");
    assert!(matches!(status, Some(0 | 1)), "{status:?}");
    assert!(!all[0].amendments.is_empty());
    let (listed, status) = printed::<Listed>("list --json");
    assert_eq!((listed.version, status), (1, Some(0)));
    assert!(!listed.tables.is_empty() && !listed.systems.is_empty());
}
