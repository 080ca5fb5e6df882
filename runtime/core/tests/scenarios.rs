//! Plays every scenario file and compares it with itself.
//!
//! `BLESS=1 cargo test -p turnstile-core --test scenarios` writes the effects anew.

use std::path::{Path, PathBuf};
use std::{env, fs};

use turnstile_core::scenario::LANGUAGES;
use turnstile_scenario::{Deliverable as _, Fault};

fn play(text: &str) -> Result<String, Fault> {
    turnstile_scenario::play(text, LANGUAGES)
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder of the crate, or in it");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("read").path()).collect();
        paths.sort();
        paths
    };
    list(&folder).iter().flat_map(|system| list(system)).collect()
}

#[test]
fn every_scenario_plays_as_it_is_written() {
    let files = files();
    assert!(files.len() >= 10, "{files:?}");
    let is_rewritten = env::var_os("BLESS").is_some();
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
    let fired = "client 1 fires timeout timer\n";
    refused(&[fired; 3].join("\n"), 14, "no such timer is armed");
}

#[test]
fn a_node_that_has_not_entered_does_nothing() {
    refused("client 2 is told to act\n", 10, "no such node has entered");
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

#[test]
fn whoever_has_not_entered_is_heard_as_it_is_written() {
    let opening = "A cluster\n\nA paragraph.\n\neveryone else is a stranger\n\
                   member 1 is a leader at address 1\n\n";
    let heard = |words: &str| play(&format!("{opening}member 1 hears cluster: {words}\n"));
    let text = heard("at 3: LOCK lock 5 of address 1").expect("it plays");
    assert!(text.contains("  notifies "), "{text}");
    let unread = heard("at 03: LOCK lock 5 of address 1").expect_err("it is refused");
    assert_eq!((unread.line, &*unread.because), (8, "no message reads so"));
}

#[test]
fn what_the_cluster_says_is_read_as_it_is_shown() {
    use turnstile_core::replicated::message::Message;
    for words in [
        "members left, connected are 1, 3",
        "elected, for the coordinator changed",
        "another is elected",
        "at 3: LOCK lock 5 of address 1, call 2",
        "at 4: RESET to nobody of address 1",
        "snapshot",
        "snapshot at 4; lock 5 held by 1 since 3, waiting are 3, 2; lock 6 held by 2 since 4",
        "result of call 1, at 3: holding lock 5 with token 3",
        "failure of call 1, for lock 5",
    ] {
        let message = Message::read(words).unwrap_or_else(|| panic!("{words}"));
        assert_eq!(message.to_string(), words);
    }
    for words in ["", "at 3: LOCK lock 5", "result of call 1, at 3: asleep lock 5", "elected"] {
        assert_eq!(Message::read(words), None, "{words}");
    }
}

#[test]
fn a_fault_names_the_remedy() {
    let fault = play(&format!("{OPENING}client 1 fires renew timer\n")).expect_err("not armed");
    assert_eq!(fault.help, "armed here: timeout timer");
    let fault = play(&format!("{OPENING}client 1 is told to dance\n")).expect_err("no command");
    assert!(fault.help.contains("to claim with key N"), "{fault}");
    let fault =
        play(&format!("{OPENING}client 2 is told to act\n")).expect_err("it has not entered");
    assert!(fault.help.starts_with("entered: client 1, server"), "{fault}");
}

#[test]
fn a_host_is_told_of_its_clients_in_one_way() {
    let opening = "Ranges\n\nA paragraph.\n\nhost 1 is a cache manager\n\n";
    let told =
        |words: &str| play(&format!("{opening}host 1 is told by {words}\n")).map_err(|f| f.because);
    for wish in ["lock all shared", "lock 0,+4 exclusive", "release lock 1", "write 7,+1"] {
        assert!(told(&format!("client 1 of file 1 to {wish}")).is_ok(), "{wish}");
    }
    for wish in ["lock 0,+0 shared", "lock 0,+4", "lock 0,+4 both", "read 18446744073709551615,+2"]
    {
        let because = told(&format!("client 1 of file 1 to {wish}")).expect_err("not a wish");
        assert_eq!(because, "no such command is known here", "{wish}");
    }
}
