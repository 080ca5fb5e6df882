//! What `/healthz` and `/readyz` of a member say: whether it runs, and whether it can answer.

use turnstile_claim::server::Options;

use super::members::{Members, QUICK};
use crate::http::{Client, until};

/// Waits until a member that runs says why it is not ready.
#[track_caller]
fn unready(members: &Members, id: u64, why: &str) {
    let mut said = String::new();
    until(&format!("member {id} says {why:?}"), || {
        let mut client = members.client_of(id);
        client.get("/healthz").expect(200);
        let answer = client.get("/readyz");
        said = answer.text;
        answer.status == 503 && said.contains(why)
    });
}

/// Waits until a member is ready; then it answers.
fn ready(members: &Members, id: u64) {
    until("it is ready", || members.client_of(id).get("/readyz").status == 200);
    members.client_of(id).get("/v1/claims/").expect(200);
}

#[test]
fn a_member_says_whether_it_runs_and_whether_it_can_answer() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    (1..=3).for_each(|id| ready(&members, id));
    let cut = members.leader();
    members.hub.isolate(cut);
    unready(&members, cut, "no majority of the members answers");
    let leader = members.leader_among(&members.others(cut));
    members.others(cut).into_iter().for_each(|id| ready(&members, id));
    members.hub.heal();
    ready(&members, cut);
    members.hub.isolate(cut);
    unready(&members, cut, "no leader is known");
    members.hub.heal();
    ready(&members, cut);

    members.join(4, Options::default());
    unready(&members, 4, "no leader is known");
    let path = |id: u64| format!("/v1/cluster/members/{id}/");
    let mut client = members.client_of(leader);
    client.request("PUT", &path(4), r#"{"address":"member-4:1"}"#).expect(204);
    ready(&members, 4);
    // With its last connections: it may hear that it is removed, or nothing at all.
    members.client_of(4).request("DELETE", &path(4), "").expect(204);
    unready(&members, 4, "");
    members.client_of(4).get("/v1/claims/").expect(503);
    (1..=3).for_each(|id| ready(&members, id));
    let at = members.client_of(4).at();
    members.end(4);
    assert!(Client::try_new(at).is_none(), "it has stopped");

    let leader = members.leader();
    // The answer may be lost with the leadership.
    let _answer = members.client_of(leader).request("DELETE", &path(leader), "");
    unready(&members, leader, "this member was removed from the cluster");
    members.others(leader).into_iter().for_each(|id| ready(&members, id));
}

/// Neither half of four members is a majority. The leader and its follower hear each other, so that
/// the follower never stands for election.
#[test]
fn a_follower_of_a_leader_without_a_majority_is_not_ready() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    members.join(4, Options::default());
    let leader = members.leader_among(&[1, 2, 3]);
    let new = r#"{"address":"member-4:1"}"#;
    members.client_of(leader).request("PUT", "/v1/cluster/members/4/", new).expect(204);
    (1..=4).for_each(|id| ready(&members, id));
    let leader = members.leader();
    let others = members.others(leader);
    for near in [leader, others[0]] {
        for far in &others[1..] {
            members.hub.cut(near, *far);
            members.hub.cut(*far, near);
        }
    }
    unready(&members, leader, "no majority of the members answers");
    unready(&members, others[0], "the leader does not answer, or no majority answers it");
    let metrics = members.client_of(others[0]).get("/metrics").expect(200).text;
    assert!(metrics.contains("turnstile_log_ready 0\n"), "{metrics}");
    members.hub.heal();
    (1..=4).for_each(|id| ready(&members, id));
}

#[test]
fn a_cluster_of_one_with_a_full_disk_says_so() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    let last = members.leader();
    for id in members.others(last) {
        members.client_of(last).request("DELETE", &format!("/v1/cluster/members/{id}/"), "");
        until("it is removed", || !members.member(last).status().members.contains_key(&id));
        members.end(id);
    }
    ready(&members, last);
    members.fill(last);
    let body = r#"{"resource":"r","ttl":600}"#;
    until("what is refused is the disk's fault", || {
        let answer = members.client_of(last).post(body).expect(503).text;
        assert!(!answer.contains("ajority"), "{answer}");
        answer.contains("The storage of this member rejects writes: nothing was changed")
    });
}

#[test]
fn a_member_counts_the_groups_of_changes_that_it_has_synced_as_a_single_server_does() {
    let members = Members::with(QUICK, &|_| Options::default());
    let mut client = members.client();
    let mut commits = || {
        let text = client.get("/metrics").expect(200).text;
        let count = text.lines().find_map(|line| line.strip_prefix("turnstile_commits_total "));
        count.and_then(|count| count.parse::<u64>().ok()).expect("a count")
    };
    let before = commits();
    members.client().post(r#"{"resource":"r","ttl":600}"#).expect(201);
    until("it has synced the claim", || commits() > before);
}
