//! What is refused rather than guessed: query keys, ids and names that are written in another way,
//! and a key that stands for another request.

use serde_json::json;

use super::Running;
use crate::http::{Answer, Client};

fn claim(resource: &str) -> String {
    json!({ "resource": resource, "ttl": 60 }).to_string()
}

/// 400 with a reason under this name.
#[track_caller]
fn check_refused(answer: &Answer, field: &str, reason: &str) {
    assert_eq!(answer.status, 400, "{answer:?}");
    let text = answer.field(field);
    assert!(text.as_str().is_some_and(|text| text.contains(reason)), "{answer:?}");
}

/// A filter that is misspelled would list what was not asked for.
#[test]
fn a_query_key_that_is_unknown_or_repeated_is_refused() {
    let server = Running::in_memory();
    let mut client = server.client();
    let path = client.post(&claim("r")).expect(201).path();
    for query in ["resourse=r", "state=active", "max_ttl=5", "resource%20=r", "Resource=r", "x"] {
        let refused = client.get(&format!("/v1/claims/?{query}"));
        check_refused(&refused, "extra-parameters", "resource");
    }
    for key in ["resource", "status", "limit", "minimum_ttl", "maximum_active_duration"] {
        let value = if key == "status" { "active" } else { "5" };
        let twice = format!("/v1/claims/?{key}={value}&{key}={value}");
        check_refused(&client.get(&twice), key, "twice");
    }
    check_refused(&client.get("/v1/claims/?stale=true&stale=false"), "stale", "twice");
    check_refused(&client.get("/v1/claims/?st%61le=maybe"), "stale", "maybe");
    client.get("/v1/claims/?st%61le=true&&limit=5&").expect(200);
    client.get(&format!("{path}?stale=true")).expect(200);
    check_refused(&client.get(&format!("{path}?limit=1")), "extra-parameters", "stale");
    check_refused(&client.get(&format!("{path}?stale=true&stale=true")), "stale", "twice");
    check_refused(&client.get("/status/?limit=1"), "extra-parameters", "stale");
    let posted = client.request("POST", "/v1/claims/?wait=5", &claim("s"));
    check_refused(&posted, "extra-parameters", "wait");
    let patched = client.patch(&format!("{path}?force=true"), r#"{"status":"revoked"}"#);
    check_refused(&patched, "extra-parameters", "force");
    assert_eq!(client.get(&path).field("status"), "active");
    let list = client.get("/v1/claims/?resource=s").expect(200).json();
    assert_eq!(list, json!([]), "nothing was claimed");
}

#[test]
fn a_claim_has_one_url() {
    let server = Running::in_memory();
    let mut client = server.client();
    client.post(&claim("r")).expect(201);
    client.get("/v1/claims/1/").expect(200);
    for id in ["01", "001", "+1", "-1", "1.0", "1e0", "0x1", "%31", "0", "00", " 1", "١", ""] {
        let path = format!("/v1/claims/{id}/").replace(' ', "%20").replace('١', "%D9%A1");
        client.get(&path).expect(404);
        client.patch(&path, r#"{"status":"revoked"}"#).expect(404);
    }
    for id in ["01", "%2B1", "-1", "1.0", "%201", "1e0", ""] {
        client.request("POST", "/status/revoke/", &format!("claim={id}")).expect(400);
    }
    client.get("/v1/claims/18446744073709551617/").expect(404);
    assert_eq!(client.get("/v1/claims/1/").field("status"), "active");
}

/// Two names that differ are two locks, also where a client writes them as numbers.
#[test]
fn a_number_as_a_name_keeps_its_text() {
    let server = Running::in_memory();
    let mut client = server.client();
    let numbers = [
        "7",
        "1e3",
        "1000.0",
        "1E3",
        "1.0",
        "1",
        "1.50",
        "-0",
        "-0.0",
        "0",
        "1e400",
        "12345678901234567890123",
        "12345678901234567890124",
    ];
    for number in numbers {
        let claim = client.post(&format!(r#"{{"resource": {number} ,"ttl":60}}"#)).expect(201);
        assert_eq!(claim.field("resource"), number);
        let list = client.get(&format!("/v1/claims/?resource={number}")).expect(200).json();
        assert_eq!(list[0]["url"], claim.field("url"));
    }
    client.post(&claim("1e3")).expect(202);
}

#[test]
fn a_key_stands_for_one_body() {
    let server = Running::in_memory();
    let mut client = server.client().with("idempotency-key", "6f1c");
    let first = client.post(&claim("r")).expect(201);
    let refused = client.post(&claim("s")).expect(422);
    assert!(refused.field("message").as_str().is_some_and(|text| text.contains("resource")));
    assert_eq!(client.post(&claim("r")).expect(201).field("url"), first.field("url"));
    client.set(&first.path(), "released").expect(204);
    client.post(&claim("s")).expect(422);
    let mut other = Client::new(server.at).with("idempotency-key", "6f1d");
    other.post(&claim("s")).expect(201);
}
