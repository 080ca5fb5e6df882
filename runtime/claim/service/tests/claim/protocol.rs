//! The wire protocol: what clients of the original server, and its own tests, count on.

use serde_json::{Value, json};

use super::Running;
use crate::http::{Answer, Client, until};

const CLAIMS: &str = "/v1/claims/";

fn body(resource: &str, ttl: f64) -> String {
    json!({ "resource": resource, "ttl": ttl }).to_string()
}

/// A claim that holds and one that waits behind it.
fn contended(client: &mut Client) -> (String, String) {
    let first = client.post(&body("r", 20.0)).expect(201).path();
    let second = client.post(&body("r", 20.0)).expect(202).path();
    (first, second)
}

#[track_caller]
fn check_list(client: &mut Client, query: &str, expected: usize) {
    let answer = client.get(&format!("{CLAIMS}?{query}")).expect(200);
    let found = answer.json().as_array().expect("an array").len();
    assert_eq!(found, expected, "{query}: {}", answer.text);
}

#[track_caller]
fn check_refused(answer: &Answer, fields: &[&str]) {
    assert_eq!(answer.status, 400, "{answer:?}");
    let body = answer.json();
    for field in fields {
        assert!(body.get(field).is_some_and(Value::is_string), "no {field} in {body}");
    }
}

#[test]
fn a_claim_that_is_granted_reads_as_the_protocol_says() {
    let server = Running::in_memory();
    let mut client = server.client();
    let data = json!({ "very": ["complex", "stuff", null, 1.0, {}] });
    let posted = client
        .post(&json!({ "resource": "a/b", "ttl": 20, "user_data": data }).to_string())
        .expect(201);
    let url = posted.headers["location"].clone();
    assert_eq!(posted.field("url"), url.as_str());
    assert_eq!(url, format!("http://{}{}", server.at, posted.path()));
    assert_eq!(posted.headers["content-type"], "application/json");

    let claim = client.get(&posted.path()).expect(200);
    assert_eq!(claim.field("resource"), "a/b");
    assert_eq!(claim.field("status"), "active");
    assert_eq!(claim.field("user_data"), data);
    assert_eq!(claim.field("url"), url.as_str());
    let ttl = claim.number("ttl");
    assert!(ttl > 10.0 && ttl <= 20.0, "{ttl}");
    assert!(claim.number("active_duration") > 0.0);
    assert!(claim.number("waiting_duration") > 0.0);
    let history = claim.field("status_history");
    assert_eq!(history[0]["status"], "waiting");
    assert_eq!(history[1]["status"], "active");
    assert_eq!(history.as_array().map(Vec::len), Some(2));
    let created = claim.field("created");
    let created = created.as_str().expect("a date");
    assert!(created.ends_with(" +0000") && created.len() == 31, "{created}");
    assert_eq!(claim.field("fencing_token").to_string(), claim.headers["fencing-token"]);
}

#[test]
fn a_claim_that_is_queued_has_neither_ttl_nor_token() {
    let server = Running::in_memory();
    let mut client = server.client();
    let (_, second) = contended(&mut client);
    let claim = client.get(&second).expect(200);
    assert_eq!(claim.field("status"), "waiting");
    assert!(claim.number("waiting_duration") > 0.0);
    for field in ["active_duration", "ttl", "user_data", "fencing_token"] {
        assert_eq!(claim.field(field), Value::Null, "{field}");
    }
    assert!(!claim.headers.contains_key("fencing-token"));
}

