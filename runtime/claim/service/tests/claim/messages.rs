//! What the programs tell people on standard error, and the arguments that they refuse.

use std::process::{Child, Command, Stdio};

use super::Running;
use super::command::{CLAIM, claim};
use crate::http::until;

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
    let expected = "INFO waiting for r (held by claim 1; see `claim show 1`)";
    assert_eq!((loud.trim(), quiet.trim()), (expected, ""));
}

/// The exit status and the messages of a `claim` with these arguments.
fn run(server: &Running, arguments: &[&str]) -> (Option<i32>, String) {
    let ran = claim(server, arguments).output().expect("it starts");
    (ran.status.code(), String::from_utf8(ran.stderr).expect("plain text"))
}

#[test]
fn a_wrong_command_line_is_answered_with_the_right_one() {
    let server = Running::in_memory();
    let wrong: [(&[&str], &str); 6] = [
        (&["run", "r", "--wait", "3", "--", "true"], "'--timeout'"),
        (&["run", "r", "true"], "tip: put -- before the command"),
        (&["run", "r", "--ttl", "-1", "--", "true"], "invalid value '-1' for '--ttl"),
        (&["ls", "--status", "running"], "[possible values: waiting, active,"),
        (&["revoke", "http://other.example:7777/v1/claims/8/"], "but the server is http://127"),
        (&["show", "nightly"], "use `claim ls --resource NAME`"),
    ];
    for (arguments, expected) in wrong {
        let (status, text) = run(&server, arguments);
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_claim_that_has_ended_is_not_revoked() {
    let server = Running::in_memory();
    for resource in ["r", "s"] {
        let claim = format!(r#"{{"resource":"{resource}","ttl":60}}"#);
        server.client().post(&claim).expect(201);
    }
    server.client().set("/v1/claims/1/", "released").expect(204);
    server.client().set("/v1/claims/2/", "revoked").expect(204);
    let released = "claim: claim 1 has already been released: nothing to revoke\n";
    assert_eq!(run(&server, &["revoke", "1"]), (Some(69), released.into()));
    let again = claim(&server, &["revoke", "2"]).output().expect("it starts");
    assert_eq!(again.stdout, b"claim 2 is already revoked\n", "{again:?}");
}

#[test]
fn a_list_begins_with_live_claims_and_says_if_there_are_more() {
    let server = Running::in_memory();
    let mut client = server.client();
    let data = r#"{"host":"box","pid":12}"#;
    for number in 0..4 {
        let claim = client.post(&format!(r#"{{"resource":"r","ttl":60,"user_data":{data}}}"#));
        if number < 2 {
            client.set(&claim.expect(201).path(), "released").expect(204);
        }
    }
    let list = claim(&server, &["ls", "--limit", "3"]).output().expect("it starts");
    let text = String::from_utf8(list.stdout).expect("plain text");
    let statuses: Vec<_> = text.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(statuses, ["STATUS", "active", "waiting", "released"]);
    assert_eq!(text.matches("  box pid 12  ").count(), 3, "{text}");
    let text = String::from_utf8(list.stderr).expect("plain text");
    assert!(
        text.contains("3 claims shown, active and waiting ones first; there are more"),
        "{text}"
    );
    assert_eq!(run(&server, &["ls", "--limit", "4"]).1, "");
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
    let refused: [(&[&str], &str); 6] = [
        (&["--ttl-max", "-1"], "invalid value '-1' for '--ttl-max"),
        (&["--trace", "/no/trace"], "--trace /no/trace: No such file"),
        (&["--audit", "/no/audit"], "--audit /no/audit: No such file"),
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
