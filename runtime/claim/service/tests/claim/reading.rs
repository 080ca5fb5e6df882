//! Reading beside others: long lists go out in slices, and who does not take them costs little.

use std::time::Duration;

use serde_json::{Value, json};
use turnstile_claim::server::{Options, Server, Storage};
use turnstile_host::store::Disk;

use super::Running;
use crate::additions::metric;
use crate::http::{Client, until};
use crate::wire::{ask, get, request, serve};

/// So many claims are of one slice, and so many bytes.
const SLICE_CLAIMS: u64 = 256;
const SLICE_BYTES: usize = 64 << 10;

/// Posts claims, each of a resource of its own.
fn post(client: &mut Client, count: usize, data: usize) {
    for number in 0..count {
        let resource = format!("r{number}");
        let post = json!({ "resource": resource, "ttl": 600, "user_data": "x".repeat(data) });
        client.post(&post.to_string()).expect(201);
    }
}

#[test]
fn a_filter_that_finds_nothing_looks_at_all_in_slices() {
    let server = Running::in_memory();
    let mut client = server.client();
    post(&mut client, 2_000, 0);
    let nothing = client.get("/v1/claims/?minimum_active_duration=1e9").expect(200);
    assert_eq!(nothing.text, "[]");
    assert_eq!(nothing.headers["content-length"], "2", "a short list has its length");
    assert_eq!(metric(&mut client, "list_claims_total"), 2_000);
    assert_eq!(metric(&mut client, "list_slices_total"), 2_000_u64.div_ceil(SLICE_CLAIMS));
    assert_eq!(metric(&mut client, "list_slice_claims_max"), SLICE_CLAIMS);
    client.get("/status/").expect(200);
}

/// On a disk, too: each part is sent once what it says is on the disk.
#[test]
fn a_long_list_comes_whole_and_in_parts() {
    let disk = Disk::default().open();
    let storage = Storage::Simulated(Box::new(disk), Box::new(|| Duration::ZERO));
    let server = Running::start(storage, Options::default());
    let mut client = server.client();
    post(&mut client, 300, 1_000);
    let list = client.get("/v1/claims/?limit=1000000").expect(200);
    assert!(!list.headers.contains_key("content-length"), "it is not made whole: {list:?}");
    let claims = list.json();
    let names: Vec<&Value> =
        claims.as_array().expect("an array").iter().map(|claim| &claim["resource"]).collect();
    assert!(names.iter().enumerate().all(|(at, name)| **name == format!("r{at}")), "{names:?}");
    assert_eq!(names.len(), 300);
    let parts = metric(&mut client, "list_chunks_total");
    assert_eq!(parts, (list.text.len() as u64).div_ceil(SLICE_BYTES as u64), "{parts} parts");
    client.get("/v1/claims/?limit=3&offset=298").expect(200);
}

#[test]
fn who_does_not_read_is_cut_off() {
    let options = Options { write_timeout: Duration::from_millis(100), ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    for number in 0..500 {
        let body =
            json!({ "resource": format!("r{number}"), "ttl": 60, "user_data": "x".repeat(15_000) });
        client.post(&body.to_string()).expect(201);
    }
    let connections = |client: &mut Client| {
        let text = client.get("/metrics").expect(200).text;
        let line = text.lines().find_map(|line| line.strip_prefix("turnstile_connections "));
        line.and_then(|number| number.parse::<usize>().ok())
    };
    let mut deaf: Vec<Client> = (0..8).map(|_| server.client()).collect();
    for client in &mut deaf {
        // Together more than the sockets of both ends hold.
        (0..4).for_each(|_| client.send("GET", "/v1/claims/?limit=1000", ""));
    }
    until("they are taken in", || connections(&mut client) > Some(1));
    until("they are cut off", || connections(&mut client) == Some(1));
}

#[tokio::test]
async fn a_hundred_lists_that_nobody_reads_are_a_slice_or_two_each() {
    let server = Server::open(Storage::Memory, Options::default()).expect("nothing to read");
    let (connect, serving) = serve(server, 1_024);
    let mut client = connect();
    let data = "x".repeat(15_000);
    for number in 0..400 {
        let body = json!({ "resource": format!("r{number}"), "ttl": 600, "user_data": data });
        let post = request("POST /v1/claims/", &body.to_string());
        let answer = ask(&mut client, &post, usize::MAX).await;
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
    let mut deaf = Vec::new();
    for _ in 0..100 {
        let mut pipe = connect();
        let begun = ask(&mut pipe, &get("/v1/claims/?limit=400"), 1).await;
        assert!(begun.starts_with("HTTP/1.1 200"), "{begun}");
        deaf.push(pipe);
    }
    let read = ask(&mut client, &get("/v1/claims/?limit=400"), usize::MAX).await;
    assert!(read.len() > 400 * 15_000, "all of it is there for who reads it");
    let own = (read.len() / SLICE_BYTES) as u64 + 1;
    let metrics = ask(&mut client, &get("/metrics"), usize::MAX).await;
    let made = metrics.lines().find_map(|line| line.strip_prefix("turnstile_list_chunks_total "));
    let made: u64 = made.and_then(|made| made.parse().ok()).expect("a number");
    let parts = 100 + own / 2..=200 + own;
    assert!(parts.contains(&made), "{made} parts, about {own} of them for who reads");
    serving.abort();
}
