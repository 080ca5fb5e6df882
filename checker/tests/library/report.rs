//! The complete text of traces and results: the sequence diagram, the lines if it does not fit, the
//! loop of a lasso, verdicts of every kind.

use std::time::Duration;

use turnstile_cli::report::paint::Paint;
use turnstile_cli::report::text::Detail;
use turnstile_cli::report::{summary, text, trace};
use turnstile_harness::results::result::{
    BudgetReport, PropertyKind, PropertyReport, Report, ResultKind, ResultReport,
};
use turnstile_harness::results::status::Status;
use turnstile_search::judgement::Verdict;
use turnstile_world::trace::{EffectReport, StepReport};

/// The wall time of the command: not the sum over its searches.
const ELAPSED: Duration = Duration::from_millis(500);

fn step(node: &str, from: Option<&str>, event: &str, row: &str) -> StepReport {
    StepReport {
        node: node.to_owned(),
        event: event.to_owned(),
        row: row.to_owned(),
        rows: Vec::new(),
        from: from.map(str::to_owned),
        effects: Vec::new(),
        state: None,
    }
}

/// A client's lease lapses while its renewal is on the way, and another is let in.
fn two_holders() -> PropertyReport {
    let mut property = PropertyReport::new("no double grant", PropertyKind::Always, Verdict::Fails);
    let mut told = step("client 1", Some("server"), "200", "44");
    told.effects = vec![EffectReport::Does("tells user: acquired".to_owned())];
    property.counterexample = vec![
        step("client 1", None, "start", "36"),
        step("server", Some("client 1"), "POST", "P1"),
        step("client 1", Some("server"), "201", "52"),
        told,
        step("network", None, "lost: request PATCH (ttl=...), client 1 and server", ""),
        step("client 2", Some("server"), "202", "53"),
        step("server", None, "ttl lapses", "T1, T2"),
    ];
    property.finding = Some("client 1 and client 2 both act".to_owned());
    property
}

fn paint(width: usize) -> Paint {
    Paint { width, is_coloured: false }
}

#[track_caller]
fn looks(drawn: &str, expected: &str) {
    let (drawn, expected) = (drawn.trim_end(), expected.trim_start_matches('\n').trim_end());
    assert_eq!(drawn, expected, "drawn:\n{drawn}\nexpected:\n{expected}");
}

#[test]
fn a_trace_of_several_nodes_is_a_diagram() {
    looks(&trace::draw(&two_holders(), paint(100)), DIAGRAM);
}

#[test]
fn a_narrow_terminal_gets_lines() {
    looks(&trace::draw(&two_holders(), paint(50)), LINES);
}

#[test]
fn a_lasso_says_where_its_loop_begins() {
    let mut property =
        PropertyReport::new("claim() eventually returns", PropertyKind::LeadsTo, Verdict::Fails);
    property.counterexample =
        vec![step("client 1", None, "start", "36"), step("client 1", None, "retry", "78")];
    property.loop_from = Some(1);
    looks(&trace::draw(&property, paint(80)), LASSO);
}

/// A result with a property of every verdict.
fn mixed() -> ResultReport {
    let mut result = ResultReport::new(ResultKind::System, "claim", Some("loss"));
    let mut fair = PropertyReport::new("answered", PropertyKind::LeadsTo, Verdict::Holds);
    let delivery = |call| format!("strongly fair: server to client 1: call {call}: 204");
    fair.assumptions = vec![delivery(0), delivery(1), "weakly fair: client 1 resumes".to_owned()];
    fair.not_needed =
        ["client 2 retries", "loss ends", "the server wakes"].map(str::to_owned).into();
    let with = |name: &str, verdict| {
        let mut property = PropertyReport::new(name, PropertyKind::Always, verdict);
        "a sentence of the document".clone_into(&mut property.sentence);
        property
    };
    result.properties = vec![
        two_holders(),
        fair,
        with("no claim leaked", Verdict::Vacuous),
        with("told once", Verdict::Incomplete),
        with("can be answered", Verdict::HoldsUnderFairness),
    ];
    for property in &mut result.properties {
        property.faults_exercised = vec!["lost request".to_owned(), "duplicate".to_owned()];
    }
    "interned".clone_into(&mut result.engine);
    (result.threads, result.seconds, result.peak_memory_bytes) = (2, 12.345, 3 << 19);
    (result.states, result.transitions, result.depth) = (1_234_567, 7_654_321, 42);
    (result.coverage.rows, result.coverage.rows_taken) = (57, 56);
    result.coverage.not_taken = vec!["47".to_owned()];
    result.coverage.impossible = 3;
    result.reductions = vec!["dead".to_owned()];
    result.notes.cut = Some("--max-states 1000000 reached".to_owned());
    result.notes.remarks = vec!["dead: no property reads the network".to_owned()];
    result.notes.faults_never_injected = vec!["late answer".to_owned()];
    let budget =
        |name: &str, limit, is_of_calls| BudgetReport { name: name.to_owned(), limit, is_of_calls };
    result.notes.budgets = vec![
        budget("lost request", Some(2), false),
        budget("release", Some(1), true),
        budget("late answer", None, false),
    ];
    result.notes.settings = vec![("clients".to_owned(), "2".to_owned())];
    result.notes.other_version = vec!["as the document has it".to_owned()];
    result
}

