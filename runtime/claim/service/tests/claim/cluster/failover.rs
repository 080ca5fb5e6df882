//! Leaders that are lost, and what their clients are told.

use std::time::{Duration, Instant};

use serde_json::json;
use turnstile_claim::server::Options;
use turnstile_raft::Role;

use super::members::{Members, QUICK, QUICK_LOG};
use crate::http::{Answer, until};

fn body(resource: &str, ttl: f64) -> String {
    json!({ "resource": resource, "ttl": ttl }).to_string()
}

fn token(answer: &Answer) -> u64 {
    answer.field("fencing_token").as_u64().expect("a token")
}

#[test]
fn claims_outlive_their_leader_and_tokens_grow() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    let old = members.leader();
    let held = members.client_of(old).post(&body("r", 60.0)).expect(201);
    let released = members.client().post(&body("s", 60.0)).expect(201);
    members.client().set(&released.path(), "released").expect(204);
    members.kill(old);
    let new = members.leader();
    assert_ne!(new, old);
    for id in members.others(old) {
        let mut client = members.client_of(id);
        let seen = client.get(&held.path()).expect(200);
        assert_eq!((seen.field("status"), token(&seen)), ("active".into(), token(&held)));
        assert_eq!(client.get(&released.path()).field("status"), "released");
        client.post(&body("r", 60.0)).expect(202);
    }
    let next = members.client_of(new).post(&body("t", 60.0)).expect(201);
    assert!(token(&next) > token(&released), "{next:?}");
    members.join(old, Options::default());
    until("it has caught up", || {
        members.client_of(old).get(&format!("{}?stale=true", next.path())).status == 200
    });
    members.client_of(old).set(&held.path(), "released").expect(204);
}

