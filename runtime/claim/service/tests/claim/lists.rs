//! Lists of claims: what is in them, what is looked at for them, and that they end.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use turnstile_claim::server::{Options, Server, Storage};

use super::Running;
use super::tokens::{NAMED, tokens};
use crate::additions::metric;
use crate::http::Client;
use crate::wire::{ask, get, request, serve};

/// A list is read in slices of so many claims.
const SLICE_CLAIMS: usize = 256;
const CLAIMS: usize = 2_000;

fn id(url: &str) -> u64 {
    let (_, id) = url.trim_end_matches('/').rsplit_once('/').expect("a path");
    id.parse().expect("a number")
}

/// The ids in a list.
fn ids(list: &str) -> Vec<u64> {
    let claims: Vec<Value> = serde_json::from_str(list).expect("one array");
    claims.iter().map(|claim| id(claim["url"].as_str().expect("a URL"))).collect()
}

/// The ids in the answer to a query, and the number of claims that were looked at for it.
fn read(client: &mut Client, query: &str) -> (Vec<u64>, usize) {
    let looked_at = |client: &mut Client| metric(client, "list_claims_total") as usize;
    let before = looked_at(client);
    let list = client.get(&format!("/v1/claims/?{query}")).expect(200);
    (ids(&list.text), looked_at(client) - before)
}

/// Every second claim is of one resource, of which all but the first wait.
#[test]
fn slices_are_small_and_make_up_the_whole_list() {
    let server = Running::in_memory();
    let mut client = server.client();
    let mut post = |number: usize| {
        let resource = if number.is_multiple_of(2) { 0 } else { number };
        let claim =
            client.post(&json!({ "resource": format!("r{resource}"), "ttl": 600 }).to_string());
        assert!([201, 202].contains(&claim.status), "{claim:?}");
        id(&claim.path())
    };
    let all: Vec<u64> = (0..CLAIMS).map(&mut post).collect();
    let client = &mut client;
    assert_eq!(read(client, "limit=1000000").0, all);
    assert_eq!(read(client, "minimum_active_duration=1e9"), (Vec::new(), CLAIMS));
    assert_eq!(metric(client, "list_slice_claims_max"), SLICE_CLAIMS as u64);
    let waiting: Vec<u64> = all.iter().copied().step_by(2).skip(1).collect();
    let of_one = read(client, "resource=r0&status=waiting&limit=1000000");
    assert_eq!(of_one, (waiting.clone(), CLAIMS / 2));
    let (some, _) = read(client, "status=waiting&limit=3&offset=500");
    assert_eq!(some, waiting[500..503]);
    assert_eq!(read(client, "limit=0"), (Vec::new(), 0));
    assert_eq!(read(client, "resource=unknown"), (Vec::new(), 0));
}

/// Sends a request with a body, and returns the whole answer.
async fn send(pipe: &mut DuplexStream, line: &str, body: &str) -> String {
    ask(pipe, &request(line, body), usize::MAX).await
}

/// Posts claims with much data; returns the path of the last one.
async fn post(pipe: &mut DuplexStream, count: usize) -> String {
    let body = json!({ "resource": "r", "ttl": 600, "user_data": "x".repeat(15_000) });
    let mut answer = String::new();
    for _ in 0..count {
        answer = send(pipe, "POST /v1/claims/", &body.to_string()).await;
        let status = answer.get(..12).unwrap_or_default();
        assert!(["HTTP/1.1 201", "HTTP/1.1 202"].contains(&status), "{answer}");
    }
    let location = answer.split("location: ").nth(1).and_then(|rest| rest.lines().next());
    format!("/v1/claims/{}/", id(location.expect("it has a place")))
}

/// The text of an answer that comes in chunks.
fn dechunked(answer: &str) -> String {
    let (_, mut rest) = answer.split_once("\r\n\r\n").expect("it has a head");
    let mut text = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        text.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    text
}

#[tokio::test]
async fn a_list_ends_although_claims_come_and_go_under_it() {
    let mut options = Options { write_timeout: Duration::from_secs(600), ..Options::default() };
    // What is over is forgotten at once.
    options.limits.finished_max = 0;
    let server = Server::open(Storage::Memory, options).expect("nothing to read");
    let (connect, serving) = serve(server, 1_024);
    let (mut other, mut reader) = (connect(), connect());
    let last = post(&mut other, 40).await;
    let request = get("/v1/claims/?limit=1000000");
    reader.write_all(request.as_bytes()).await.expect("the server reads");
    let (mut answer, mut added) = (vec![0; 1_000], 0);
    reader.read_exact(&mut answer).await.expect("it begins");
    let gone = send(&mut other, &format!("PATCH {last}"), r#"{"status":"aborted"}"#).await;
    assert!(gone.starts_with("HTTP/1.1 204"), "{gone}");
    while !answer.ends_with(b"0\r\n\r\n") {
        assert!(added < 400, "it runs after those that come");
        let until = answer.len() + 64_000;
        while answer.len() < until && !answer.ends_with(b"0\r\n\r\n") {
            let read = reader.read_buf(&mut answer).await.expect("it goes on");
            assert!(read > 0, "it ends");
        }
        post(&mut other, 8).await;
        added += 8;
    }
    let answer = String::from_utf8(answer).expect("text");
    assert_eq!(ids(&dechunked(&answer)).len(), 39, "what was there and stays");
    serving.abort();
}

#[test]
fn no_slice_shows_a_stranger_what_is_another_s() {
    let options = Options { tokens: tokens("lists.tokens", NAMED), ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let mut clients = ["ci-1", "deploy-1"].map(|token| server.client().with_token(token));
    let body = json!({ "resource": "r", "ttl": 600, "user_data": "private" }).to_string();
    for number in 0..3 * SLICE_CLAIMS {
        clients[number % 2].post(&body);
    }
    let list = clients[0].get("/v1/claims/?limit=1000000").expect(200).json();
    let claims = list.as_array().expect("an array");
    assert_eq!(claims.len(), 3 * SLICE_CLAIMS);
    for claim in claims {
        let is_own = claim["owner"] == "ci";
        assert_eq!(claim["user_data"], if is_own { "private".into() } else { Value::Null });
    }
}

#[test]
fn an_empty_list_is_an_array() {
    assert_eq!(Running::in_memory().client().get("/v1/claims/").expect(200).text, "[]");
}
