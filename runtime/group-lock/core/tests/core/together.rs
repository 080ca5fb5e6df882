//! The traces of the members of one run, each in a file of its own, are replayed together.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use turnstile_group_lock_core::stack::scenario::PROTOCOL;
use turnstile_scenario::trace::{HEAD, Impossible, Reason, Run, Together};
use turnstile_scenario::trace::{from_scenario, replay_together};

const JOIN: &str = "a-member-that-joins-and-leaves-takes-its-locks-with-it.txt";
const MERGE: &str = "two-groups-merge-and-one-holder-is-left.txt";

fn scenario(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name);
    fs::read_to_string(path).expect("it is there")
}

/// The trace of each node of a scenario, in the order of their names.
fn traces(scenario: &str) -> Vec<String> {
    let trace = from_scenario(scenario, &[PROTOCOL]).expect("it plays");
    let mut nodes: BTreeMap<String, String> = BTreeMap::new();
    for line in trace.lines().skip(1) {
        let fields: Value = serde_json::from_str(line).expect("JSON");
        let node = fields["node"].as_str().expect("each line names one");
        let text = nodes.entry(node.to_owned()).or_insert_with(|| HEAD.to_owned());
        *text += &format!("{line}\n");
    }
    nodes.into_values().collect()
}

fn together(traces: &[String]) -> Together {
    replay_together(traces.iter().map(String::as_bytes), &[PROTOCOL])
}

/// What is wrong, where all traces are right alone.
fn impossible(traces: &[String]) -> Impossible {
    let Together { replays, run } = together(traces);
    let run = run.unwrap_or_else(|| panic!("{replays:#?}"));
    run.impossible.expect("they are no run")
}

/// The lines of a trace in which a message is received, counted from 0.
fn receiving(trace: &str) -> Vec<usize> {
    let lines = trace.lines().enumerate();
    lines.filter(|(_, line)| line.contains(r#""input":{"message""#)).map(|(at, _)| at).collect()
}

/// The first lines of a trace.
fn beginning(trace: &str, lines: usize) -> String {
    trace.lines().take(lines).map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn the_traces_of_all_members_are_one_run_in_any_order() {
    for name in [JOIN, MERGE] {
        let mut all = traces(&scenario(name));
        assert!(all.len() > 1, "{name}");
        for _ in 0..all.len() {
            all.rotate_left(1);
            let Together { replays, run } = together(&all);
            let Some(Run { received, impossible: None, .. }) = run else {
                panic!("{name}: {run:?} {replays:#?}")
            };
            let recorded: usize = all.iter().map(|trace| receiving(trace).len()).sum();
            assert_eq!(received, recorded, "{name}");
        }
    }
}

#[test]
fn what_nobody_has_received_is_lost_or_in_transit() {
    let mut all = traces(&scenario(JOIN));
    let whole = together(&all).run.expect("they are one run");
    let first = receiving(&all[1])[0];
    all[1] = beginning(&all[1], first);
    // The other one has received what it has sent later.
    assert_eq!(impossible(&all).reason, Reason::NotSent);
    let mut cut_off = all.clone();
    cut_off[1] += r#"{"node":"mem"#;
    assert_eq!(impossible(&cut_off).reason, Reason::CutOff);
    // A process that is killed while it writes a line has sent nothing of it.
    let last = *receiving(&all[0]).last().expect("it hears the other one");
    let first = receiving(&all[0])[0];
    assert!(first < last);
    all[0] = beginning(&all[0], first + 2).trim_end().to_owned();
    let Together { run, .. } = together(&all);
    let run = run.expect("each is right alone");
    assert_eq!(run, Run { received: 1, lost: 1, impossible: None });
    assert!(whole.received > 1);
}

#[test]
fn a_member_whose_trace_is_missing_is_named() {
    let mut all = traces(&scenario(MERGE));
    all.remove(0);
    let Impossible { trace, line, from, reason, .. } = impossible(&all);
    assert_eq!((trace, from.as_str(), reason), (0, "member 1", Reason::UnknownSender));
    assert_eq!(line, 1 + receiving(&all[0])[0]);
}

#[test]
fn a_message_is_received_once() {
    let hears = "member 1 hears member 2: JOIN of member 2\n";
    let twice = scenario(JOIN).replace(hears, &format!("{hears}\n{hears}"));
    let all = traces(&twice);
    let Impossible { trace, line, node, from, message, reason } = impossible(&all);
    assert_eq!((trace, &*node, &*from, reason), (0, "member 1", "member 2", Reason::NotSent));
    assert_eq!(line, 1 + receiving(&all[0])[1]);
    assert!(message.contains("join"), "{message}");
}

#[test]
fn messages_of_members_are_received_in_order() {
    let asked = |first: &str, second: &str| {
        format!(
            "Order\n\nA member asks twice.\n\nmember 1 is a member with locks of view 1 of 1\n\
             member 2 is a member with locks of no group\n\n\
             member 2 is told to join via member 1\n\n\
             member 2 is told to join with the state via member 1\n\n\
             member 1 hears member 2: {first} of member 2\n\n\
             member 1 hears member 2: {second} of member 2\n"
        )
    };
    let in_order = traces(&asked("JOIN", "JOIN_WITH_STATE"));
    let run = together(&in_order).run.expect("each is right alone");
    assert_eq!(run, Run { received: 2, lost: 0, impossible: None });
    let swapped = traces(&asked("JOIN_WITH_STATE", "JOIN"));
    assert_eq!(impossible(&swapped).reason, Reason::NotSent);
}

#[test]
fn a_message_is_received_after_it_was_sent() {
    let ends = "member 2 hears member 1: view 2 of 1, 2\n";
    let text = scenario(JOIN);
    let (before, _) = text.split_once(ends).expect("it hears it");
    // The second member starts again, hears the view, and asks for it then.
    let text = format!(
        "{before}member 2 is a member with locks of no group\n\n{ends}\nmember 2 is told to join \
         via member 1\n"
    );
    let mut all = traces(&text);
    let run = together(&all).run.expect("each is right alone");
    assert_eq!(run.impossible, None, "what is sent to a process may reach the next one");
    let declared = all[1].rfind(r#"{"node":"member 2","is""#).expect("it is declared twice");
    all[1] = format!("{HEAD}{}", &all[1][declared..]);
    assert_eq!(impossible(&all).reason, Reason::SentLater);
}

#[test]
fn what_is_wrong_alone_is_not_judged_together() {
    let mut all = traces(&scenario(JOIN));
    all[1] = all[1].replacen("join", "leave", 1);
    let Together { replays, run } = together(&all);
    assert!(run.is_none() && replays[0].is_ok() && replays[1].is_err(), "{replays:#?}");
    let all = traces(&scenario(JOIN));
    let Together { replays, run } = together(&[all[0].clone(), all[0].clone()]);
    let error = replays[1].as_ref().expect_err("the same trace twice");
    assert!(run.is_none() && error.reason.contains("a node of this name"), "{error}");
}
