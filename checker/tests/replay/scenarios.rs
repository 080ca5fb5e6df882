//! Plays every scenario file and compares it with itself.
//!
//! `BLESS=1 cargo test -p turnstile-checker --test replay scenarios` regenerates the effects.

use std::{env, fs};

use turnstile_checker::PROTOCOLS;
use turnstile_scenario::LineError;

use crate::files;

fn play(text: &str) -> Result<String, LineError> {
    turnstile_scenario::play(text, PROTOCOLS)
}

#[test]
fn every_scenario_plays_as_written() {
    let is_rewritten = env::var_os("BLESS").is_some();
    for file in files() {
        let text = fs::read_to_string(&file).expect("it is text");
        let played = play(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
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
fn rejected(inputs: &str, line: usize, reason: &str) {
    let error = play(&format!("{OPENING}{inputs}")).expect_err("it cannot be played");
    assert_eq!((error.line, &*error.reason), (line, reason), "{error}");
}

#[test]
fn a_message_that_was_not_sent_is_rejected() {
    rejected(
        "server hears client 1: call 1: POST resource 1\n",
        10,
        "`client 1` has not sent this message to `server`",
    );
    rejected(
        "client 1 hears server: call 0: 201 claim 1\n",
        10,
        "`server` has not sent this message to `client 1`",
    );
    rejected(
        "client 1 hears server: call 1: no answer\n",
        10,
        "`server` has not sent this message to `client 1`",
    );
}

#[test]
fn a_timer_that_is_not_armed_cannot_fire() {
    rejected("client 1 fires renew timer\n", 10, "timer is not armed");
    let fired = "client 1 fires timeout timer\n";
    rejected(&[fired; 3].join("\n"), 14, "timer is not armed");
}

#[test]
fn an_undeclared_node_takes_no_input() {
    rejected("client 2 is told to act\n", 10, "undeclared node");
    let error = play("A claim\n\nA paragraph.\n\nserver is a teapot\n").expect_err("no such node");
    assert_eq!((error.line, &*error.reason), (5, "unknown node kind"));
}

#[test]
fn a_line_that_is_no_input_is_rejected() {
    rejected("client 1 dances\n", 10, "expected `is told`, `hears`, `fires` or `restarts`");
    rejected("client 1 is told to dance\n", 10, "unknown command");
    rejected(
        "client 1 is told to claim with key 05\n",
        10,
        "not the canonical form `to claim with key 5`",
    );
}

#[test]
fn a_scenario_opens_with_a_paragraph() {
    for text in ["", "A claim\n", "A claim\n\nserver is a claim server\n"] {
        assert_eq!(play(text).expect_err("no paragraph").line, 1, "{text:?}");
    }
}

#[test]
fn wrong_effects_are_corrected() {
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

#[test]
fn an_undeclared_sender_may_send_any_message() {
    let opening = "A cluster\n\nA paragraph.\n\neveryone else is a stranger\n\
                   member 1 is a leader at address 1\n\n";
    let heard = |words: &str| play(&format!("{opening}member 1 hears cluster: {words}\n"));
    let text = heard("at 3: LOCK lock 5 of address 1").expect("it plays");
    assert!(text.contains("  notifies "), "{text}");
    let unread = heard("at 03: LOCK lock 5 of address 1").expect_err("it is rejected");
    assert_eq!((unread.line, &*unread.reason), (8, "not a message"));
}

#[test]
fn an_error_has_a_help() {
    let error = play(&format!("{OPENING}client 1 fires renew timer\n")).expect_err("not armed");
    assert_eq!(error.help, "armed timers: timeout timer");
    let error = play(&format!("{OPENING}client 1 is told to dance\n")).expect_err("no command");
    assert!(error.help.contains("to claim with key N"), "{error}");
    let error =
        play(&format!("{OPENING}client 2 is told to act\n")).expect_err("it has not entered");
    assert!(error.help.starts_with("declared: client 1, server"), "{error}");
}

#[test]
fn a_host_is_told_of_its_clients_in_one_way() {
    let opening = "Ranges\n\nA paragraph.\n\nhost 1 is a cache manager\n\n";
    let told =
        |words: &str| play(&format!("{opening}host 1 is told by {words}\n")).map_err(|f| f.reason);
    for wish in ["lock all shared", "lock 0,+4 exclusive", "release lock 1", "write 7,+1"] {
        assert!(told(&format!("client 1 of file 1 to {wish}")).is_ok(), "{wish}");
    }
    for wish in ["lock 0,+0 shared", "lock 0,+4", "lock 0,+4 both", "read 18446744073709551615,+2"]
    {
        let reason = told(&format!("client 1 of file 1 to {wish}")).expect_err("not a wish");
        assert_eq!(reason, "unknown command", "{wish}");
    }
}