#[test]
fn a_result_has_a_line_for_each_verdict() {
    let drawn = text::result(&mixed(), paint(80), Detail::Brief);
    let (drawn, _) = drawn.split_once("\n\n").expect("a run stands behind the verdicts");
    looks(drawn, RESULT);
    let summary = summary::summary(&[mixed()], ELAPSED, paint(80));
    let expected = "fails: 2 of 5 properties hold, 1 of them under fairness, 1 fail, 1 vacuous, \
                    1 incomplete; 1 search, 1,234,567 states, 0.50 s\n";
    looks(&summary, expected);
    // Below several results the properties that do not hold are listed again.
    let listed = summary::summary(&[mixed(), mixed()], ELAPSED, paint(80));
    assert!(listed.contains("\n  ✗ claim/loss: no double grant fails\n"), "{listed}");
}

#[test]
fn verbose_has_sentences_assumptions_and_figures() {
    let drawn = text::result(&mixed(), paint(80), Detail::Full);
    let (drawn, _) = drawn.split_once("\n\n").expect("a run stands behind the verdicts");
    looks(drawn, VERBOSE);
}

/// A truncated search is no evidence that a row is never taken.
#[test]
fn rows_not_taken_are_listed_for_exhaustive_searches_only() {
    let world = |name: &str, complete| {
        let mut result = ResultReport::new(ResultKind::System, "claim", Some(name));
        result.complete = complete;
        result.properties = vec![PropertyReport::new("p", PropertyKind::Always, Verdict::Holds)];
        result.coverage.not_taken = vec!["47".to_owned()];
        result
    };
    let told =
        |complete| summary::summary(&[world("a", true), world("b", complete)], ELAPSED, paint(80));
    assert!(told(true).starts_with("claim: 1 row taken in no world: 47\n"), "{}", told(true));
    assert!(told(false).starts_with("incomplete: "), "{}", told(false));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let coloured = text::result(&mixed(), Paint { width: 80, is_coloured: true }, Detail::Brief);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    assert!(coloured.contains('\u{1b}'));
    looks(&plain, &text::result(&mixed(), paint(80), Detail::Brief));
}

#[test]
fn two_goes_before_one_before_three() {
    let order = [Status::Usage, Status::Fails, Status::Incomplete, Status::Holds];
    assert_eq!(order.map(Status::code), [2, 1, 3, 0]);
    for (nth, first) in order.into_iter().enumerate() {
        for second in &order[nth..] {
            assert_eq!(first.and(*second), first);
            assert_eq!(second.and(first), first);
        }
    }
}

#[test]
fn each_verdict_has_its_status() {
    let of = |verdict, complete| {
        let mut result = ResultReport::new(ResultKind::Table, "gate", None);
        result.complete = complete;
        result.properties = vec![PropertyReport::new("p", PropertyKind::Always, verdict)];
        Status::of(&result).code()
    };
    assert_eq!(of(Verdict::Holds, true), 0);
    assert_eq!(of(Verdict::HoldsUnderFairness, true), 0);
    assert_eq!(of(Verdict::Holds, false), 3);
    assert_eq!(of(Verdict::Incomplete, false), 3);
    assert_eq!(of(Verdict::Vacuous, true), 1);
    assert_eq!(of(Verdict::Fails, true), 1);
    assert_eq!(of(Verdict::Fails, false), 1);
}

