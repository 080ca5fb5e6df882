//! A group that begins with the state of another one.

use serde_json::Value;

use super::group::{Group, code};

#[test]
fn a_group_is_restored_from_a_file() {
    let mut group = Group::start();
    let path = |name: &str| group.folder.path().join(name).display().to_string();
    let (file, data) = (path("state"), path("data-3"));
    assert!(group.token(0) > 0);
    let saved = group.output(0, &["snapshot", "save", &file]);
    assert_eq!(code(&saved), Some(0), "{saved:?}");
    let again = group.output(0, &["snapshot", "save", &file]);
    assert_eq!(code(&again), Some(69), "the file is there");
    let held = group.output(1, &["run", "job", "--", "sh", "-c", "echo $RAFTLOCK_FENCING_TOKEN"]);
    let last: u64 = String::from_utf8_lossy(&held.stdout).trim().parse().expect("a token");
    (0..3).for_each(|one| drop(group.members[one].take()));

    let peer = format!("4={}", group.address(3));
    let restore = |file: &str, data: &str| {
        let words = ["snapshot", "restore", file, "--data", data, "--id", "4", "--peer", &peer];
        group.output(3, &words)
    };
    let bytes = std::fs::read(&file).expect("it is saved");
    let mut damaged = bytes;
    let place = damaged.len() - 1;
    damaged[place] ^= 1;
    let other = format!("{file}-damaged");
    std::fs::write(&other, damaged).expect("the temporary folder can be written");
    let refused = restore(&other, &data);
    assert_eq!(code(&refused), Some(69));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("checksum"), "{refused:?}");
    let restored = restore(&file, &data);
    assert_eq!(code(&restored), Some(0), "{restored:?}");
    assert!(String::from_utf8_lossy(&again.stderr).contains("not overwritten"), "{again:?}");
    std::fs::write(&other, "turnstile claims\n and more").expect("the folder can be written");
    let claims = restore(&other, &path("data-of-claims"));
    assert_eq!(code(&claims), Some(2));
    assert!(String::from_utf8_lossy(&claims.stderr).contains("claims of `turnstiled`"));
    let twice = restore(&file, &data);
    assert_eq!(code(&twice), Some(2));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("is not empty"), "{twice:?}");

    group.start_member(3, &[]);
    group.await_status(3, |status| status["ready"] == true);
    let status: Value = group.status(3).expect("it runs");
    assert_eq!(status["members"].as_array().map(Vec::len), Some(1));
    assert!(group.token(3) > last, "tokens grow over the restoration");
    // And it restarts.
    drop(group.members[3].take());
    group.start_member(3, &[]);
    group.await_status(3, |status| status["ready"] == true);
    group.assert_nothing_unhandled();
}
