//! Members that show each other certificates, and members behind other addresses.

use serde_json::{Value, json};
use turnstile_members_simulation::Authority;

use super::group::Group;

/// Ends of validity, in seconds since the Unix epoch.
const OF_2100_S: u64 = 4_102_444_800;
const OF_2101_S: u64 = 4_133_980_800;

#[test]
fn only_members_with_certificates_for_their_addresses_are_in_the_group() {
    let mut group = Group::prepare();
    let authority = Authority::new(group.folder.path());
    let good = authority.options("127.0.0.1", OF_2100_S);
    group.options = [good.clone(), good.clone(), Vec::new()];
    (0..2).for_each(|one| group.start_member(one, "test"));
    (0..2).for_each(|one| group.await_members(one, 2));
    let other = group.folder.path().join("other");
    std::fs::create_dir(&other).expect("the temporary folder can be written");
    let strangers = [
        Vec::new(),
        authority.options("127.0.0.9", OF_2100_S),
        Authority::new(&other).options("127.0.0.1", OF_2100_S),
    ];
    for options in strangers {
        group.options[2] = options;
        group.start_member(2, "test");
        // It knows all addresses, and begins a group of its own.
        group.await_members(2, 1);
        let status = group.status(2).expect("it runs");
        assert_eq!(status["present"], json!([]));
        group.await_members(0, 2);
        group.end(2);
    }
    group.options[2] = good;
    group.start_member(2, "test");
    (0..3).for_each(|one| group.await_members(one, 3));
    assert!(group.output(2, &["run", "job", "--", "true"]).status.success());
}

#[test]
fn certificates_are_replaced_while_members_run() {
    let mut group = Group::prepare();
    let tls = Authority::new(group.folder.path()).options("127.0.0.1", OF_2100_S);
    group.options = [tls.clone(), tls.clone(), tls];
    group.start_all();
    // Another authority in the same files: nobody trusts the former one any more.
    Authority::new(group.folder.path()).options("127.0.0.1", OF_2101_S);
    for one in 0..3 {
        group.signal(one, "-HUP");
        group.await_status(one, |status: &Value| {
            let first = &status["certificates"][0];
            first["usage"] == "peer" && first["not_after_s"] == OF_2101_S
        });
    }
    for one in 0..3 {
        group.end(one);
        group.start_member(one, "test");
        (0..3).for_each(|one| group.await_members(one, 3));
    }
    let text = group.text(0, &["status"]);
    assert!(text.contains("127.0.0.1-certificate.pem, certificate 1, peer: expires in "), "{text}");
}

#[test]
fn a_member_is_found_by_the_address_that_it_advertises() {
    let mut group = Group::prepare();
    // All addresses of the machine, none of which others could connect to by this name.
    group.listens = [(); 3].map(|()| "0.0.0.0");
    group.options = [0, 1, 2].map(|one| vec!["--advertise".into(), group.address(one)]);
    group.start_all();
    let members = group.json(1, &["members"]);
    let addresses = members.as_array().into_iter().flatten().map(|member| &member["address"]);
    let mut addresses: Vec<String> = addresses.map(ToString::to_string).collect();
    let mut expected = [0, 1, 2].map(|one| json!(group.address(one)).to_string());
    addresses.sort();
    expected.sort();
    assert_eq!(addresses, expected);
}
