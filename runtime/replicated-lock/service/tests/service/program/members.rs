//! Members that are added and removed.

use serde_json::Value;

use super::group::{Group, code};

fn ids(group: &Group, at: usize) -> Vec<u64> {
    let output = group.output(at, &["members", "list", "--json"]);
    assert_eq!(code(&output), Some(0), "{output:?}");
    let members: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let members = members.as_array().expect("a list");
    members.iter().map(|member| member["id"].as_u64().expect("a number")).collect()
}

/// The procedure of the help and the README.
#[test]
fn a_member_that_is_lost_for_good_is_replaced() {
    let mut group = Group::start();
    let lost = group.leader();
    let (mut holder, token) = group.hold(lost);
    group.signal(lost, "-KILL");
    drop(group.members[lost].take());
    assert_eq!(holder.0.wait().expect("it ends").code(), Some(76), "its lock is lost");
    let data = group.folder.path().join(format!("data-{lost}"));
    std::fs::remove_dir_all(&data).expect("it had a log");
    let others: Vec<usize> = (0..3).filter(|one| *one != lost).collect();
    let (one, number) = (others[0], (lost + 1).to_string());
    let leads = |status: &Value| status["leader"].is_u64() && status["leader"] != lost + 1;
    group.await_status(one, leads);
    // Who starts it again with an empty log is told.
    group.start_member(lost, &["--new"]);
    group.await_status(lost, |status| {
        status["refused"].to_string().contains(&format!("member {number} has lost its log"))
    });
    drop(group.members[lost].take());

    let removed = group.output(one, &["members", "remove", &number]);
    assert_eq!(code(&removed), Some(0), "{removed:?}");
    group.start_member(3, &["--join"]);
    group.await_status(3, |status| status["group"].is_null());
    let added = group.output(one, &["members", "add", &format!("4={}", group.address(3))]);
    assert_eq!(code(&added), Some(0), "{added:?}");
    group.await_status(3, |status| status["ready"] == true);
    let mut expected: Vec<u64> = others.iter().map(|one| *one as u64 + 1).collect();
    expected.push(4);
    assert_eq!(ids(&group, 3), expected);
    let list = group.output(3, &["members", "list"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let added = list.lines().find(|line| line.contains(&group.address(3)));
    assert!(added.is_some_and(|line| line.starts_with("4 ") && line.ends_with("votes")), "{list}");
    assert!(group.token(3) > token);
    // It restarts as any other.
    drop(group.members[3].take());
    group.start_member(3, &["--join"]);
    group.await_status(3, |status| status["ready"] == true);
    group.assert_nothing_unhandled();
}

#[test]
fn a_change_is_asked_for_again_during_an_election() {
    let mut group = Group::start();
    let lost = group.leader();
    group.signal(lost, "-KILL");
    drop(group.members[lost].take());
    let (one, number) = ((lost + 1) % 3, (lost + 1).to_string());
    let removed = group.output(one, &["members", "remove", &number]);
    assert_eq!(code(&removed), Some(0), "{removed:?}");
    assert!(String::from_utf8_lossy(&removed.stderr).contains("trying again"), "{removed:?}");
    assert!(!ids(&group, one).contains(&(lost as u64 + 1)), "it is removed");
    let again = group.output(one, &["members", "remove", &number]);
    assert_eq!(code(&again), Some(69), "that was not it: {again:?}");
}

#[test]
fn a_change_that_is_not_possible_is_refused() {
    let group = Group::start();
    let wrong = group.output(0, &["members", "add", "4=nowhere"]);
    assert_eq!(code(&wrong), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("HOST:PORT"), "{wrong:?}");
    for url in ["4=http://u:secret@h", "4=u:secret@h:7011", "http://u:secret@h"] {
        let wrong = group.output(0, &["members", "add", url]);
        assert_eq!(code(&wrong), Some(2));
        let text = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert!(text.contains("HOST:PORT") && !text.contains("secret"), "{text}");
    }
    let moved = group.output(0, &["members", "add", "2=127.0.0.1:1"]);
    assert_eq!(code(&moved), Some(69));
    let text = String::from_utf8_lossy(&moved.stderr).into_owned();
    assert!(text.contains("member 2 has the address 127.0.0.1:"), "{text}");
    let unknown = group.output(0, &["members", "remove", "9"]);
    assert_eq!(code(&unknown), Some(69));
    let text = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(text.contains("there is no member 9"), "{text}");
}

#[test]
fn the_users_of_a_member_that_was_removed_do_not_wait_for_ever() {
    let group = Group::start();
    let leader = group.leader();
    let removed = group.output(leader, &["members", "remove", &(leader + 1).to_string()]);
    assert_eq!(code(&removed), Some(0), "{removed:?}");
    group.await_status(leader, |status| status["ready"] == false);
    let ran = group.output(leader, &["run", "job", "--", "true"]);
    assert_eq!(code(&ran), Some(69), "{ran:?}");
    let text = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(text.contains("the member was removed from its group"), "{text}");
    let ran = group.output((leader + 1) % 3, &["run", "job", "--", "true"]);
    assert_eq!(code(&ran), Some(0), "{ran:?}");
}
