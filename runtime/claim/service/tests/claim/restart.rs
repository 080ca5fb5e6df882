//! A server that starts again: what it had answered is so, and leases are as long as they were.

use std::path::Path;

use turnstile_claim::server::{Options, Storage};
use turnstile_host::store::{Disk, LogStore};

use crate::http::Running;

fn wall_us() -> u64 {
    1_700_000_000_000_000
}

fn an_hour_later_us() -> u64 {
    wall_us() + 3_600_000_000
}

fn two_hours_later_us() -> u64 {
    wall_us() + 7_200_000_000
}

fn before_the_epoch_us() -> u64 {
    0
}

/// A server on a simulated disk.
fn start(disk: &Disk, wall_us: fn() -> u64) -> Running {
    let options = Options { wall_us, ..Options::default() };
    Running::start(Storage::Blocking(Box::new(disk.open())), options)
}

#[track_caller]
fn check_lease(first: fn() -> u64, second: fn() -> u64, name: &str) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("restart").join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    let start = |wall_us| {
        let store = LogStore::open(&dir).expect("the directory opens");
        let options = Options { wall_us, ..Options::default() };
        Running::start(Storage::Blocking(Box::new(store)), options)
    };
    let server = start(first);
    let mut client = server.client();
    let held = client.post(r#"{"resource":"r","ttl":30,"user_data":[1]}"#).expect(201);
    let queued = client.post(r#"{"resource":"r","ttl":30}"#).expect(202);
    let gone = client.post(r#"{"resource":"s","ttl":30}"#).expect(201);
    client.set(&gone.path(), "released").expect(204);
    drop(client);
    server.stop();

    let server = start(second);
    let mut client = server.client();
    let claim = client.get(&held.path()).expect(200);
    assert_eq!(claim.field("status"), "active");
    let ttl = claim.number("ttl");
    assert!(ttl > 1.0 && ttl <= 30.0, "the outage is not counted: {ttl}");
    assert_eq!(claim.field("user_data").to_string(), "[1]");
    assert_eq!(claim.field("fencing_token"), held.field("fencing_token"));
    assert_eq!(claim.field("created"), held.field("created"));
    assert_eq!(client.get(&gone.path()).field("status"), "released");
    client.set(&queued.path(), "active").expect(409);
    client.set(&held.path(), "released").expect(204);
    let next = client.set(&queued.path(), "active").expect(200);
    assert!(next.field("fencing_token").as_u64() > gone.field("fencing_token").as_u64());
    let id = |path: String| path.trim_end_matches('/').rsplit('/').next()?.parse::<u64>().ok();
    let fresh = client.post(r#"{"resource":"t","ttl":30}"#).expect(201);
    assert!(id(fresh.path()) > id(gone.path()), "ids go on");
}

#[test]
fn an_outage_is_not_counted_against_a_lease() {
    check_lease(wall_us, an_hour_later_us, "later");
}

#[test]
fn a_clock_set_back_does_not_matter() {
    check_lease(an_hour_later_us, wall_us, "back");
    check_lease(wall_us, before_the_epoch_us, "epoch");
}

fn far_future_us() -> u64 {
    4_000_000_000_000_000
}

#[test]
fn a_wall_clock_that_was_wrong_at_one_start_is_forgotten_with_the_next() {
    let disk = Disk::default();
    let post = |client: &mut crate::http::Client, resource: &str| {
        let body = format!(r#"{{"resource":"{resource}","ttl":600}}"#);
        client.post(&body).expect(201)
    };
    let year = |claim: &crate::http::Answer| {
        let created = claim.field("created").to_string();
        created.split(' ').nth(3).and_then(|year| year.parse::<u64>().ok())
    };
    let mut held = Vec::new();
    for (life, wall_us) in
        [wall_us, far_future_us, wall_us, far_future_us, an_hour_later_us].into_iter().enumerate()
    {
        let server = start(&disk, wall_us);
        let mut client = server.client();
        let claim = post(&mut client, &format!("r{life}"));
        let expected = if life % 2 == 1 { 2096 } else { 2023 };
        assert_eq!(year(&claim), Some(expected), "it is what the clock says: {claim:?}");
        held.push((claim.path(), expected));
        for (path, expected) in &held {
            let claim = client.get(path).expect(200);
            assert_eq!(claim.field("status"), "active", "in life {life}");
            let (ttl, held) = (claim.number("ttl"), claim.number("active_duration"));
            assert!(ttl > 500.0 && ttl <= 600.0, "what is left is counted: {ttl}");
            assert!(held < 100.0, "{path} is held for {held} s in life {life}");
            assert_eq!(year(&claim), Some(*expected), "what was said stays so");
        }
        drop(client);
        server.stop();
    }
}

#[test]
fn a_store_that_is_damaged_is_refused() {
    use turnstile_host::store::{Batch, Key, Store as _};
    for (key, value) in [
        (Key::single(1), &b"\x05x"[..]),
        (Key::numbered(2, 1), b"\x05"),
        (Key::numbered(2, 2), b""),
    ] {
        let disk = Disk::default();
        let mut batch = Batch::default();
        batch.put(&key, value);
        let mut store = disk.open();
        store.write(&batch);
        store.sync().expect("a simulated disk takes it");
        let storage = Storage::Blocking(Box::new(disk.open()));
        let error = turnstile_claim::server::Server::open(storage, Options::default())
            .expect_err("it is damaged");
        assert!(error.to_string().contains("corrupt"), "{key:?}: {error}");
    }
}

/// Also where nothing is written between two of them.
#[test]
fn outages_add_up() {
    let disk = Disk::default();
    let server = start(&disk, wall_us);
    let held = server.client().post(r#"{"resource":"r","ttl":30}"#).expect(201);
    server.stop();
    for later in [an_hour_later_us, two_hours_later_us, two_hours_later_us] {
        let server = start(&disk, later);
        let ttl = server.client().get(&held.path()).expect(200).number("ttl");
        assert!(ttl > 1.0 && ttl <= 30.0, "{ttl}");
        server.stop();
    }
}
