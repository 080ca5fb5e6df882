//! The bodies of requests: what is read of them, and why one is refused.

use turnstile_claim::wire::request::{Bounds, Patch, read_patch, read_post, status_body, ttl_body};
use turnstile_claim_core::message::TargetStatus;

#[track_caller]
fn check_post(body: &str, fields: &[&str]) {
    let read = read_post(body.as_bytes(), &Bounds::default());
    let reasons = read.err().unwrap_or_default();
    assert_eq!(reasons.keys().copied().collect::<Vec<_>>(), fields, "{body}");
}

#[track_caller]
fn check_patch(body: &str, expected: Result<Patch, &[&str]>) {
    let read = read_patch(body.as_bytes(), &Bounds::default(), false);
    let read = read.map_err(|reasons| reasons.keys().copied().collect::<Vec<_>>());
    assert_eq!(read, expected.map_err(<[&str]>::to_vec), "{body}");
}

#[test]
fn a_post_is_refused_under_the_names_of_its_fields() {
    check_post(r#"{"resource":"a","ttl":1}"#, &[]);
    check_post(r#"{"resource":"a","ttl":0.01,"user_data":[1],"more":true}"#, &[]);
    check_post("{}", &["resource", "ttl"]);
    check_post("[]", &["resource", "ttl"]);
    check_post(r#"{"resource":null,"ttl":null}"#, &["resource", "ttl"]);
    check_post(r#"{"resource":"","ttl":-1}"#, &["resource", "ttl"]);
    check_post(r#"{"resource":[7],"ttl":"soon"}"#, &["resource", "ttl"]);
    check_post(r#"{"resource":true,"ttl":true}"#, &["resource", "ttl"]);
    check_post(r#"{"resource":"a","ttl":"NaN"}"#, &["ttl"]);
    check_post(r#"{"resource":"a","ttl":"inf"}"#, &["ttl"]);
    check_post(r#"{"resource":"a","ttl":"-1"}"#, &["ttl"]);
    check_post(r#"{"resource":"a","ttl":""}"#, &["ttl"]);
    check_post(r#"{"resource":"a","ttl":1e300}"#, &["ttl"]);
    check_post("", &["message"]);
    check_post("{resource}", &["message"]);
    check_post(r#"{"resource":"a","ttl":1,"ttl":2}"#, &["message"]);
    let no_text = read_post(b"{\"resource\":\"a\",\"ttl\":1,\"x\":\"\xff\"}", &Bounds::default());
    assert!(no_text.is_err_and(|reasons| reasons.contains_key("message")));
}

/// The Perl client sends `"30"` as soon as the value was ever used as text.
#[test]
fn numbers_and_their_texts_are_the_same() {
    let read = |body: &str| read_post(body.as_bytes(), &Bounds::default()).expect(body);
    let post = read(r#"{"resource":7,"ttl":"30"}"#);
    assert_eq!((post.resource.as_str(), post.ttl_us), ("7", 30_000_000));
    let post = read(r#"{"resource": 1.50 ,"ttl":" 0.5 "}"#);
    assert_eq!((post.resource.as_str(), post.ttl_us), ("1.50", 500_000));
    check_patch(r#"{"ttl":"1.5"}"#, Ok(Patch::Ttl(1_500_000)));
}

#[test]
fn a_patch_changes_one_thing() {
    check_patch(r#"{"ttl":1.5}"#, Ok(Patch::Ttl(1_500_000)));
    check_patch(r#"{"ttl":0}"#, Ok(Patch::Ttl(0)));
    let released = Patch::Status(TargetStatus::Released);
    check_patch(r#"{"status":"released"}"#, Ok(released));
    check_patch(r#"{"status":"released","ttl":null}"#, Ok(released));
    check_patch(r#"{"status":"active","ttl":1}"#, Err(&["extra-parameters"]));
    check_patch("{}", Err(&["missing-parameters"]));
    check_patch(r#"{"status":"expired"}"#, Err(&["status"]));
    check_patch(r#"{"status":"waiting"}"#, Err(&["status"]));
    check_patch(r#"{"status":3}"#, Err(&["status"]));
    check_patch(r#"{"ttl":-1.7}"#, Err(&["ttl"]));
    check_patch("nonsense", Err(&["message"]));
}

#[test]
fn what_a_client_writes_a_server_reads() {
    check_patch(&ttl_body(20_000_000), Ok(Patch::Ttl(20_000_000)));
    assert_eq!(ttl_body(20_000_000), r#"{"ttl":20.0}"#);
    check_patch(&status_body(TargetStatus::Aborted), Ok(Patch::Status(TargetStatus::Aborted)));
}
