//! Every scenario is played, its run written as a trace, and the trace replayed.

use std::fmt::Debug;
use std::fs;
use std::path::Path;

use serde_json::Value;
use turnstile_byte_range_lock_core::manager::CacheManager;
use turnstile_byte_range_lock_core::server::FileServer;
use turnstile_checker::PROTOCOLS;
use turnstile_claim_core::client::Client;
use turnstile_claim_core::keychain::Keychain;
use turnstile_claim_core::record::Records;
use turnstile_claim_core::store::Store;
use turnstile_group_lock_core as group;
use turnstile_group_lock_core::stack::Stack;
use turnstile_replicated_lock_core as replicated;
use turnstile_scenario::trace::{SerdeCore, from_scenario, replay};
use turnstile_step::{EffectOf, InputOf};
use turnstile_view_handler_core::Handler;

use crate::files;

fn scenario(name: &str) -> String {
    let claims = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/claim/core/scenarios");
    fs::read_to_string(claims.join(name)).expect("it is there")
}

#[test]
fn every_scenario_is_a_trace_that_replays() {
    let mut late = 0;
    for file in files() {
        let text = fs::read_to_string(&file).expect("it is text");
        let name = file.display();
        let trace =
            from_scenario(&text, PROTOCOLS).unwrap_or_else(|error| panic!("{name}: {error}"));
        let replay = replay(trace.as_bytes(), PROTOCOLS);
        let replay = replay.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(replay.matches() && replay.truncated_line.is_none(), "{name}: {replay:#?}");
        let count = |what: &str| trace.lines().filter(|line| line.contains(what)).count();
        assert_eq!((replay.steps, replay.lines > 0), (count("\"input\":"), true), "{name}");
        late += replay.late_timers;
    }
    assert!(late > 0, "some timer fires late");
}

/// Reads a step's input and effects as the types of its core, and asks that what they are written
/// as reads as the same.
fn read<C: SerdeCore<Notice: serde::de::DeserializeOwned>>(step: &Value) {
    fn twice<T>(json: &Value)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + Debug,
    {
        let text = json.to_string();
        let once: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let again = serde_json::to_string(&once).expect("it was JSON");
        assert_eq!(serde_json::from_str::<T>(&again).expect("it is written"), once, "{text}");
    }
    twice::<InputOf<C>>(&step["input"]);
    for effect in step["effects"].as_array().expect("a list") {
        twice::<EffectOf<C>>(effect);
    }
}

/// How a step of a core is read.
type Read = fn(&Value);

/// What begins the `is` of a core's nodes, the longer one first, and how its steps are read.
const CORES: [(&str, Read); 10] = [
    ("claim client ", read::<Client>),
    ("claim server", read::<Records>),
    ("keychain", read::<Keychain>),
    ("fence", read::<Store>),
    ("member with locks of ", read::<Stack>),
    ("member with locks", read::<group::Member>),
    ("member of ", read::<Handler>),
    ("cache manager", read::<CacheManager>),
    ("server of files", read::<FileServer>),
    ("", read::<replicated::Member>),
];

#[test]
fn inputs_and_effects_of_every_core_read_as_they_are_written() {
    let mut steps = [0; CORES.len()];
    for file in files() {
        let text = fs::read_to_string(&file).expect("it is text");
        let trace = from_scenario(&text, PROTOCOLS).expect("it plays");
        let lines = trace.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let lines: Vec<Value> = lines.collect();
        for step in lines.iter().filter(|line| line["input"].is_object()) {
            let entry =
                lines.iter().find(|line| line["is"].is_string() && line["node"] == step["node"]);
            let is = entry.and_then(|entry| entry["is"].as_str()).expect("it has entered");
            let core = CORES.iter().position(|(begins, _)| is.starts_with(begins));
            let core = core.expect("the last one fits");
            CORES[core].1(step);
            steps[core] += 1;
        }
    }
    assert!(steps.iter().all(|steps| *steps > 0), "{steps:?}");
}

