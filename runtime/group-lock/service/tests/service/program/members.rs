//! Members: what they say of their group, and which are refused.

use serde_json::{Value, json};
use turnstile_simulation::Running;

use super::group::{Group, code};

#[test]
fn members_and_locks_are_shown() {
    let group = Group::start();
    let coordinator = group.coordinator(0);
    let all = group.json(0, &["members"]);
    let numbers: Vec<&str> =
        all.as_array().into_iter().flatten().filter_map(|one| one["member"].as_str()).collect();
    let is_hex = |number: &&str| number.len() == 16 && u64::from_str_radix(number, 16).is_ok();
    assert!(numbers.len() == 3 && numbers.iter().all(is_hex), "{all}");
    let text = group.text(coordinator, &["members"]);
    let first = text.lines().next().unwrap_or_default();
    assert!(first.starts_with(&group.address(coordinator)), "{text}");
    assert!(first.ends_with(", coordinates, this one"), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let lost = group.grouplock(0, &["members"]).stdout(full).output().expect("it is built");
    assert_eq!(code(&lost), Some(69), "{lost:?}");
    assert!(String::from_utf8_lossy(&lost.stderr).contains("standard output"), "{lost:?}");

    assert_eq!(group.json(0, &["ls"]), json!([]));
    let mut holder = group.hold(0);
    let mut waiter = group.grouplock(0, &["run", "job", "--", "true"]);
    let mut waiter = Running(waiter.spawn().expect("the program is built"));
    let locks = json!([{ "id": "job", "held": true, "waiters": 1 }]);
    let status = group.await_status(0, |status| status["locks"] == locks);
    assert_eq!(status["version"], 1);
    assert_eq!(status["group"], "test");
    assert_eq!(status["address"], group.address(0));
    assert_eq!(status["in_group"], true);
    assert!(status["view"].is_u64(), "{status}");
    assert_eq!(status["members"], all);
    assert_eq!(status["coordinator"], all[0]["member"]);
    let own = all.as_array().into_iter().flatten().find(|one| one["address"] == group.address(0));
    assert_eq!(own.map(|one| &one["member"]), Some(&status["member"]));
    let mut others = [group.address(1), group.address(2)];
    others.sort();
    assert_eq!(status["present"], json!(others));
    assert_eq!(group.text(0, &["ls"]), "\"job\": held here, 1 waiting here\n");
    let text = group.text(0, &["status"]);
    for line in ["group    \"test\"", "lock     \"job\": held here, 1 waiting here"] {
        assert!(text.lines().any(|one| one == line), "{text}");
    }
    assert_eq!(group.text(1, &["ls"]), "", "its users want none");

    drop(holder.0.stdin.take());
    assert_eq!((holder.ended(), waiter.ended()), (Some(0), Some(0)));
    group.await_status(0, |status| status["locks"] == json!([]));
}

#[test]
fn a_member_with_the_name_of_another_group_is_refused() {
    let mut group = Group::prepare();
    group.start_member(0, "test");
    group.start_member(1, "test");
    group.await_members(0, 2);
    group.start_member(2, "other");
    let stranger = group.await_status(2, |status| status["in_group"] == true);
    assert_eq!(stranger["group"], "other");
    assert_eq!(stranger["members"].as_array().map(Vec::len), Some(1), "{stranger}");
    assert_eq!(stranger["present"], Value::Array(Vec::new()), "{stranger}");
    let status = group.status(0).expect("it runs");
    assert_eq!(status["members"].as_array().map(Vec::len), Some(2), "{status}");
    let log = std::fs::read_to_string(group.log(2)).expect("it logs");
    assert!(log.contains("turnstile-group-lock/2 test"), "{log}");
}

#[test]
fn a_second_member_at_a_socket_is_refused() {
    let mut group = Group::prepare();
    group.start_member(0, "test");
    group.await_members(0, 1);
    let mut second = group.grouplock(1, &["member", "--name", "test", "--seed", "127.0.0.1:1"]);
    second.args(["--listen", &group.address(1)]).env("GROUPLOCK_SOCKET", group.socket(0));
    let refused = second.output().expect("the program is built");
    assert_eq!(code(&refused), Some(69), "{refused:?}");
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(text.contains("another member listens there"), "{text}");
    assert!(group.status(0).is_some(), "the first one has its socket still");
}

#[test]
fn what_no_member_can_be_told_is_refused() {
    let group = Group::prepare();
    for (words, why) in [
        (["--name", "", "--listen", "127.0.0.1:0"], "1 to 200 bytes"),
        (["--name", "a\nb", "--listen", "127.0.0.1:0"], "1 to 200 bytes"),
        (["--name", "test", "--listen", "0.0.0.0:0"], "--advertise"),
        (["--period", "0", "--listen", "127.0.0.1:0"], "0.1 to 60 seconds"),
        (["--grants-max", "0", "--listen", "127.0.0.1:0"], "zero"),
        (["--advertise", "127.0.0.1:0", "--listen", "127.0.0.1:0"], "nobody can connect to it"),
        (["--seed", "0.0.0.0:1", "--listen", "127.0.0.1:0"], "nobody can connect to it"),
    ] {
        let words = [&["member", "--seed", "127.0.0.1:1"], &words[..]].concat();
        let refused = group.output(0, &words);
        assert_eq!(code(&refused), Some(2), "{words:?}: {refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(why), "{words:?}: {refused:?}");
    }
    let held = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let taken = held.local_addr().expect("it is bound").to_string();
    let words = ["member", "--name", "test", "--seed", &taken, "--listen", &taken];
    let refused = group.output(0, &words);
    drop(held);
    assert_eq!(code(&refused), Some(69), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains(&format!("{taken}: ")));
    assert!(!group.socket(0).exists(), "it leaves no socket");
}