#[test]
fn json_is_the_contract() {
    let mut result = mixed();
    result.properties.truncate(1);
    result.properties[0].counterexample.truncate(1);
    let expected = serde_json::json!({
        "name": "claim", "kind": "system", "world": "loss", "as_written": false,
        "complete": false, "engine": "interned", "threads": 2, "reductions": ["dead"],
        "states": 1_234_567, "transitions": 7_654_321, "depth": 42, "seconds": 12.345,
        "peak_memory_bytes": 1_572_864, "faults": [],
        "cut": "--max-states 1000000 reached",
        "properties": [{
            "name": "no double grant", "kind": "always", "verdict": "fails", "assumptions": [],
            "faults_exercised": ["lost request", "duplicate"], "loop_from": null,
            "counterexample": [
                { "node": "client 1", "event": "start", "row": "36", "from": null, "effects": [] },
            ],
            "finding": "client 1 and client 2 both act", "besides": [],
        }],
        "coverage": {
            "rows": 57, "rows_taken": 56, "not_taken": ["47"], "excused": [], "impossible": 3,
            "impossible_reached": [],
        },
    });
    let report = serde_json::to_value(Report::new(vec![result])).expect("plain data");
    assert_eq!(report, serde_json::json!({ "version": 1, "results": [expected] }));
}

const DIAGRAM: &str = "
        client 1   server      client 2
    1       ● start   │            │                                row 36
    2       │─ POST ─▶│            │                                row P1
    3       │◀─ 201 ──│            │                                row 52
    4       │◀─ 200 ──│            │                                row 44
            │ tells user: acquired │
    5       │ ┄ lost: request PATCH (ttl=...), client 1 and server ┄
    6       │         │─── 202 ───▶│                                row 53
    7       │         ● ttl lapses │                                row T1, T2
      ✗ no double grant: client 1 and client 2 both act
";

const LINES: &str = "
    1   client 1  start                 row 36
    2   server    POST from client 1    row P1
    3   client 1  201 from server       row 52
    4   client 1  200 from server       row 44
          (tells user: acquired)
    5   network   lost: request PATCH (ttl=...), client 1 and server
    6   client 2  202 from server       row 53
    7   server    ttl lapses            row T1, T2
      ✗ no double grant: client 1 and client 2
        both act
";

const LASSO: &str = "
    1   start  row 36
        — the steps below repeat for ever —
    2   retry  row 78
";

const RESULT: &str = "
claim/loss  1,234,567 states, 7,654,321 transitions, depth 42, 12.35 s
  settings     clients 2
  budgets      calls: release 1; faults: lost request 2, late answer any
  ✗ no double grant  fails, counterexample of 7 steps
  ✓ answered         holds
      assuming fair delivery of 1 kind of message and fair resumption of paused
      nodes
  ○ no claim leaked  vacuous, the antecedent is never reached
  ? told once        incomplete
  ✓ can be answered  holds under fairness
  truncated    --max-states 1000000 reached
  not spent    late answer
";

const VERBOSE: &str = "
claim/loss  1,234,567 states, 7,654,321 transitions, depth 42, 12.35 s
  settings     clients 2
  budgets      calls: release 1; faults: lost request 2, late answer any
  ✗ no double grant  fails, counterexample of 7 steps
  ✓ answered         holds
      assuming:
        strongly fair: server to client 1: call 0: 204
        strongly fair: server to client 1: call 1: 204
        weakly fair: client 1 resumes
      not needed: 3 other fairness assumptions
  ○ no claim leaked  vacuous, the antecedent is never reached
    a sentence of the document
  ? told once        incomplete
    a sentence of the document
  ✓ can be answered  holds under fairness
    a sentence of the document
  truncated    --max-states 1000000 reached
  not spent    late answer
  not checked  properties of the tables as written only: as the document has it
  coverage     56 of 57 rows taken
               not taken: 47
               0 of 3 cells declared impossible reached
  engine       interned, truncated, 2 threads, peak memory 1.5 MiB
  reductions   dead
  note         dead: no property reads the network
";
