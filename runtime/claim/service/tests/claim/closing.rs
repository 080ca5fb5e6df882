//! Clients that close their side of a connection, also by the thousand: who has asked is answered,
//! who waits is gone.

use std::io::Read as _;
use std::net::Shutdown;
use std::time::Duration;

use serde_json::Value;
use turnstile_claim::server::{Options, Storage};
use turnstile_host::store::Disk;

use super::Running;
use crate::additions::metric;
use crate::http::{Client, until};

const BODY: &str = r#"{"resource":"r","ttl":60}"#;

/// A server whose answers take so long that a client's end is there before them.
fn durable() -> Running {
    let pause = || Duration::from_millis(50);
    let storage = Storage::Simulated(Box::new(Disk::default().open()), Box::new(pause));
    Running::start(storage, Options::default())
}

fn close_writing(client: &mut Client) {
    client.stream().shutdown(Shutdown::Write).expect("it is open");
}

#[test]
fn who_has_asked_and_closes_its_side_is_answered() {
    let server = durable();
    let mut first = server.client();
    first.send("POST", "/v1/claims/", BODY);
    close_writing(&mut first);
    let held = first.hear().expect(201).path();
    let mut second = server.client();
    second.send("POST", "/v1/claims/", BODY);
    close_writing(&mut second);
    second.hear().expect(202);
    let mut last = server.client().with("prefer", "wait=30");
    last.send("PATCH", &held, r#"{"status":"released"}"#);
    close_writing(&mut last);
    last.hear().expect(204);
}

#[test]
fn who_waits_and_closes_its_side_is_gone() {
    let server = durable();
    let mut holder = server.client();
    let held = holder.post(BODY).expect(201).path();
    let mut gone = server.client().with("prefer", "wait=300");
    gone.send("POST", "/v1/claims/", BODY);
    until("it waits", || metric(&mut holder, "calls_open") == 1);
    let mut stays = server.client().with("prefer", "wait=300");
    stays.send("POST", "/v1/claims/", BODY);
    until("the second waits", || metric(&mut holder, "calls_open") == 2);
    close_writing(&mut gone);
    gone.hear().expect(408);
    until("the server notices", || metric(&mut holder, "calls_open") == 1);
    holder.set(&held, "released").expect(204);
    assert_eq!(stays.hear().expect(201).field("status"), "active");
}

/// One holds, one waits and hangs up, and the lock is given back; the one who hung up, and who
/// comes after it.
fn hung_up(server: &Running) -> (String, Client) {
    let mut holder = server.client();
    let held = holder.post(BODY).expect(201).path();
    let mut gone = server.client();
    let path = gone.post(BODY).expect(202).path();
    let mut gone = gone.with("prefer", "wait=300");
    gone.send("PATCH", &path, r#"{"status":"active"}"#);
    until("it waits", || metric(&mut holder, "calls_open") == 1);
    drop(gone);
    until("the server notices", || metric(&mut holder, "calls_open") == 0);
    holder.set(&held, "released").expect(204);
    (path, holder)
}

#[test]
fn who_hung_up_and_does_not_come_back_holds_nobody_up() {
    let server = Running::in_memory();
    let (gone, mut next) = hung_up(&server);
    next.post(BODY).expect(201);
    assert_eq!(next.get(&gone).field("status"), "waiting");
}

#[test]
fn who_hung_up_and_comes_back_has_its_place() {
    let server = Running::in_memory();
    let mut holder = server.client();
    let held = holder.post(BODY).expect(201).path();
    let mut gone = server.client();
    let back = gone.post(BODY).expect(202).path();
    let mut gone = gone.with("prefer", "wait=300");
    gone.send("PATCH", &back, r#"{"status":"active"}"#);
    until("it waits", || metric(&mut holder, "calls_open") == 1);
    let mut later = server.client();
    let later_path = later.post(BODY).expect(202).path();
    drop(gone);
    until("the server notices", || metric(&mut holder, "calls_open") == 0);
    server.client().set(&back, "active").expect(409);
    holder.set(&held, "released").expect(204);
    later.set(&later_path, "active").expect(409);
    let ttl = later.get(&back).expect(200).number("ttl");
    assert!(ttl > 50.0, "it was promoted, for its whole ttl: {ttl}");
}

#[test]
fn what_is_asked_while_another_request_waits_is_answered_after_it() {
    let server = durable();
    let mut holder = server.client();
    let held = holder.post(BODY).expect(201).path();
    let mut waiter = server.client().with("prefer", "wait=300");
    waiter.send("POST", "/v1/claims/", BODY);
    until("it waits", || metric(&mut holder, "calls_open") == 1);
    waiter.send("GET", &held, "");
    waiter.send("GET", "/nothing/", "");
    holder.set(&held, "released").expect(204);
    waiter.hear().expect(201);
    assert_eq!(waiter.hear().expect(200).field("status"), "released");
    waiter.hear().expect(404);
}

#[test]
fn who_closes_its_own_half_is_no_longer_waiting() {
    let server = Running::in_memory();
    let mut holder = server.client();
    let held = holder.post(BODY).expect(201);
    let mut half = server.client().with("prefer", "wait=300");
    half.send("POST", "/v1/claims/", BODY);
    let waiting = |client: &mut Client| {
        let list = client.get("/v1/claims/?resource=r&status=waiting").json();
        list.as_array().map(Vec::len)
    };
    until("it queues", || waiting(&mut holder) == Some(1));
    half.stream().shutdown(Shutdown::Write).expect("it is open");
    let mut rest = Vec::new();
    // What is said to it last, if anything, is no grant.
    let _reset = half.stream().read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 201"), "{}", String::from_utf8_lossy(&rest));
    holder.set(&held.path(), "released").expect(204);
    assert_eq!(waiting(&mut holder), Some(1), "nobody is promoted who would not hear of it");
    holder.post(BODY).expect(201);
    assert_eq!(waiting(&mut holder), Some(1), "nor stands it in anybody's way");
}

#[test]
fn thousands_wait_for_one_lock_and_each_gets_it_in_turn() {
    const WAITERS: usize = 2_000;
    let server = Running::in_memory();
    let mut holder = server.client();
    let mut held = holder.post(BODY).expect(201).path();
    let mut waiters = Vec::new();
    for _ in 0..WAITERS {
        let mut waiter = server.client().with("prefer", "wait=300");
        // Once it is answered it has been taken in, and the queue of the socket has room.
        waiter.get("/healthz").expect(200);
        waiter.send("POST", "/v1/claims/", BODY);
        waiters.push(waiter);
    }
    let open = format!("turnstile_calls_open {WAITERS}\n");
    until("all wait", || holder.get("/metrics").expect(200).text.contains(&open));
    // Every other goes away.
    let mut stay = Vec::new();
    for (number, mut waiter) in waiters.into_iter().enumerate() {
        if number % 2 == 0 {
            waiter.stream().shutdown(Shutdown::Both).expect("it is open");
        } else {
            stay.push(waiter);
        }
    }
    let open = format!("turnstile_calls_open {}\n", stay.len());
    until("the server notices", || holder.get("/metrics").expect(200).text.contains(&open));
    for _ in 0..stay.len() {
        holder.set(&held, "released").expect(204);
        let list = holder.get("/v1/claims/?resource=r&status=active").json();
        let url = list[0]["url"].as_str().expect("one is promoted at once").to_owned();
        assert_eq!(list.as_array().map(Vec::len), Some(1));
        held = url[url.find("/v1/").expect("a path")..].to_owned();
    }
    let mut granted: Vec<Value> =
        stay.iter_mut().map(|waiter| waiter.hear().expect(201).field("fencing_token")).collect();
    granted.sort_by_key(Value::as_u64);
    granted.dedup();
    assert_eq!(granted.len(), WAITERS / 2, "everyone once");
}
