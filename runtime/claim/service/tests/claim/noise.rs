//! Nonsense of every kind on every path: a clear answer below 500, and the server serves on.

use proptest::prelude::*;
use serde_json::json;

use super::Running;
use crate::http::Client;

const METHODS: [&str; 8] = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "NONSENSE"];
const PATHS: [&str; 15] = [
    "/v1/claims/",
    "/v1/claims/1/",
    "/v1/claims/0/",
    "/v1/claims/-1/",
    "/v1/claims/18446744073709551615/",
    "/v1/claims/%00/",
    "/v1/claims/1",
    "/v1/claims",
    "/status/",
    "/status/revoke/",
    "/status/login/",
    "/status/logout/",
    "/metrics",
    "/healthz",
    "/",
];

/// JSON of the protocol's fields with values of any kind, or no JSON at all.
fn bodies() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<f64>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        ".{0,20}".prop_map(|value| json!(value)),
        Just(json!("active")),
        Just(json!("released")),
        Just(json!([{ "a": [] }])),
    ];
    let field = prop_oneof![
        Just("resource".to_owned()),
        Just("ttl".to_owned()),
        Just("status".to_owned()),
        Just("user_data".to_owned()),
        "[a-z]{0,5}",
    ];
    prop_oneof![
        4 => prop::collection::btree_map(field, value, 0..5).prop_map(|map| json!(map).to_string()),
        1 => ".{0,60}",
        1 => Just("[".repeat(5_000)),
        1 => Just(r#"{"resource":"r","ttl":1e400}"#.to_owned()),
    ]
}

fn queries() -> impl Strategy<Value = String> {
    let pair =
        ("(limit|offset|status|resource|minimum_ttl|maximum_active_duration|x)", "[!-~]{0,8}");
    let pairs = prop::collection::vec(pair, 0..4);
    pairs.prop_map(|pairs| {
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    })
}

#[test]
fn nonsense_is_answered_and_the_server_serves_on() {
    let server = Running::in_memory();
    let case = (0..METHODS.len(), 0..PATHS.len(), queries(), bodies(), "[ -~]{0,20}", "[ -~]{0,9}");
    let config = ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() };
    proptest!(config, |((method, path, query, body, header, wait) in case)| {
        let (method, path) = (METHODS[method], PATHS[path]);
        // A wait that is well formed would be waited for.
        prop_assume!(wait.trim().parse::<f64>().is_err());
        let mut client = Client::new(server.at)
            .with("idempotency-key", &header)
            .with("authorization", &header)
            .with("prefer", &format!("wait={wait}"));
        client.send(method, &format!("{path}{query}"), &body);
        if method != "HEAD" {
            let answer = client.hear();
            prop_assert!(answer.status < 500, "{method} {path}{query} {body}: {answer:?}");
            if answer.status == 400 && !answer.text.is_empty() {
                prop_assert!(answer.json().is_object(), "{answer:?}");
            }
        }
    });
    server.client().get("/healthz").expect(200);
}

#[test]
fn bytes_that_are_no_http_are_answered_or_cut_off() {
    let server = Running::in_memory();
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() };
    proptest!(config, |(bytes in prop::collection::vec(any::<u8>(), 1..200))| {
        use std::io::{Read as _, Write as _};
        let mut client = Client::new(server.at);
        client.stream().write_all(&bytes).expect("the server reads");
        client.stream().shutdown(std::net::Shutdown::Write).expect("it is open");
        let mut answer = Vec::new();
        // A reset is as clear an answer.
        let _reset = client.stream().read_to_end(&mut answer);
        if !answer.is_empty() {
            let text = String::from_utf8_lossy(&answer).into_owned();
            let is_refused = text.starts_with("HTTP/1.1 4") || text.starts_with("HTTP/1.0 4");
            prop_assert!(is_refused, "{text}");
        }
    });
    server.client().get("/healthz").expect(200);
}
