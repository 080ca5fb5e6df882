//! The table level: verdicts and shortest counterexamples against hand-written expectations, and
//! the searches of any world over the world of a table.

use std::path::Path;
use std::sync::Arc;

use turnstile_harness::options::Options;
use turnstile_harness::results::result::{PropertyReport, ResultReport};
use turnstile_harness::table;
use turnstile_search::bounds::{NoProgress, Reductions};
use turnstile_search::judgement::Verdict;
use turnstile_spec::Source;
use turnstile_spec::versions::WrittenTable;

fn literal(name: &str) -> WrittenTable {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name);
    let text = std::fs::read_to_string(path).expect("checked in");
    WrittenTable::read(Source::new(name, text)).expect("the table is readable")
}

fn check(literal: &WrittenTable) -> ResultReport {
    table::check(&literal.vocabulary, &literal.table, &Options::new(&NoProgress))
}

#[track_caller]
fn property<'r>(result: &'r ResultReport, name: &str) -> &'r PropertyReport {
    let found = result.properties.iter().find(|property| property.name == name);
    found.expect("every table has the five properties")
}

fn verdicts(result: &ResultReport) -> Vec<Verdict> {
    result.properties.iter().map(|property| property.verdict).collect()
}

/// The events of a counterexample, and the violation at its end.
fn run<'r>(result: &'r ResultReport, name: &str) -> (Vec<&'r str>, &'r str) {
    let property = property(result, name);
    let events = property.counterexample.iter().map(|step| step.event.as_str()).collect();
    (events, property.finding.as_deref().unwrap_or_default())
}

#[test]
fn a_table_that_adds_up_holds() {
    for (name, states, transitions) in [("gate.yaml", 2, 2), ("fetch.yaml", 5, 7)] {
        let result = check(&literal(name));
        assert_eq!(verdicts(&result), [Verdict::Holds; 5], "{name}");
        assert!(result.complete, "{name}");
        assert_eq!((result.states, result.transitions), (states, transitions), "{name}");
        assert_eq!(result.coverage.rows, result.coverage.rows_taken, "{name}");
    }
}

#[test]
fn a_violation_is_no_state() {
    let result = check(&literal("trap.yaml"));
    let over = result.properties.iter().filter(|one| one.verdict == Verdict::Fails).count();
    assert!(over > 0, "it fails");
    assert_eq!((result.states, result.depth), (6, 2));
}

#[test]
fn a_state_with_only_ignored_events_is_a_deadlock() {
    let result = check(&literal("stuck.yaml"));
    assert_eq!(
        run(&result, "no deadlock"),
        (vec!["go"], "deadlock: no event is enabled in `waiting`")
    );
}

#[test]
fn a_leaked_request_is_answered_in_a_state_without_it() {
    let result = check(&literal("fetch-leaky.yaml"));
    let leak = "in `given up`: leak: question is still outstanding";
    assert_eq!(run(&result, "resources match state"), (vec!["begin", "stop"], leak));
    let late = "answer (100) from the leaked question";
    let missing = "unhandled event: `answer` has no transition in `given up`";
    assert_eq!(run(&result, "no unhandled event"), (vec!["begin", "stop", late], missing));
    assert!(result.complete);
}

#[test]
fn impossible_cells_are_explored() {
    let result = check(&literal("ring.yaml"));
    let expected = (
        vec!["pull", "pull", "bell rings"],
        "quiet × bell rings is declared impossible and reachable",
    );
    assert_eq!(run(&result, "no impossible cell is reached"), expected);
    assert_eq!(result.coverage.impossible_reached, ["quiet × bell rings"]);
    let others = [
        "in `over`: leak: bell is still armed (after pull; pull; cut)",
        "in `over`: leak: bell is still armed 2 times (after pull; pull; pull; pull; cut)",
    ];
    assert_eq!(property(&result, "resources match state").others, others);
    assert_eq!(result.coverage.not_taken, ["r6", "r7"]);
    // Bells are armed without bound: the search is truncated, and other properties are incomplete.
    assert!(!result.complete);
    assert_eq!(property(&result, "every row is taken").verdict, Verdict::Incomplete);
}

#[test]
fn the_search_finds_what_lint_cannot() {
    let literal = literal("trap.yaml");
    assert!(literal.amended().is_ok(), "lint reports no error");
    let result = check(&literal);
    let (holds, fails) = (Verdict::Holds, Verdict::Fails);
    assert_eq!(verdicts(&result), [holds, holds, fails, fails, fails]);
    let stuck = (vec!["flip if not is lucky"], "no final state is reachable from `left`");
    assert_eq!(run(&result, "no deadlock"), stuck);
    let (events, finding) = run(&result, "no impossible cell is reached");
    assert_eq!(events, ["pull", "pull"]);
    let twice = "ringing × pull is declared impossible and reachable: a command may arrive";
    assert!(finding.starts_with(twice), "{finding}");
    assert_eq!(result.coverage.not_taken, ["r6", "r7"]);
}

#[test]
fn the_claim_table_as_written_fails() {
    let text = turnstile_bundled::table("claim").expect("bundled");
    let literal = WrittenTable::read(Source::new(text.file, text.text)).expect("readable");
    let result = check(&literal);
    let twice = "in `Registering`: timeout timer is armed 2 times, not once";
    assert_eq!(run(&result, "resources match state"), (vec!["start"], twice));
    assert_eq!(property(&result, "no deadlock").verdict, Verdict::Fails);
    let stuck = property(&result, "no deadlock");
    // Each further one has its trace in parentheses.
    let without_run = |finding: &String| finding.split(" (after").next().map(str::to_owned);
    let mut stuck: Vec<String> =
        stuck.finding.iter().chain(&stuck.others).filter_map(without_run).collect();
    stuck.sort();
    let undeclared = ["Aborted", "aborted", "released", "withdrawn"];
    let expected = undeclared.map(|state| format!("no final state is reachable from `{state}`"));
    assert_eq!(stuck, expected);
}

#[test]
fn both_engines_count_the_same_states_and_find_the_same() {
    let all = ["gate.yaml", "fetch.yaml", "fetch-leaky.yaml", "ring.yaml", "trap.yaml"];
    let mut tables: Vec<WrittenTable> = all.into_iter().map(literal).collect();
    for text in turnstile_bundled::TABLES {
        tables.push(WrittenTable::read(Source::new(text.file, text.text)).expect("readable"));
    }
    for literal in tables {
        let (vocabulary, table) = (&literal.vocabulary, &literal.table);
        let name = &vocabulary.machine;
        let world = Arc::new(table::world(vocabulary, table).expect("it runs"));
        let options = Options { reduce: Reductions::NONE, ..Options::new(&NoProgress) };
        let reference = turnstile_reference::check(&world, (name, "alone"), &options).result;
        let interned = turnstile_harness::check::check(&world, (name, "alone"), &options).result;
        let alone = check(&literal);
        assert_eq!(reference.states, interned.states, "{name}");
        assert_eq!(verdicts(&reference), verdicts(&interned), "{name}");
        // A trace that ended is a state of the world, and none of the machine.
        assert!(alone.states <= reference.states, "{name}");
        for found in &reference.properties {
            let here = property(&alone, found.name.as_str());
            let incomplete = here.verdict == Verdict::Incomplete && found.verdict == Verdict::Holds;
            assert!(here.verdict == found.verdict || incomplete, "{name}: {}", found.name);
            assert_eq!(here.counterexample.len(), found.counterexample.len(), "{name}");
        }
        if alone.properties.iter().all(|one| one.verdict == Verdict::Holds) {
            assert_eq!(alone.states, reference.states, "{name}");
        }
    }
}
