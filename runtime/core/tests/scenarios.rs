//! Plays every scenario file and compares it with itself.
//!
//! `TURNSTILE_REWRITE=1 cargo test -p turnstile-core --test scenarios` writes the effects anew.

use std::path::{Path, PathBuf};
use std::{env, fs};

use turnstile_core::scenario::play;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let entries = fs::read_dir(folder).expect("the folder is part of the crate");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("read").path()).collect();
    files.sort();
    files
}

#[test]
fn every_scenario_plays_as_it_is_written() {
    let files = files();
    assert!(files.len() >= 10, "{files:?}");
    let is_rewritten = env::var_os("TURNSTILE_REWRITE").is_some();
    for file in files {
        let text = fs::read_to_string(&file).expect("it is text");
        let played = play(&text).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        if is_rewritten {
            fs::write(&file, &played).expect("written");
            continue;
        }
        let differs = (1..).zip(text.lines().zip(played.lines())).find(|(_, (a, b))| a != b);
        if let Some((line, (written, now))) = differs {
            panic!("{}:{line}\n  written: {written}\n  now:     {now}", file.display());
        }
        assert_eq!(text, played, "{}", file.display());
    }
}

const OPENING: &str = "A claim\n\nA paragraph.\n\nclient 1 is a claim client of resource 1\n\
                       server is a claim server\n\nclient 1 is told to claim with key 5\n\n";

#[track_caller]
fn refused(inputs: &str, line: usize, because: &str) {
    let fault = play(&format!("{OPENING}{inputs}")).expect_err("it cannot be played");
    assert_eq!((fault.line, &*fault.because), (line, because), "{fault}");
}

#[test]
fn a_message_that_nobody_sent_is_refused() {
    refused(
        "server hears client 1: call 1: POST resource 1\n",
        10,
        "client 1 never sent it to server",
    );
    refused("client 1 hears server: call 0: 201 claim 1\n", 10, "server never sent it to client 1");
    refused("client 1 hears server: call 1: no answer\n", 10, "server never sent it to client 1");
}

#[test]
fn a_timer_that_is_not_armed_cannot_fire() {
    refused("client 1 fires renew timer\n", 10, "no such timer is armed");
    let twice = "client 1 fires timeout timer\n\nclient 1 fires timeout timer\n";
    refused(twice, 12, "no such timer is armed");
}

#[test]
fn a_node_that_is_not_on_stage_does_nothing() {
    refused("client 2 is told to act\n", 10, "no such node is on stage");
    let fault = play("A claim\n\nA paragraph.\n\nserver is a teapot\n").expect_err("no such node");
    assert_eq!((fault.line, &*fault.because), (5, "no such node is known here"));
}

#[test]
fn a_line_that_is_no_input_is_refused() {
    refused("client 1 dances\n", 10, "neither `is told`, `hears`, `fires` nor `restarts`");
    refused("client 1 is told to dance\n", 10, "no such command is known here");
    refused(
        "client 1 is told to claim with key 05\n",
        10,
        "this command is written `to claim with key 5`",
    );
}

#[test]
fn a_scenario_opens_with_a_paragraph() {
    for text in ["", "A claim\n", "A claim\n\nserver is a claim server\n"] {
        assert_eq!(play(text).expect_err("no paragraph").line, 1, "{text:?}");
    }
}

#[test]
fn effects_that_are_written_wrong_come_back_right() {
    let right = play(OPENING).expect("it plays");
    let wrong = right.replace("  arms timeout timer\n", "  arms no timer at all\n");
    assert_ne!(right, wrong);
    assert_eq!(play(&wrong), Ok(right));
}

#[test]
fn the_network_may_lose_and_repeat_what_was_sent() {
    let inputs = "server hears client 1: call 0: POST resource 1 key 5\n\n\
                  server hears client 1: call 0: POST resource 1 key 5\n\n\
                  client 1 hears server: call 0: no answer\n";
    let text = play(&format!("{OPENING}{inputs}")).expect("it plays");
    assert!(text.contains("sends client 1: call 0: 201 claim 1 token 1"), "{text}");
    assert!(text.contains("arms retry register timer"), "{text}");
}