#[test]
fn a_bad_post_names_its_fields() {
    let server = Running::in_memory();
    let mut client = server.client();
    check_refused(&client.post("{}"), &["resource", "ttl"]);
    check_refused(&client.post(r#"{"ttl":1.2}"#), &["resource"]);
    check_refused(&client.post(r#"{"resource":"foo"}"#), &["ttl"]);
    check_refused(&client.post(&body("", 1.2)), &["resource"]);
    check_refused(&client.post(&body("foo", -1.2)), &["ttl"]);
    check_refused(&client.post(r#"{"resource":"foo","ttl":"soon"}"#), &["ttl"]);
    check_refused(&client.post("resource=foo"), &["message"]);
    check_list(&mut client, "", 0);
}

#[test]
fn a_bad_patch_names_its_fields() {
    let server = Running::in_memory();
    let mut client = server.client();
    let (held, _) = contended(&mut client);
    check_refused(&client.set(&held, "expired"), &["status"]);
    check_refused(&client.set(&held, "waiting"), &["status"]);
    check_refused(&client.patch(&held, r#"{"ttl":-1.7}"#), &["ttl"]);
    check_refused(&client.patch(&held, "{}"), &["missing-parameters"]);
    check_refused(&client.patch(&held, r#"{"status":"active","ttl":60}"#), &["extra-parameters"]);
    check_refused(&client.patch(&held, "not json"), &["message"]);
    assert_eq!(client.get(&held).field("status"), "active");
}

#[test]
fn a_ttl_is_replaced_and_counts_from_now() {
    let server = Running::in_memory();
    let mut client = server.client();
    let (held, waiting) = contended(&mut client);
    let ttl = client.patch(&held, r#"{"ttl":600}"#).expect(200).number("ttl");
    assert!(ttl > 550.0 && ttl <= 600.0, "{ttl}");
    let ttl = client.patch(&held, r#"{"ttl":5}"#).expect(200).number("ttl");
    assert!(ttl > 1.0 && ttl <= 5.0, "{ttl}");
    check_refused(&client.patch(&waiting, r#"{"ttl":600}"#), &["ttl"]);
    client.set(&held, "released").expect(204);
    check_refused(&client.patch(&held, r#"{"ttl":600}"#), &["ttl"]);
}

#[test]
fn a_release_lets_the_oldest_waiter_in_when_it_asks() {
    let server = Running::in_memory();
    let mut client = server.client();
    let (first, second) = contended(&mut client);
    let third = client.post(&body("r", 20.0)).expect(202).path();
    let refused = client.set(&second, "active").expect(409);
    let id = first.trim_end_matches('/').rsplit('/').next().expect("an id");
    assert_eq!(refused.field("active_claim_id").to_string(), id);
    assert!(refused.field("message").is_string());
    check_refused(&client.set(&second, "released"), &["status"]);
    assert_eq!(client.set(&first, "released").expect(204).text, "");
    assert_eq!(client.get(&second).field("status"), "waiting", "a release does not promote");
    client.set(&third, "active").expect(409);
    assert_eq!(client.get(&second).field("status"), "active", "a stranger's PATCH does");
    let granted = client.set(&second, "active").expect(200);
    assert!(granted.number("active_duration") > 0.0);
    assert!(granted.number("ttl") >= 10.0);
}

#[test]
fn a_stranger_s_post_promotes_the_oldest_waiter() {
    let server = Running::in_memory();
    let mut client = server.client();
    let (first, second) = contended(&mut client);
    client.set(&first, "released").expect(204);
    client.post(&body("r", 20.0)).expect(202);
    assert_eq!(client.get(&second).field("status"), "active");
}

#[test]
fn a_final_status_can_be_set_again_and_nothing_else() {
    let server = Running::in_memory();
    let mut client = server.client();
    for status in ["aborted", "withdrawn", "revoked"] {
        for is_held in [true, false] {
            let (held, waiting) = contended(&mut client);
            let (path, other) = if is_held { (&held, &waiting) } else { (&waiting, &held) };
            client.set(path, status).expect(204);
            client.set(path, status).expect(204);
            let one = client.get(path).expect(200);
            assert_eq!(one.field("status"), status);
            for to in ["active", "released", "aborted", "withdrawn", "revoked"] {
                if to != status {
                    check_refused(&client.set(path, to), &["status"]);
                }
            }
            let two = client.get(path).expect(200);
            for duration in ["active_duration", "waiting_duration"] {
                assert_eq!(one.field(duration), two.field(duration), "frozen once final");
            }
            assert_eq!(two.field("ttl"), Value::Null);
            client.set(other, "revoked").expect(204);
        }
    }
}

#[test]
fn a_release_is_final_too() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(&body("r", 20.0)).expect(201).path();
    client.set(&held, "released").expect(204);
    client.set(&held, "released").expect(204);
    for to in ["active", "aborted", "withdrawn", "revoked"] {
        check_refused(&client.set(&held, to), &["status"]);
    }
}

#[test]
fn a_lapsed_claim_that_nobody_contends_for_is_revived() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(&body("r", 0.001)).expect(201).path();
    until("the ttl lapses", || client.get(&held).number("ttl") < 0.0);
    let lapsed = client.get(&held);
    assert_eq!(lapsed.field("status"), "active");
    assert!(client.patch(&held, r#"{"ttl":600}"#).expect(200).number("ttl") > 0.0);
    client.post(&body("r", 20.0)).expect(202);
    assert_eq!(client.get(&held).field("status"), "active");
}

#[test]
fn a_lapsed_claim_expires_when_another_is_posted() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(&body("r", 0.001)).expect(201);
    let path = held.path();
    until("the ttl lapses", || client.get(&path).number("ttl") < 0.0);
    let next = client.post(&body("r", 20.0)).expect(201);
    assert_eq!(client.get(&path).field("status"), "expired");
    let token = |answer: &Answer| answer.field("fencing_token").as_u64().expect("a token");
    assert!(token(&next) > token(&held));
    for to in ["active", "released", "aborted", "withdrawn", "revoked"] {
        check_refused(&client.set(&path, to), &["status"]);
    }
    check_refused(&client.patch(&path, r#"{"ttl":5}"#), &["ttl"]);
}

#[test]
fn a_lapsed_claim_expires_when_the_next_in_line_asks_and_not_for_others() {
    let server = Running::in_memory();
    let mut client = server.client();
    let first = client.post(&body("r", 0.5)).expect(201).path();
    let second = client.post(&body("r", 60.0)).expect(202).path();
    let third = client.post(&body("r", 60.0)).expect(202).path();
    client.patch(&first, r#"{"ttl":0.001}"#).expect(200);
    until("the ttl lapses", || client.get(&first).number("ttl") < 0.0);
    client.set(&third, "active").expect(409);
    client.set(&second, "active").expect(200);
    assert_eq!(client.get(&first).field("status"), "expired");
}

#[test]
fn whoever_activates_a_claim_that_is_over_promotes_the_oldest_waiter() {
    let server = Running::in_memory();
    let mut client = server.client();
    let over = client.post(&body("r", 60.0)).expect(201).path();
    let waiting = client.post(&body("r", 60.0)).expect(202).path();
    client.set(&over, "released").expect(204);
    assert_eq!(client.get(&waiting).field("status"), "waiting");
    check_refused(&client.set(&over, "active"), &["status"]);
    assert_eq!(client.get(&waiting).field("status"), "active");
}

#[test]
fn a_list_is_filtered_limited_and_in_order() {
    let server = Running::in_memory();
    let mut client = server.client();
    for resource in ["foo", "bar"] {
        for data in ["a", "b", "c"] {
            let post = json!({ "resource": resource, "ttl": 10, "user_data": data });
            client.post(&post.to_string());
        }
    }
    check_list(&mut client, "", 6);
    check_list(&mut client, "resource=foo", 3);
    check_list(&mut client, "resource=baz", 0);
    check_list(&mut client, "status=active", 2);
    check_list(&mut client, "status=waiting", 4);
    check_list(&mut client, "status=released", 0);
    check_list(&mut client, "resource=foo&status=waiting", 2);
    check_list(&mut client, "minimum_active_duration=0", 2);
    check_list(&mut client, "maximum_active_duration=-1", 0);
    check_list(&mut client, "minimum_active_duration=1000", 0);
    check_list(&mut client, "minimum_waiting_duration=0", 6);
    check_list(&mut client, "maximum_waiting_duration=1000", 6);
    check_list(&mut client, "minimum_ttl=0", 2);
    check_list(&mut client, "maximum_ttl=10", 2);
    check_list(&mut client, "minimum_ttl=11", 0);
    check_list(&mut client, "limit=4", 4);
    check_list(&mut client, "limit=4&offset=4", 2);
    check_list(&mut client, "offset=6", 0);
    for _ in 0..10 {
        client.post(&body("more", 10.0));
    }
    check_list(&mut client, "", 10);
    check_list(&mut client, "limit=100", 16);
    let all = client.get("/v1/claims/?limit=100").json();
    let ids: Vec<u64> = all.as_array().expect("an array").iter().map(id).collect();
    assert!(ids.is_sorted(), "oldest first: {ids:?}");
    check_refused(&client.get("/v1/claims/?minimum_ttl=foo"), &["minimum_ttl"]);
    check_refused(&client.get("/v1/claims/?limit=foo"), &["limit"]);
}

fn id(claim: &Value) -> u64 {
    let url = claim["url"].as_str().expect("a URL").trim_end_matches('/');
    url.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id")
}

#[test]
fn paths_and_methods_are_those_of_the_protocol() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(&body("r", 20.0)).expect(201).path();
    let moved = client.get("/v1/claims?limit=2").expect(301);
    assert_eq!(moved.headers["location"], format!("http://{}/v1/claims/?limit=2", server.at));
    let moved = client.get(held.trim_end_matches('/')).expect(301);
    assert_eq!(moved.headers["location"], format!("http://{}{held}", server.at));
    for path in [CLAIMS, &held] {
        for method in ["PUT", "DELETE"] {
            let allowed = client.request(method, path, "{}").expect(405).headers["allow"].clone();
            let expected = if path == CLAIMS { "POST" } else { "PATCH" };
            assert!(allowed.contains("GET") && allowed.contains(expected), "{allowed}");
        }
    }
    client.patch(CLAIMS, "{}").expect(405);
    client.get("/").expect(404);
    client.get("/unknown/").expect(404);
    client.get("/v1/unknown/").expect(404);
    for path in ["/v1/claims/123456789/", "/v1/claims/x/", "/v1/claims/99999999999999999999/"] {
        client.get(path).expect(404);
        client.set(path, "active").expect(404);
    }
}

#[test]
fn a_claim_s_number_has_no_sign() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(&body("r", 20.0)).expect(201).path();
    assert_eq!(held, "/v1/claims/1/");
    for path in ["/v1/claims/+1/", "/v1/claims/%2B1/", "/v1/claims/-1/", "/v1/claims/%201/"] {
        client.get(path).expect(404);
        client.set(path, "released").expect(404);
    }
    assert_eq!(client.get(&held).field("status"), "active");
}

#[test]
fn a_host_that_is_none_is_refused_and_not_repeated() {
    use std::io::Write as _;
    let server = Running::in_memory();
    let text = body("r", 20.0);
    let hosts = ["host: evil/path?x=\r\n", "host: u@evil\r\n", "host: a b\r\n"];
    for host in hosts.into_iter().chain(["host: evil\"<b>\r\n", "host: a\r\nhost: b\r\n"]) {
        for (start, len) in [("GET /v1/claims", 0), ("POST /v1/claims/", text.len())] {
            let head = format!("{start} HTTP/1.1\r\n{host}content-length: {len}\r\n\r\n");
            let mut client = server.client();
            let question = format!("{head}{}", &text[..len]);
            client.stream().write_all(question.as_bytes()).expect("the server reads");
            let refused = client.hear().expect(400);
            assert!(!refused.headers.contains_key("location"), "{refused:?}");
            assert!(!refused.text.contains("evil"), "{refused:?}");
        }
    }
    check_list(&mut server.client(), "", 0);
}
