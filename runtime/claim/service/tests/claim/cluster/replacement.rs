//! `turnstiled member`: a member that is lost for good is replaced by another.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Output};

use serde_json::Value;

use super::program::{Site, body, check_refused};
use crate::http::until;
use crate::tokens::{NAMED, tokens_file};

/// Runs `turnstiled member` with a token.
fn member(token: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstiled"));
    command.arg("member").args(arguments).env_remove("TURNSTILE_TOKEN");
    command.env_remove("TURNSTILE_URL").envs(token.map(|token| ("TURNSTILE_TOKEN", token)));
    command.output().expect("the program starts")
}

#[track_caller]
fn check(output: &Output, status: i32, says: &str) {
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    let text = [&*output.stdout, &*output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains(says), "{says}: {text}");
}

/// The procedure of CLUSTER.md.
#[test]
fn a_member_that_is_lost_for_good_is_replaced() {
    let mut site = Site::new("replaced");
    site.tokens = Some((tokens_file("replaced", NAMED), "root-1"));
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
    let held = site.client(1).post(&body("r")).expect(201);
    let token = held.field("fencing_token").as_u64().expect("a token");
    let lost = site.leader();
    drop(site.members.remove(&lost));
    let other = *site.members.keys().next().expect("two are left");
    let (url, number) = (site.url(other), lost.to_string());
    let remove = ["remove", "--url", &url, &number];
    check(&member(None, &remove), 69, "401 set TURNSTILE_TOKEN");
    check(&member(Some("ci-1"), &remove), 69, "403 Only an operator may change the members");
    check(&member(Some("root-1"), &remove), 0, &format!("member {lost} is removed"));
    check(&member(Some("root-1"), &remove), 69, &format!("404 There is no member {lost}"));

    let new = format!("4={}", site.address(4));
    site.start(4, &["--join", "--peer", &new]);
    // It still waits to be added when it starts again, and begins no cluster of its own.
    drop(site.members.remove(&4));
    site.start(4, &["--join", "--peer", &new]);
    let add = ["add", "--url", &url, &new];
    check(&member(Some("ci-1"), &add), 69, "403 Only an operator may change the members");
    for _ in 0..2 {
        check(&member(Some("root-1"), &add), 0, "member 4 at 127.0.0.1:");
    }
    site.ready();
    let url = site.url(4);
    let list = member(Some("ci-1"), &["list", "--url", &url, "--json"]);
    let list: Value = serde_json::from_slice(&list.stdout).expect("JSON");
    let ids = list.as_array().expect("a list").iter().map(|member| member["id"].as_u64());
    assert_eq!(ids.collect::<Option<Vec<u64>>>(), Some(site.members.keys().copied().collect()));
    let line = format!("4        {:<24} votes", site.address(4));
    check(&member(Some("ci-1"), &["list", "--url", &url]), 0, &line);
    assert_eq!(site.client(4).get(&held.path()).expect(200).field("status"), "active");
    let next = site.client(4).post(&body("s")).expect(201);
    assert!(next.field("fencing_token").as_u64() > Some(token), "{next:?} after {token}");
    // It starts again as any other.
    drop(site.members.remove(&4));
    site.start(4, &["--join"]);
    until("it is ready", || site.client(4).get("/readyz").status == 200);
}

/// Removes a member at a server that is asked for the members, then has no leader, and then knows
/// no such member.
#[track_caller]
fn check_repeated(id: &str, status: i32, says: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let list = r#"[{"id":1,"address":"h:1","voter":true,"leader":true}]"#;
    let server = std::thread::spawn(move || {
        for (status, body) in [
            ("200 OK", list),
            ("503 Service Unavailable", r#"{"message":"No majority"}"#),
            ("404 Not Found", r#"{"message":"There is no member"}"#),
        ] {
            let (mut stream, _) = listener.accept().expect("the program connects");
            let read = stream.read(&mut [0; 4_096]).expect("the program asks");
            assert!(read > 0, "before {status}");
            let head = "connection: close\r\ncontent-type: application/json\r\ncontent-length";
            let answer = format!("HTTP/1.1 {status}\r\n{head}: {}\r\n\r\n{body}", body.len());
            stream.write_all(answer.as_bytes()).expect("the program listens");
        }
    });
    check(&member(None, &["remove", "--url", &url, id]), status, says);
    server.join().expect("it was asked three times");
}

#[test]
fn a_removal_that_is_repeated_is_done_and_that_of_an_unknown_member_is_not() {
    check_repeated("1", 0, "there is no member 1 any more");
    check_repeated("9", 69, "404 There is no member");
}

#[test]
fn the_list_of_members_shows_a_change_that_is_not_finished() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let member = |id: u64, pending: &str| {
        format!(r#"{{"id":{id},"address":"h:{id}","voter":true,"leader":false{pending}}}"#)
    };
    let list = [
        member(1, r#","pending":"added""#),
        member(2, r#","pending":"removed""#),
        member(3, r#","pending":null,"trouble":"member 3 has lost its log""#),
        // One of a former version.
        member(4, ""),
    ];
    let list = format!("[{}]", list.join(","));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the program connects");
        let read = stream.read(&mut [0; 4_096]).expect("the program asks");
        let head = "connection: close\r\ncontent-type: application/json\r\ncontent-length";
        let answer = format!("HTTP/1.1 200 OK\r\n{head}: {}\r\n\r\n{list}", list.len());
        stream.write_all(answer.as_bytes()).expect("the program listens");
        read
    });
    let output = self::member(None, &["list", "--url", &url]);
    assert!(server.join().expect("it answers") > 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let ends: Vec<&str> = text.lines().filter_map(|line| line.get(34..)).collect();
    let unfinished = [
        "gets a vote: the change is not finished",
        "is removed: the change is not \
                      finished",
        "votes; member 3 has lost its log",
        "votes",
    ];
    assert_eq!(ends, unfinished, "{text}");
}

#[test]
fn a_command_that_is_none_is_refused() {
    check_refused(&[], "<--data <DIR>|--in-memory>");
    check_refused(&["--in-memory", "member", "list"], "cannot be used with");
    check_refused(&["member"], "Usage: turnstiled member");
    check_refused(&["member", "add", "4=nowhere"], "is not HOST:PORT");
    check_refused(&["member", "add", "127.0.0.1:7011"], "N=HOST:PORT is expected");
    check_refused(&["member", "remove", "x"], "invalid value 'x'");
    check_refused(&["member", "list", "--url", "h:1"], "invalid server URL");
    check_refused(&["--in-memory", "--join"], "--cluster");
    check(&member(None, &["list", "--url", "http://127.0.0.1:1"]), 69, "no response from");
}
