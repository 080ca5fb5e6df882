//! Claims as versions 2 to 4 of the saved values wrote them, and stores that hold several versions.
//!
//! Values are written here as those versions wrote them, by code that is not the server's.

use turnstile_claim::server::{Options, Server, Storage};
use turnstile_host::store::{Batch, Disk, Key, Store as _};

use crate::http::Running;

const NOW_US: u64 = 1_700_000_000_000_000;

fn numbers(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// What a version wrote of the server and of claims that are held: claims 7 and 8 are of `r`
/// and of `s`, whose numbers are the same, as they could be up to version 4.
fn claims(version: u8) -> Disk {
    // Version 2 had one time for all.
    let times = if version == 2 { 1 } else { 2 };
    let moment = |at_us: u64| numbers(&vec![at_us; times]);
    let outages: &[u64] = if version < 4 { &[] } else { &[0] };
    let meta = [vec![version], numbers(&[8, 5]), moment(NOW_US), numbers(outages)].concat();
    let option = |number: u64| [vec![1], numbers(&[number])].concat();
    let claim = |token: u64| {
        [
            [&[version, 6][..], b"active"].concat(),
            option(token),
            vec![0; 9],
            numbers(&[30_000_000]),
            option(NOW_US + 20_000_000),
            [vec![0], moment(NOW_US - 10_000_000)].concat(),
            [vec![1], moment(NOW_US - 10_000_000)].concat(),
        ]
        .concat()
    };
    let owner: &[u8] = if version == 2 { &[] } else { &[0] };
    let data = |name: &[u8]| {
        [&[version, 0, 0, 0, 0][..], &[0; 8], owner, &1_u32.to_le_bytes(), name, b"[1]"].concat()
    };
    let disk = Disk::default();
    let mut batch = Batch::default();
    batch.put(&Key::single(1), &meta);
    for (id, token, name) in [(7, 5, b"r"), (8, 4, b"s")] {
        batch.put(&Key::numbered(2, id), &claim(token));
        batch.put(&Key::numbered(3, id), &data(name));
    }
    let mut store = disk.open();
    store.write(&batch);
    store.sync().expect("a simulated disk takes it");
    disk
}

#[track_caller]
fn check_claims(version: u8) {
    let disk = claims(version);
    let start = || {
        let options = Options { wall_us: || NOW_US + 3_600_000_000, ..Options::default() };
        Running::start(Storage::Blocking(Box::new(disk.open())), options)
    };
    let server = start();
    let mut client = server.client();
    let held = client.get("/v1/claims/7/").expect(200);
    assert_eq!(held.field("status"), "active");
    assert_eq!(held.field("fencing_token").as_u64(), Some(5));
    assert_eq!(held.field("user_data").to_string(), "[1]");
    assert!(held.field("created").to_string().contains("14 Nov 2023 22:13:10"), "{held:?}");
    let (ttl, duration) = (held.number("ttl"), held.number("active_duration"));
    assert!(ttl > 1.0 && ttl <= 20.0 && duration > 3_600.0, "{held:?}");
    let next = client.post(r#"{"resource":"t","ttl":30}"#).expect(201);
    assert_eq!(next.field("fencing_token").as_u64(), Some(6));
    client.set("/v1/claims/7/", "released").expect(204);
    let waits = client.post(r#"{"resource":"s","ttl":30}"#).expect(202).path();
    client.post(r#"{"resource":"r","ttl":30}"#).expect(201);
    server.stop();
    // Old and new claims are of the same resources, also where the store holds both versions.
    for _ in 0..2 {
        let server = start();
        let mut client = server.client();
        assert_eq!(client.get("/v1/claims/8/").expect(200).field("status"), "active");
        assert_eq!(client.get(&waits).expect(200).field("status"), "waiting");
        let also = client.post(r#"{"resource":"s","ttl":30}"#).expect(202).path();
        client.set(&also, "aborted").expect(204);
        server.stop();
    }
    let server = start();
    let mut client = server.client();
    client.set("/v1/claims/8/", "released").expect(204);
    client.set(&waits, "active").expect(200);
}

#[test]
fn claims_of_version_2_are_as_they_were() {
    check_claims(2);
}

#[test]
fn claims_of_version_3_are_as_they_were() {
    check_claims(3);
}

#[test]
fn claims_of_version_4_are_as_they_were() {
    check_claims(4);
}

/// From version 5 on a resource keeps its number.
#[test]
fn two_resources_of_one_number_are_damage() {
    let storage = Storage::Blocking(Box::new(claims(5).open()));
    let error = Server::open(storage, Options::default()).expect_err("r and s have one number");
    assert!(error.to_string().contains("corrupt"), "{error}");
}
