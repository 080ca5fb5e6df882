//! `claim` with the URLs of all members: those that it uses are killed and stopped.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use tokio::time::timeout;
use turnstile_claim::client::LockClientBuilder;
use turnstile_claim::wire::claim::id_in;

use super::program::{Site, body};
use crate::command::CLAIM;
use crate::http::{Answer, Client, PATIENCE, until};
use crate::real::Turnstiled;

/// Prints the token, and ends with its input.
const HOLD: &str = "echo $CLAIM_FENCING_TOKEN; read line; echo over";

fn ready(name: &str) -> Site {
    let mut site = Site::new(name);
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
    site
}

/// The member with this number comes first.
fn claim(site: &Site, first: u64, arguments: &[&str]) -> Child {
    let mut command = Command::new(CLAIM);
    for id in (first..=3).chain(1..first) {
        command.args(["--url", &site.url(id)]);
    }
    command.args(arguments).env_remove("TURNSTILE_LOG").env_remove("TURNSTILE_TOKEN");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// A member is killed or stands still: the others remain. Its process ends with what is returned.
fn lose(site: &mut Site, id: u64, signal: Signal) -> Turnstiled {
    let mut lost = site.members.remove(&id).expect("it runs");
    lost.strike(signal);
    lost
}

/// The claims of a resource.
fn claims(client: &mut Client, resource: &str) -> Vec<Value> {
    let list = client.get(&format!("/v1/claims/?resource={resource}")).expect(200).json();
    list.as_array().expect("an array").clone()
}

fn token(claim: &Value) -> String {
    claim["fencing_token"].to_string()
}

/// Waits until the ttl of the only claim grows, by a renewal.
fn renewed(client: &mut Client, resource: &str) {
    let mut least = f64::MAX;
    until("it is renewed", || {
        let claims = claims(client, resource);
        let [claim] = &claims[..] else { panic!("one claim, not {claims:?}") };
        assert_eq!(claim["status"], "active");
        let ttl = claim["ttl"].as_f64().expect("a float");
        let has_grown = ttl > least;
        least = least.min(ttl);
        has_grown
    });
}

/// A command runs on, under the same token, when a member is lost whose URL came first.
#[track_caller]
fn check_held(name: &str, is_leader: bool, signal: Signal) {
    let mut site = ready(name);
    let leader = site.leader();
    let lost = if is_leader { leader } else { leader % 3 + 1 };
    let arguments = ["run", "r", "--ttl", "12", "--", "sh", "-c", HOLD];
    let mut running = claim(&site, lost, &arguments);
    let mut out = BufReader::new(running.stdout.take().expect("it is piped"));
    let mut first = String::new();
    out.read_line(&mut first).expect("the command speaks");
    let _lost = lose(&mut site, lost, signal);
    let next = site.leader();
    let mut client = site.client(next);
    // A new leader gives the whole ttl again: so the second time.
    (0..2).for_each(|_| renewed(&mut client, "r"));
    let held = claims(&mut client, "r");
    assert_eq!(token(&held[0]), first.trim());
    drop(running.stdin.take());
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("plain text");
    let ended = running.wait_with_output().expect("it is our child");
    assert_eq!((ended.status.code(), rest.as_str()), (Some(0), "over\n"), "{ended:?}");
    assert_eq!(claims(&mut client, "r")[0]["status"], "released", "{ended:?}");
}

#[test]
fn a_command_outlives_the_leader_that_it_was_held_through() {
    check_held("client-leader-killed", true, Signal::KILL);
}

#[test]
fn a_command_outlives_the_follower_that_it_was_held_through() {
    check_held("client-follower-killed", false, Signal::KILL);
}

#[test]
fn a_command_outlives_a_leader_that_stands_still() {
    check_held("client-leader-stopped", true, Signal::STOP);
}

/// A claim waits on, as the same one, when a member is lost whose URL came first.
#[track_caller]
fn check_waiting(name: &str, is_leader: bool, signal: Signal) {
    let mut site = ready(name);
    let leader = site.leader();
    let lost = if is_leader { leader } else { leader % 3 + 1 };
    let held: Answer = site.client(leader).post(&body("r")).expect(201);
    let script = "echo $CLAIM_FENCING_TOKEN";
    let arguments = ["run", "r", "--ttl", "12", "--", "sh", "-c", script];
    let mut waiting = claim(&site, lost, &arguments);
    let mut errors = BufReader::new(waiting.stderr.take().expect("it is piped"));
    let mut text = String::new();
    let mut read_to = |expected: &str| {
        while !text.contains(expected) {
            let len = errors.read_line(&mut text).expect("plain text");
            assert!(len > 0, "no {expected:?} in {text}");
        }
    };
    read_to("waiting for r");
    let _lost = lose(&mut site, lost, signal);
    read_to("connected again: still waiting");
    let mut client = site.client(site.leader());
    client.set(&held.path(), "released").expect(204);
    let ended = waiting.wait_with_output().expect("it is our child");
    assert!(ended.status.success(), "{ended:?}");
    let claims = claims(&mut client, "r");
    assert_eq!(claims.len(), 2, "the same claim waits on: {claims:?}");
    assert_eq!(token(&claims[1]), String::from_utf8_lossy(&ended.stdout).trim());
    assert_eq!(claims[1]["status"], "released");
}

#[test]
fn a_claim_that_waits_outlives_the_leader_that_it_waited_at() {
    check_waiting("client-waits-leader", true, Signal::KILL);
}

#[test]
fn a_claim_that_waits_outlives_a_follower_that_stands_still() {
    check_waiting("client-waits-follower", false, Signal::STOP);
}

#[test]
fn a_lock_is_released_although_its_member_stands_still() {
    let mut site = ready("client-release");
    let lost = site.leader() % 3 + 1;
    let arguments = ["run", "r", "--ttl", "600", "--", "sh", "-c", HOLD];
    let mut running = claim(&site, lost, &arguments);
    let mut out = BufReader::new(running.stdout.take().expect("it is piped"));
    out.read_line(&mut String::new()).expect("the command speaks");
    let _lost = lose(&mut site, lost, Signal::STOP);
    let ended = running.wait_with_output().expect("it is our child");
    assert!(ended.status.success(), "{ended:?}");
    let text = String::from_utf8(ended.stderr).expect("plain text");
    assert!(!text.contains("is not acknowledged"), "{text}");
    assert_eq!(claims(&mut site.client(site.leader()), "r")[0]["status"], "released");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_revocation_is_told_by_the_member_that_answers() {
    let mut site = ready("client-revoked");
    let leader = site.leader();
    let lost = leader % 3 + 1;
    let builder = LockClientBuilder::for_servers([site.url(lost), site.url(leader)]);
    let lock_client = builder.build().expect("good addresses");
    let claim = lock_client.claim("r").ttl(Duration::from_secs(600)).await.expect("it is free");
    let id = id_in(&claim.url()).expect("its id");
    let _lost = lose(&mut site, lost, Signal::STOP);
    claim.refresh(None).await.expect("the other member answers");
    assert!(claim.url().starts_with(&site.url(leader)), "{}", claim.url());
    site.client(leader).set(&format!("/v1/claims/{id}/"), "revoked").expect(204);
    // Long before its next renewal, and before a request for its end is given up.
    timeout(PATIENCE, claim.lost()).await.expect("it is told");
    assert!(claim.loss().is_some_and(|error| error.to_string().contains("was revoked")));
}
