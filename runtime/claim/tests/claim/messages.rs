//! What the programs tell people on standard error, and the arguments that they refuse.

use std::process::{Child, Command, Stdio};

use crate::command::{CLAIM, claim};
use crate::http::{Running, until};
use crate::real::Turnstiled;

#[test]
fn a_waiter_says_once_for_whom_it_waits() {
    let server = Running::in_memory();
    let held = server.client().post(r#"{"resource":"r","ttl":60}"#).expect(201).path();
    let start = |level: &str| {
        let mut waiting = claim(&server, &["run", "r", "--", "true"]);
        waiting.env("TURNSTILE_LOG", level).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let (loud, quiet) = (start(""), start("warn"));
    until("both wait", || server.client().get("/metrics").text.contains("calls_open 2"));
    server.client().set(&held, "released").expect(204);
    let said = |waiting: Child| {
        let ended = waiting.wait_with_output().expect("it is our child");
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stderr).expect("plain text")
    };
    let (loud, quiet) = (said(loud), said(quiet));
    assert_eq!((loud.trim(), quiet.trim()), ("INFO waiting for r (held by claim 1)", ""));
}

#[test]
fn a_release_that_fails_says_how_long_the_lock_stays_taken() {
    let mut server = Turnstiled::start(&["--in-memory"]);
    let script = format!("kill -9 {}", server.child.id());
    let ran = Command::new(CLAIM)
        .args(["--url", &format!("http://{}", server.at)])
        .args(["run", "r", "--ttl", "20", "--", "sh", "-c", &script])
        .output()
        .expect("it starts");
    server.child.wait().expect("it is our child");
    let text = String::from_utf8(ran.stderr).expect("plain text");
    assert_eq!(ran.status.code(), Some(0), "the command has done its work: {text}");
    let expected =
        "the claim may stay until its ttl of 20 s has lapsed; `claim revoke 1` ends it at once";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_level_that_is_none_is_refused() {
    let programs: [(&str, &[&str]); 2] =
        [(CLAIM, &["ls"]), (env!("CARGO_BIN_EXE_turnstiled"), &["--in-memory"])];
    for (program, arguments) in programs {
        let ran = Command::new(program).args(arguments).env("TURNSTILE_LOG", "blah").output();
        let ran = ran.expect("it starts");
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        let text = String::from_utf8(ran.stderr).expect("plain text");
        assert!(text.contains("TURNSTILE_LOG=blah") && text.contains("warn, info"), "{text}");
    }
}

#[test]
fn arguments_of_the_server_that_make_no_sense_are_refused() {
    let refused: [(&[&str], &str); 3] = [
        (&["--listen", "localhost:5000"], "such as 127.0.0.1:5000"),
        (&["--waiters-max", "0"], "at least 1"),
        (&["--body-max", "0"], "at least 1"),
    ];
    for (arguments, expected) in refused {
        let ran = Command::new(env!("CARGO_BIN_EXE_turnstiled"))
            .arg("--in-memory")
            .args(arguments)
            .output()
            .expect("it starts");
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        let text = String::from_utf8(ran.stderr).expect("plain text");
        assert!(text.contains(expected), "{text}");
    }
}
