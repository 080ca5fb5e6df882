//! `replay --together`: the traces of all nodes of one run.

use std::fs;

use crate::command::{Scratch, ends_with, text, turnstile};

/// What a member sends that joins.
const JOIN: &str =
    r#"{"views":{"request":{"join":{"member":2,"with_state":false,"last_view":0}}}}"#;

/// A trace of one step.
fn trace(node: &str, is: &str, input: &str, rows: &str, effect: &str) -> String {
    format!(
        "{{\"trace\":1}}\n{{\"node\":\"{node}\",\"is\":\"member with locks of {is}\"}}\n\
         {{\"node\":\"{node}\",\"input\":{input},\"rows\":[{rows}],\"effects\":[{effect}]}}\n"
    )
}

/// The trace of a member that joins.
fn joiner() -> String {
    let input = r#"{"command":{"views":{"join":{"via":1,"with_state":false}}}}"#;
    let sent = format!(r#"{{"send":{{"to":1,"message":{JOIN}}}}}"#);
    trace("member 2", "no group", input, "", &sent)
}

/// That of the one by which it joins.
fn coord() -> String {
    let input = format!(r#"{{"message":{{"from":2,"message":{JOIN}}}}}"#);
    let row = r#"{"row":{"machine":"view-handler","row":"34"}}"#;
    trace("member 1", "view 1 of 1", &input, row, r#"{"arm":{"views":"queue"}}"#)
}

#[test]
fn the_verdict_names_the_message_that_cannot_have_been_received() {
    let scratch = Scratch::new("together");
    fs::write(scratch.join("1.trace"), coord()).expect("writable");
    fs::write(scratch.join("2.trace"), joiner()).expect("writable");
    let all = ["replay", "--together", "1.trace", "2.trace"];
    let replayed = turnstile(&scratch, &all);
    ends_with(&replayed, 0, "");
    let found = text(&replayed.stdout);
    assert!(found.contains("together: one run (2 nodes, 1 message received, 0 lost"), "{found}");
    // Without the JOIN.
    let silent = joiner().lines().take(2).collect::<Vec<_>>().join("\n");
    fs::write(scratch.join("2.trace"), silent).expect("writable");
    let replayed = turnstile(&scratch, &all);
    ends_with(&replayed, 1, "");
    let found = text(&replayed.stdout);
    assert!(found.contains("1.trace:3: member 1 receives from member 2: {"), "{found}");
    assert!(found.contains("has not sent it") && found.contains("not one run"), "{found}");
    ends_with(&turnstile(&scratch, &["replay", "1.trace", "2.trace"]), 0, "");
    let replayed = turnstile(&scratch, &["replay", "--together", "1.trace"]);
    ends_with(&replayed, 1, "");
    assert!(text(&replayed.stdout).contains("none of the traces is that of its sender"));
}

#[test]
fn only_traces_that_can_be_replayed_are_judged() {
    let scratch = Scratch::new("together-wrong");
    fs::write(scratch.join("1.trace"), coord()).expect("writable");
    fs::write(scratch.join("2.trace"), joiner().replace("\"join\"", "\"leap\"")).expect("writable");
    let replayed = turnstile(&scratch, &["replay", "--together", "1.trace", "2.trace"]);
    ends_with(&replayed, 2, "2.trace:3: ");
    assert!(!text(&replayed.stdout).contains("together"));
    fs::write(scratch.join("2.trace"), joiner().replace("last_view\":0", "last_view\":7"))
        .expect("writable");
    let replayed = turnstile(&scratch, &["replay", "--together", "1.trace", "2.trace"]);
    ends_with(&replayed, 1, "");
    let found = text(&replayed.stdout);
    assert!(found.contains("2.trace:3: ") && !found.contains("together"), "{found}");
    fs::write(scratch.join("log"), "started\n").expect("writable");
    let replayed = turnstile(&scratch, &["replay", "--together", "1.trace", "log"]);
    ends_with(&replayed, 2, "log is no trace");
    let twice = turnstile(&scratch, &["replay", "--together", "1.trace", "1.trace"]);
    ends_with(&twice, 2, "another one of the traces has a node of this name");
}
