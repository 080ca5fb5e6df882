//! How many claims may wait or be active: in all, and of one owner.

use serde_json::json;
use turnstile_claim::server::{Options, Quotas, Storage};
use turnstile_host::store::Disk;

use super::Running;
use super::tokens::{NAMED, tokens};
use crate::http::{Answer, Client, Running as Single, until};

fn options(claims_max: usize, claims_per_owner_max: usize) -> Options {
    let quotas = Quotas { claims_max, claims_per_owner_max };
    Options { quotas, ..Options::default() }
}

fn post(client: &mut Client, resource: &str) -> Answer {
    client.post(&json!({ "resource": resource, "ttl": 60 }).to_string())
}

#[track_caller]
fn check_refused(answer: &Answer, because: &str) {
    assert_eq!(answer.status, 429, "{answer:?}");
    assert!(answer.headers["retry-after"].parse::<u32>().is_ok(), "{answer:?}");
    let message = answer.field("message");
    assert!(message.as_str().is_some_and(|text| text.contains(because)), "{message}");
}

#[test]
fn beyond_the_quota_a_post_is_told_to_come_again() {
    let server = Running::start(Storage::Memory, options(3, 1));
    let mut client = server.client();
    let mut keyed = server.client().with("idempotency-key", "6f1c");
    let held = post(&mut keyed, "a").expect(201);
    post(&mut client, "a").expect(202);
    let short = client.post(r#"{"resource":"b","ttl":0.001}"#).expect(201).path();
    check_refused(&post(&mut client, "c"), "already has 3 waiting and active claims");
    assert_eq!(post(&mut keyed, "a").expect(201).field("url"), held.field("url"));
    until("it lapses", || client.get(&short).number("ttl") < 0.0);
    let renewed = post(&mut client, "b").expect(201).path();
    assert_eq!(client.get(&short).field("status"), "expired", "one comes, one goes");
    check_refused(&post(&mut client, "c"), "already has 3 waiting");
    client.set(&renewed, "released").expect(204);
    post(&mut client, "c").expect(201);
}

#[test]
fn one_owner_leaves_room_for_others() {
    let tokens = tokens("quotas.tokens", NAMED);
    let server = Running::start(Storage::Memory, Options { tokens, ..options(3, 2) });
    let (mut ci, mut rotated) =
        (server.client().with_token("ci-1"), server.client().with_token("ci-2"));
    let mut deploy = server.client().with_token("deploy-1");
    let held = post(&mut ci, "a").expect(201).path();
    post(&mut rotated, "b").expect(201);
    check_refused(&post(&mut ci, "c"), "This owner already has 2 waiting");
    check_refused(&post(&mut rotated, "c"), "This owner already has 2 waiting");
    post(&mut deploy, "c").expect(201);
    check_refused(&post(&mut deploy, "d"), "already has 3 waiting and active claims");
    ci.set(&held, "released").expect(204);
    post(&mut ci, "d").expect(201);
    check_refused(&post(&mut ci, "e"), "claims");
}

/// Whoever takes over what another has let lapse has one claim more.
#[test]
fn a_lapsed_claim_makes_room_for_its_owner_alone() {
    let tokens = tokens("lapsed.tokens", NAMED);
    let server = Running::start(Storage::Memory, Options { tokens, ..options(9, 1) });
    let (mut ci, mut deploy) =
        (server.client().with_token("ci-1"), server.client().with_token("deploy-1"));
    let short = ci.post(r#"{"resource":"a","ttl":0.001}"#).expect(201).path();
    post(&mut deploy, "b").expect(201);
    until("it lapses", || ci.get(&short).number("ttl") < 0.0);
    check_refused(&post(&mut deploy, "a"), "This owner already has 1 waiting");
    post(&mut ci, "a").expect(201);
    assert_eq!(ci.get(&short).field("status"), "expired");
}

#[test]
fn a_restart_forgets_none_of_them() {
    let disk = Disk::default();
    let start = || {
        let storage =
            Storage::Simulated(Box::new(disk.open()), Box::new(|| std::time::Duration::ZERO));
        let tokens = tokens("restart-quotas.tokens", NAMED);
        Single::start(storage, Options { tokens, ..options(3, 2) })
    };
    let server = start();
    let held = post(&mut server.client().with_token("ci-1"), "a").expect(201).path();
    post(&mut server.client().with_token("ci-1"), "b").expect(201);
    server.stop();
    let server = start();
    let (mut ci, mut deploy) =
        (server.client().with_token("ci-2"), server.client().with_token("deploy-1"));
    check_refused(&post(&mut ci, "c"), "This owner already has 2 waiting");
    post(&mut deploy, "c").expect(201);
    check_refused(&post(&mut deploy, "d"), "already has 3 waiting and active claims");
    ci.set(&held, "released").expect(204);
    post(&mut ci, "d").expect(201);
}