#[test]
fn a_leader_that_is_cut_off_grants_nothing_and_says_so() {
    let members = Members::with(QUICK, &|_| Options::default());
    let old = members.leader();
    let mut cut = members.client_of(old);
    let held = cut.post(&body("r", 60.0)).expect(201);
    members.hub.isolate(old);
    let refused = cut.post(&body("s", 60.0)).expect(503);
    assert_eq!(refused.headers["retry-after"], "1");
    let new = members.leader_among(&members.others(old));
    let mut client = members.client_of(new);
    client.set(&held.path(), "released").expect(204);
    let next = client.post(&body("r", 60.0)).expect(201);
    // What it says without the others is what it knew.
    let stale = cut.get(&format!("{}?stale=true", held.path())).expect(200);
    assert_eq!(stale.field("status"), "active");
    cut.get(&held.path()).expect(503);
    cut.get("/v1/claims/").expect(503);
    cut.get("/status/").expect(503);
    cut.patch(&held.path(), r#"{"ttl":60}"#).expect(503);
    cut.get("/readyz").expect(503);
    assert!(cut.get("/v1/claims/?stale=true&resource=r").expect(200).text.contains("active"));
    members.hub.heal();
    until("it follows", || cut.get("/readyz").status == 200);
    assert_eq!(cut.get(&held.path()).expect(200).field("status"), "released");
    assert_eq!(cut.get(&next.path()).expect(200).field("status"), "active");
    // Its proposals without a majority have no effect later.
    assert_eq!(cut.get("/v1/claims/?resource=s").expect(200).text, "[]");
}

/// The others hear it, and so elect nobody; but it does not hear them.
#[test]
fn a_lease_that_could_not_be_renewed_starts_again_once_its_leader_hears_a_majority() {
    let members = Members::with(QUICK_LOG, &|_| Options::default());
    let leader = members.leader();
    let held = members.client_of(leader).post(&body("r", 3.0)).expect(201);
    outlives_a_break(&members, leader, &held.path());
}

/// The break comes as the leader begins its term: its first operation is on its way, most often.
#[test]
fn a_lease_that_could_not_be_renewed_while_a_term_began_starts_again_likewise() {
    let mut members = Members::with(QUICK_LOG, &|_| Options::default());
    let old = members.leader();
    let held = members.client_of(old).post(&body("r", 3.0)).expect(201);
    members.kill(old);
    let mut new = None;
    until("one is elected", || {
        new = members.others(old).into_iter().find(|id| {
            let status = members.member(*id).status();
            status.role == Role::Leader && status.applied_term == Some(status.term)
        });
        new.is_some()
    });
    outlives_a_break(&members, new.expect("it was waited for"), &held.path());
}

/// Cuts a leader off from what the others say for longer than the 3 s of a claim, which nobody else
/// is granted afterwards.
#[track_caller]
fn outlives_a_break(members: &Members, leader: u64, held: &str) {
    let term = members.member(leader).status().term;
    for other in members.others(leader) {
        members.hub.cut(other, leader);
    }
    let (mut client, since) = (members.client_of(leader), Instant::now());
    until("its ttl is over", || since.elapsed() > Duration::from_secs(4));
    client.patch(held, r#"{"ttl":3}"#).expect(503);
    members.hub.heal();
    let mut next = None;
    until("another client is answered", || {
        next = Some(client.post(&body("r", 3.0))).filter(|answer| answer.status != 503);
        next.is_some()
    });
    next.expect("it was waited for").expect(202);
    client.patch(held, r#"{"ttl":3}"#).expect(200);
    assert_eq!(members.member(leader).status().term, term, "it has led all the time");
}

#[test]
fn a_request_that_waits_is_asked_to_come_again_and_then_granted() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    let old = members.leader();
    let [near, far] = members.others(old)[..] else { panic!("there are two others") };
    let held = members.client_of(near).post(&body("r", 60.0)).expect(201);
    let mut waiter = members.client_of(far).with("prefer", "wait=60");
    waiter.send("POST", "/v1/claims/", &body("r", 60.0));
    until("it waits", || {
        let metrics = members.client_of(near).get("/metrics").expect(200);
        metrics.text.contains("turnstile_calls_open 1\n")
    });
    members.kill(old);
    let queued = waiter.hear().expect(202);
    assert_eq!(queued.field("status"), "waiting");
    waiter.send("PATCH", &queued.path(), r#"{"status":"active"}"#);
    until("it waits again", || {
        let metrics = members.client_of(near).get("/metrics").expect(200);
        metrics.text.contains("turnstile_calls_open 1\n")
    });
    members.client_of(near).set(&held.path(), "released").expect(204);
    assert!(token(&waiter.hear().expect(200)) > token(&held));
}

#[test]
fn a_waiting_client_that_goes_is_skipped_and_so_is_one_of_a_killed_member() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    let leader = members.leader();
    let [near, far] = members.others(leader)[..] else { panic!("there are two others") };
    let mut client = members.client_of(leader);
    let held = client.post(&body("r", 60.0)).expect(201);
    let open = |count: u64, what: &str| {
        let text = format!("turnstile_calls_open {count}\n");
        until(what, || members.client_of(near).get("/metrics").expect(200).text.contains(&text));
    };
    let mut gone = members.client_of(near).with("prefer", "wait=60");
    gone.send("POST", "/v1/claims/", &body("r", 60.0));
    open(1, "it waits");
    drop(gone);
    open(0, "its going is noticed");
    let mut lost = members.client_of(far).with("prefer", "wait=60");
    lost.send("POST", "/v1/claims/", &body("r", 60.0));
    open(1, "it waits");
    members.kill(far);
    let text = "turnstile_calls_open 0\n";
    until("the leader misses it", || {
        members.client_of(near).get("/metrics").expect(200).text.contains(text)
    });
    let last = client.post(&body("r", 60.0)).expect(202);
    client.set(&held.path(), "released").expect(204);
    client.set(&last.path(), "active").expect(200);
}

#[test]
fn the_limits_of_the_leader_are_in_force_at_all_members() {
    let options = |id: u64| {
        let mut options = Options::default();
        options.limits.waiters_max = id as usize;
        options.bounds.resource_max = 10 * id as usize;
        options
    };
    let mut members = Members::with(QUICK, &options);
    for _ in 0..2 {
        let leader = members.leader();
        let limit = leader as usize;
        for id in 1..=3 {
            let mut client = members.client_of(id);
            let long = body(&"r".repeat(10 * limit + 1), 60.0);
            client.post(&long).expect(400);
            let resource = format!("r{leader}{id}");
            let held = client.post(&body(&resource, 60.0)).expect(201);
            for _ in 0..limit {
                client.post(&body(&resource, 60.0)).expect(202);
            }
            client.post(&body(&resource, 60.0)).expect(429);
            client.set(&held.path(), "released").expect(204);
        }
        members.kill(leader);
        members.leader();
        members.join(leader, options(leader));
        until("it is ready", || members.client_of(leader).get("/readyz").status == 200);
    }
}
