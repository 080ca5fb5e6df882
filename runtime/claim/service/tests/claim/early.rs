//! Answers that are given before the request's body was read: the next request on the connection is
//! answered, or the answer says that the connection is closed.

use std::io::{Read as _, Write as _};

use turnstile_claim::server::{Options, Storage};

use super::Running;
use super::tokens::tokens;
use crate::http::{Answer, Client};

const CLAIM: &str = r#"{"resource":"r","ttl":60}"#;
const JSON: &str = "host: localhost\r\ncontent-type: application/json\r\n";

fn guarded() -> Running {
    let tokens = tokens("early.tokens", "one\n");
    Running::start(Storage::Memory, Options { tokens, ..Options::default() })
}

/// Sends a head, and then its body, as many clients do. The server may answer and close before it
/// has the body.
fn send(client: &mut Client, line: &str, headers: &str, body: &str) -> Answer {
    let len = body.len();
    let head = format!("{line} HTTP/1.1\r\n{headers}content-length: {len}\r\n\r\n");
    client.stream().write_all(head.as_bytes()).expect("the server reads");
    std::thread::yield_now();
    let _closed = client.stream().write_all(body.as_bytes());
    client.hear()
}

/// Each of these is answered without its body; so is the next request of the connection.
#[track_caller]
fn check_next(server: &Running, line: &str, headers: &str, body: &str, status: u16) {
    let mut client = server.client();
    for _ in 0..12 {
        let answer = send(&mut client, line, headers, body).expect(status);
        assert!(!answer.headers.contains_key("connection"), "{line}: {answer:?}");
        client.get("/healthz").expect(200);
    }
}

#[test]
fn a_refused_request_leaves_its_connection_to_the_next_one() {
    let server = Running::in_memory();
    let foreign = format!("{JSON}origin: http://elsewhere\r\n");
    let no_json = "host: localhost\r\ncontent-type: text/plain\r\n";
    check_next(&server, "POST /v1/claims/", &foreign, CLAIM, 403);
    check_next(&server, "POST /status/revoke/", &foreign, "claim=1", 403);
    check_next(&server, "POST /status/logout/", &foreign, "x=1", 403);
    check_next(&server, "POST /v1/locks/", JSON, CLAIM, 404);
    check_next(&server, "GET /v1/claims/7/", JSON, CLAIM, 404);
    check_next(&server, "PUT /v1/cluster/snapshot/", JSON, CLAIM, 405);
    check_next(&server, "PUT /v1/claims/", JSON, CLAIM, 405);
    check_next(&server, "DELETE /v1/claims/7/", JSON, CLAIM, 405);
    check_next(&server, "POST /healthz", JSON, CLAIM, 405);
    check_next(&server, "POST /v1/claims/", no_json, CLAIM, 415);
    check_next(&server, "PATCH /v1/claims/7/", no_json, CLAIM, 415);
    check_next(&server, "POST /v1/claims/", &JSON.replace("localhost", "evil"), CLAIM, 421);
    check_next(&server, "POST /v1/claims/", &JSON.replace("localhost", "e@vil"), CLAIM, 400);
    check_next(&server, "POST /v1/claims", JSON, CLAIM, 301);
    check_next(&server, "GET /v1/claims/?limit=x", JSON, CLAIM, 400);
    check_next(&server, "GET /v1/claims/", JSON, CLAIM, 200);
}

#[test]
fn a_request_without_a_right_token_leaves_its_connection_to_the_next_one() {
    let server = guarded();
    check_next(&server, "POST /v1/claims/", JSON, CLAIM, 401);
    check_next(&server, "POST /status/revoke/", JSON, "claim=1", 401);
    let mut client = server.client();
    for (guess, status) in [401; 10].into_iter().chain([429; 2]).enumerate() {
        let wrong = format!("{JSON}authorization: Bearer wrong-{guess}\r\n");
        let answer = send(&mut client, "POST /v1/claims/", &wrong, CLAIM).expect(status);
        assert!(!answer.headers.contains_key("connection"), "{answer:?}");
    }
}

/// Whatever comes before the body, of any length: chunks are a body, too.
#[test]
fn a_body_in_chunks_is_read_or_the_connection_is_closed() {
    let server = Running::in_memory();
    let chunked = |client: &mut Client, sizes: &[usize]| {
        let head = format!("POST /v1/locks/ HTTP/1.1\r\n{JSON}transfer-encoding: chunked\r\n\r\n");
        client.stream().write_all(head.as_bytes()).expect("the server reads");
        for size in sizes {
            let chunk = format!("{size:x}\r\n{}\r\n", "x".repeat(*size));
            let _closed = client.stream().write_all(chunk.as_bytes());
        }
        let _closed = client.stream().write_all(b"0\r\n\r\n");
        client.hear().expect(404)
    };
    let mut client = server.client();
    chunked(&mut client, &[10, 1_000, 10_000]);
    client.get("/healthz").expect(200);
    check_closed(client, |client| chunked(client, &[30_000, 30_000, 30_000]));
}

/// The answer says that the connection is closed, and it is.
#[track_caller]
fn check_closed(mut client: Client, ask: impl FnOnce(&mut Client) -> Answer) {
    let answer = ask(&mut client);
    let said = answer.headers.get("connection").map(String::as_str);
    assert_eq!(said, Some("close"), "{answer:?}");
    let left = client.stream().read(&mut [0; 100]);
    assert!(!left.is_ok_and(|len| len > 0), "the connection goes on");
}

#[test]
fn a_body_that_is_not_read_closes_the_connection_and_the_answer_says_so() {
    let server = Running::in_memory();
    let large = "x".repeat(70_000);
    check_closed(server.client(), |client| {
        send(client, "POST /v1/locks/", JSON, &large).expect(404)
    });
    check_closed(server.client(), |client| {
        send(client, "POST /v1/claims/", JSON, &large).expect(413)
    });
    // It waits for a 100 before it sends its body, and gets none.
    check_closed(server.client(), |client| {
        let expects = format!("{JSON}expect: 100-continue\r\ncontent-length: 25\r\n");
        let head = format!("POST /v1/locks/ HTTP/1.1\r\n{expects}\r\n");
        client.stream().write_all(head.as_bytes()).expect("the server reads");
        client.hear().expect(404)
    });
    // It sends a part of its body, and no more.
    check_closed(server.client(), |client| {
        let head = format!("POST /v1/locks/ HTTP/1.1\r\n{JSON}content-length: 25\r\n\r\n{{");
        client.stream().write_all(head.as_bytes()).expect("the server reads");
        client.hear().expect(404)
    });
}

/// A client that has sent all of a body that is too large gets the answer, and no reset.
#[test]
fn the_answer_to_a_body_that_is_too_large_arrives() {
    let server = Running::in_memory();
    for size in [70_000, 300_000, 1_000_000] {
        let body = "x".repeat(size);
        send(&mut server.client(), "POST /v1/claims/", JSON, &body).expect(413);
        send(&mut server.client(), "POST /v1/locks/", JSON, &body).expect(404);
    }
}
