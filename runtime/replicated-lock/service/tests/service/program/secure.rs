//! Members that show each other certificates, which are replaced while they run.

use serde_json::Value;

use super::group::Group;
use turnstile_members_simulation::Authority;
use turnstile_simulation::Folder;

/// Ends of validity, in seconds since the Unix epoch.
const OF_2100_S: u64 = 4_102_444_800;
const OF_2101_S: u64 = 4_133_980_800;

#[test]
fn certificates_are_replaced_while_members_run() {
    let files = Folder::new("raftlock-tls");
    std::fs::create_dir_all(files.path()).expect("the temporary folder can be written");
    let tls = Authority::new(files.path()).options("127.0.0.1", OF_2100_S);
    let tls: Vec<&str> = tls.iter().map(String::as_str).collect();
    let mut group = Group::start_with(&tls);
    let token = group.token(0);
    let ends = |status: &Value, end_s: u64| {
        let first = &status["certificates"][0];
        first["usage"] == "peer" && first["not_after_s"] == end_s
    };
    group.await_status(0, |status| ends(status, OF_2100_S));
    // Another authority in the same files: nobody trusts the former one any more.
    Authority::new(files.path()).options("127.0.0.1", OF_2101_S);
    for one in 0..3 {
        group.signal(one, "-HUP");
        group.await_status(one, |status| ends(status, OF_2101_S));
    }
    for one in 0..3 {
        drop(group.members[one].take());
        group.start_member(one, &tls);
        group.await_status(one, |status| status["ready"] == true);
    }
    assert!(group.token(1) > token);
    let text = group.output(0, &["status"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("127.0.0.1-certificate.pem, certificate 1, peer: expires in "), "{text}");
}

#[test]
fn a_hangup_ends_no_member() {
    let group = Group::start();
    (0..3).for_each(|one| group.signal(one, "-HUP"));
    (0..3).for_each(|one| group.await_status(one, |status| status["ready"] == true));
}
