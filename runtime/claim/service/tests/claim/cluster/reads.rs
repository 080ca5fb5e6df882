//! What members say that have missed something, and those who watch a claim.

use serde_json::json;
use turnstile_claim::server::Options;

use super::members::{Members, QUICK};
use crate::http::{Client, until};

const BODY: &str = r#"{"resource":"r","ttl":60}"#;

/// All that a member has, without asking others. The times until a ttl lapses are estimates.
fn all(client: &mut Client) -> String {
    let list = client.get("/v1/claims/?stale=true&limit=10000").expect(200);
    let mut list = list.json();
    for claim in list.as_array_mut().expect("an array") {
        for estimate in ["ttl", "active_duration", "waiting_duration", "url"] {
            claim[estimate] = serde_json::Value::Null;
        }
    }
    list.to_string()
}

fn entries(client: &mut Client, what: &str) -> u64 {
    let metrics = client.get("/metrics").expect(200).text;
    let name = format!("turnstile_log_{what} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name}in {metrics}"))
}

#[test]
fn a_member_that_missed_more_than_the_log_keeps_has_the_same_state_by_a_snapshot() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    let leader = members.leader();
    let missing = members.others(leader)[0];
    members.kill(missing);
    let mut client = members.client_of(leader);
    client.post(BODY).expect(201);
    let mut waiter = members.client_of(leader).with("prefer", "wait=60");
    waiter.send("POST", "/v1/claims/", BODY);
    // One request at a time is one entry at a time.
    for number in 0..150 {
        let body = json!({ "resource": format!("r{number}"), "ttl": 60, "user_data": number });
        let claim = client.post(&body.to_string()).expect(201).path();
        if number % 3 == 0 {
            client.set(&claim, "released").expect(204);
        }
    }
    until("a snapshot is made", || entries(&mut client, "entries_in_snapshot") > 100);
    members.join(missing, Options::default());
    let mut late = members.client_of(missing);
    until("it is ready", || late.get("/readyz").status == 200);
    late.get("/v1/claims/1/").expect(200);
    assert!(entries(&mut late, "entries_in_snapshot") > 100, "it was sent a snapshot");
    let expected = all(&mut client);
    assert!(expected.contains("r149"));
    for id in 1..=3 {
        let mut client = members.client_of(id);
        client.get("/v1/claims/1/").expect(200);
        assert_eq!(all(&mut client), expected, "member {id}");
    }
    // It has the request that waits, too, whose member is another.
    assert!(late.get("/metrics").expect(200).text.contains("turnstile_calls_open 1\n"));
    late.set("/v1/claims/1/", "released").expect(204);
    waiter.hear().expect(201);
}

#[test]
fn the_counters_of_a_member_that_is_sent_a_snapshot_go_on() {
    let members = Members::with(QUICK, &|_| Options::default());
    let leader = members.leader();
    let late = members.others(leader)[0];
    let answers = || {
        let metrics = members.client_of(late).get("/metrics").expect(200).text;
        let lines =
            metrics.lines().filter_map(|line| line.strip_prefix("turnstile_answers_total{"));
        lines.map(|line| line.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok())).sum()
    };
    let mut client = members.client_of(late);
    for _ in 0..70 {
        let held = client.post(BODY).expect(201).path();
        client.set(&held, "released").expect(204);
    }
    let before: Option<u64> = answers();
    assert!(before >= Some(140), "{before:?}");
    let known = entries(&mut client, "entries");
    members.hub.isolate(late);
    let leader = members.leader_among(&members.others(late));
    let mut client = members.client_of(leader);
    for number in 0..120 {
        client.post(&json!({ "resource": number.to_string(), "ttl": 60 }).to_string()).expect(201);
    }
    until("a snapshot is made", || entries(&mut client, "entries_in_snapshot") > known);
    members.hub.heal();
    let mut late = members.client_of(late);
    until("it is sent", || entries(&mut late, "entries_in_snapshot") > known);
    let after = answers();
    assert!(after >= before, "{after:?} after {before:?}");
}

#[test]
fn who_watches_at_any_member_hears_of_the_end_of_a_claim() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    let leader = members.leader();
    let held = members.client_of(leader).post(BODY).expect(201).path();
    let watch = |members: &Members, id, wait: &str| {
        let mut watcher = members.client_of(id).with("prefer", &format!("wait={wait}"));
        watcher.send("GET", &held, "");
        watcher
    };
    let open = |members: &Members, id, count: u64| {
        let text = format!("turnstile_calls_open {count}\n");
        let mut client = members.client_of(id);
        until("it waits", || client.get("/metrics").expect(200).text.contains(&text));
    };
    for id in 1..=3 {
        let ended = watch(&members, id, "0.01").hear().expect(200);
        assert_eq!(ended.field("status"), "active");
        assert_eq!(ended.headers["preference-applied"], "wait");
    }
    let mut watchers: Vec<Client> = (1..=3).map(|id| watch(&members, id, "60")).collect();
    (1..=3).for_each(|id| open(&members, id, 1));
    members.client_of(leader).set(&held, "revoked").expect(204);
    for watcher in &mut watchers {
        assert_eq!(watcher.hear().expect(200).field("status"), "revoked");
    }
    (1..=3).for_each(|id| open(&members, id, 0));
    let next = members.client_of(leader).post(BODY).expect(201).path();
    let last = members.others(leader)[0];
    let mut watcher = members.client_of(last).with("prefer", "wait=60");
    watcher.send("GET", &next, "");
    open(&members, last, 1);
    members.end(last);
    assert_eq!(watcher.hear().expect(200).field("status"), "active");
}

#[test]
fn a_read_has_what_another_member_has_answered() {
    let members = Members::with(QUICK, &|_| Options::default());
    let mut clients: Vec<Client> = (1..=3).map(|id| members.client_of(id)).collect();
    for round in 0..60 {
        let path = clients[round % 3].post(BODY).expect(201).path();
        let seen = clients[(round + 1) % 3].get(&path).expect(200);
        assert_eq!(seen.field("status"), "active");
        clients[(round + 2) % 3].set(&path, "released").expect(204);
        let list = clients[round % 3].get("/v1/claims/?status=active").expect(200);
        assert_eq!(list.text, "[]");
    }
}

#[test]
fn a_read_says_plainly_whether_it_may_be_stale() {
    let members = Members::in_memory();
    let mut client = members.client();
    let cases = [("true", 200), ("false", 200), ("maybe", 400), ("", 400)];
    for (stale, status) in cases {
        let answer = client.get(&format!("/v1/claims/?stale={stale}")).expect(status);
        assert_eq!(answer.text.contains("neither true nor false"), status == 400, "{answer:?}");
    }
}