#[test]
fn a_changed_number_is_a_mismatch_at_its_line() {
    let text = scenario("a-repeated-post-is-the-same-claim.txt");
    let trace = from_scenario(&text, PROTOCOLS).expect("it plays");
    let (from, to) = (r#""claim":1,"token":1,"lease""#, r#""claim":1,"token":9,"lease""#);
    let line = 1 + trace.lines().position(|line| line.contains(from)).expect("a grant");
    let changed = trace.replacen(from, to, 1);
    let replay = replay(changed.as_bytes(), PROTOCOLS).expect("it is a trace");
    let [mismatch] = &replay.mismatches[..] else { panic!("one departure: {replay:#?}") };
    assert_eq!(mismatch.line, line);
    assert!(mismatch.expected.as_ref().is_some_and(|written| written.contains(to)));
    assert!(mismatch.actual.as_ref().is_some_and(|now| now.contains(from)));
    assert!(mismatch.input.contains(r#"{"message":{"from":"#), "{}", mismatch.input);
}

#[test]
fn a_trace_reads_as_a_person_would_write_it() {
    let text = scenario("a-restart-of-the-server-takes-no-lock-away.txt");
    let trace = from_scenario(&text, PROTOCOLS).expect("it plays");
    for words in [
        r#"{"restart":{"saved":{"claims":{"1":{"resource":1,"at":"active","token":1,"key":"#,
        r#"{"send":{"to":"claims","message":{"request":{"call":0,"ask":{"post":{"resource":1,"#,
        r#"{"row":{"machine":"claim-record","row":""#,
        r#"{"arm":{"ttl":1}}"#,
        r#"{"notify":{"became":{"claim":1,"status":"active","token":1}}}"#,
    ] {
        assert!(trace.contains(words), "{words} is not in {trace}");
    }
}

#[test]
fn an_unknown_node_kind_is_rejected_with_the_known_ones() {
    let trace = "{\"trace\":1}\n\n{\"node\":\"a\",\"is\":\"teapot\"}\n";
    let error = replay(trace.as_bytes(), PROTOCOLS).expect_err("no such node");
    assert_eq!((error.line, &*error.reason), (3, "unknown node kind"));
    assert!(error.help.contains("`claim server`"), "{error}");
}

#[test]
fn a_token_that_no_number_follows_ends_the_replay_and_not_the_program() {
    let last = u64::MAX;
    let trace = format!(
        "{{\"trace\":1}}\n{{\"node\":\"a\",\"is\":\"claim server\"}}\n{{\"node\":\"a\",\"input\":\
         {{\"restart\":{{\"saved\":{{\"claims\":{{}},\"last_claim\":{last},\"last_token\":1}}}}}},\
         \"rows\":[],\"effects\":[]}}\n{{\"node\":\"a\",\"input\":{{\"message\":{{\"from\":1,\
         \"message\":{{\"request\":{{\"call\":0,\"ask\":{{\"post\":{{\"resource\":1,\"key\":null,\
         \"wait\":false}}}}}}}}}}}},\"rows\":[],\"effects\":[]}}\n"
    );
    let error = replay(trace.as_bytes(), PROTOCOLS).expect_err("no claim can be numbered");
    assert_eq!((error.line, &*error.reason), (4, "the core panics at this input"));
}

#[test]
fn a_value_that_no_core_can_have_is_no_input() {
    let played = |is: &str, input: &str| {
        let trace = format!(
            "{{\"trace\":1}}\n{{\"node\":\"member 1\",\"is\":\"{is}\"}}\n\
             {{\"node\":\"member 1\",\"input\":{input},\"rows\":[],\"effects\":[]}}\n"
        );
        replay(trace.as_bytes(), PROTOCOLS).map_err(|error| (error.line, error.reason))
    };
    let view = |members: &str| {
        let view = format!(r#"{{"id":2,"members":[{members}],"subgroups":[]}}"#);
        played("member with locks", &format!(r#"{{"command":{{"view":{view}}}}}"#))
    };
    assert!(view("1,2").is_ok());
    let twice = view("1,2,1").expect_err("a member is in it once");
    assert_eq!(twice, (3, "the input has values that the core ignores".into()));
    let range = r#"{"command":{"file":1,"key":1,"wish":{"read":{"first":4,"last":3}}}}"#;
    let trace = format!(
        "{{\"trace\":1}}\n{{\"node\":\"host 1\",\"is\":\"cache manager\"}}\n\
         {{\"node\":\"host 1\",\"input\":{range},\"rows\":[],\"effects\":[]}}\n"
    );
    let error = replay(trace.as_bytes(), PROTOCOLS).expect_err("no range");
    assert!(error.reason.contains("a range has at least one byte"), "{error}");
    let kept = r#"{"resource":1,"at":"dreaming","token":null,"key":null}"#;
    let saved = format!(r#"{{"claims":{{"7":{kept}}},"last_claim":7,"last_token":3}}"#);
    let dreams = played("claim server", &format!(r#"{{"restart":{{"saved":{saved}}}}}"#));
    let (line, reason) = dreams.expect_err("no such state");
    assert_eq!(line, 3);
    assert!(reason.contains("the machine has no `dreaming`"), "{reason}");
}
