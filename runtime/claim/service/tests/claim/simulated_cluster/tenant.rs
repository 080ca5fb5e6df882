//! A client that holds a lock and renews its lease whenever a leader is in contact with a majority,
//! over links that nothing cuts, while another client waits for the lock. The lease never lapses:
//! a leader that could have it lapse is told soon that it is renewed.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use turnstile_raft::Member;

use super::keeper::{ask, path_of};
use super::member::ClaimCluster;
use crate::simulation::outcome::Event;

/// Longer than a leader is trusted without a majority: a shorter break renews no lease.
const TTL: f64 = 1.0;
const RENEWED_EVERY: Duration = Duration::from_millis(80);
/// A leader that a majority has answered within this time is in contact. Without contact nothing is
/// asked: no request waits at a member when the contact begins again.
const CONTACT: Duration = Duration::from_millis(200);
/// How often a member looks whether it is one.
const LOOK: Duration = Duration::from_millis(20);

/// Holds the lock until the simulation is over.
pub(super) async fn hold(cluster: ClaimCluster) {
    let mut attempts = 0;
    let (post, path) = loop {
        attempts += 1;
        // The attempt before may have taken effect, or its lease be over before its answer came.
        let begun = Instant::now();
        let resource = format!("rented-{attempts}");
        let post = json!({ "resource": resource, "ttl": TTL }).to_string();
        match ask(&cluster, 1, "POST /v1/claims/", &post).await {
            Some((201, claim)) if begun.elapsed() < CONTACT => break (post, path_of(&claim)),
            _ => sleep(RENEWED_EVERY).await,
        }
    };
    let is_awaited = Rc::new(Cell::new(false));
    let mut requests = JoinSet::new();
    while !cluster.members.is_over.get() {
        if let Some(leader) = leader_in_contact(&cluster) {
            let second = 1 + leader % cluster.members.first;
            for member in [leader, second] {
                requests.spawn_local(renew(cluster.clone(), member, path.clone()));
            }
        }
        if !is_awaited.replace(true) {
            let (cluster, post, is_awaited) = (cluster.clone(), post.clone(), is_awaited.clone());
            requests.spawn_local(async move {
                let answer = ask(&cluster, 2, "POST /v1/claims/", &post).await;
                assert!(!matches!(answer, Some((201, _))), "the lease has lapsed: {answer:?}");
                is_awaited.set(matches!(answer, Some((202, _))));
            });
        }
        while let Some(done) = requests.try_join_next() {
            done.expect("no request fails");
        }
        sleep(RENEWED_EVERY).await;
    }
}

/// Notes when the member is a leader in contact: each process has a clock of its own, so that only
/// itself knows.
pub(super) async fn note_contact(member: Member, cluster: ClaimCluster) {
    loop {
        let age = member.leadership().millis_since_quorum_ack;
        if age.is_some_and(|age| Duration::from_millis(age) < CONTACT) {
            cluster.contact.set(Some((member.status().id, now())));
        }
        sleep(LOOK).await;
    }
}

fn leader_in_contact(cluster: &ClaimCluster) -> Option<u64> {
    let (leader, at) = cluster.contact.get()?;
    (now() < at + CONTACT).then_some(leader)
}

fn now() -> Duration {
    turmoil::sim_elapsed().expect("in a simulation")
}

async fn renew(cluster: ClaimCluster, member: u64, path: String) {
    let body = json!({ "ttl": TTL }).to_string();
    match ask(&cluster, member, &format!("PATCH {path}"), &body).await {
        Some((200, _)) => cluster.tally.note(Event::Renewed),
        Some((408 | 503, _)) | None => {}
        Some((status, answer)) => panic!("the lease has lapsed: {status} {answer}"),
    }
}
