//! Clients that take, renew and release locks at all members, while members are lost and start
//! again: no two hold one lock, tokens grow, and nothing that was answered is lost.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;

use serde_json::json;
use turnstile_claim::server::Options;

use super::members::{Members, QUICK};
use crate::http::{Answer, Client, until};

const CLIENTS: u64 = 6;
const RESOURCES: u64 = 3;
/// The leader is lost so often.
const LOSSES: u64 = 4;
/// The locks that are taken between two changes of the members.
pub(super) const BETWEEN: u64 = 60;

/// The lock of one resource, as its clients know it.
#[derive(Default)]
struct Lock {
    holder: Option<u64>,
    newest: u64,
}

/// What all clients share.
#[derive(Default)]
struct Site {
    members: Mutex<Vec<SocketAddr>>,
    locks: [Mutex<Lock>; RESOURCES as usize],
    /// The token of each claim whose release was answered.
    released: Mutex<BTreeMap<String, u64>>,
    taken: AtomicU64,
    unavailable: AtomicU64,
    is_over: AtomicBool,
}

/// A client that goes to another member when one does not answer.
struct Wanderer<'a> {
    site: &'a Site,
    key: String,
    turn: usize,
    client: Option<Client>,
}

impl Wanderer<'_> {
    /// Asks until a member says something definite.
    fn ask(&mut self, method: &str, path: &str, body: &str) -> Answer {
        let mut answer = None;
        until("a member answers", || {
            answer = self.try_ask(method, path, body);
            answer.is_some()
        });
        answer.expect("it was waited for")
    }

    fn try_ask(&mut self, method: &str, path: &str, body: &str) -> Option<Answer> {
        if self.client.is_none() {
            self.turn += 1;
            let at = {
                let members = self.site.members.lock().expect("no client panics");
                members[self.turn % members.len()]
            };
            let client = Client::try_new(at)?.with("idempotency-key", &self.key);
            self.client = Some(client.with("prefer", "wait=1"));
        }
        let answer = self.client.as_mut().and_then(|client| client.try_request(method, path, body));
        if let Some(answer) = answer.as_ref().filter(|answer| answer.status == 503) {
            assert!(answer.headers.contains_key("retry-after"), "{answer:?}");
        }
        let definite = answer.filter(|answer| answer.status != 503);
        if definite.is_none() {
            self.site.unavailable.fetch_add(1, Ordering::Relaxed);
            self.client = None;
        }
        definite
    }

    /// Waits until a claim holds its lock; its path and its token.
    fn take(&mut self, resource: usize) -> (String, u64) {
        let post = json!({ "resource": format!("r{resource}"), "ttl": 600 }).to_string();
        let mut answer = self.ask("POST", "/v1/claims/", &post);
        assert!(matches!(answer.status, 201 | 202), "{answer:?}");
        let path = answer.path();
        while !matches!(answer.status, 200 | 201) {
            answer = self.ask("PATCH", &path, r#"{"status":"active"}"#);
            assert!(matches!(answer.status, 200 | 409), "{answer:?}");
        }
        (path, answer.field("fencing_token").as_u64().expect("a token"))
    }
}

/// Takes, renews and releases locks until the test is over.
fn work(site: &Site, number: u64) {
    let resource = (number % RESOURCES) as usize;
    for round in 0.. {
        if site.is_over.load(Ordering::Relaxed) {
            return;
        }
        let turn = (number + round) as usize;
        let key = format!("{number}-{round}");
        let mut client = Wanderer { site, key, turn, client: None };
        let (path, token) = client.take(resource);
        {
            let mut lock = site.locks[resource].lock().expect("no client panics");
            assert_eq!(lock.holder, None, "{path} holds r{resource}, too");
            assert!(token > lock.newest, "token {token} of {path} after {}", lock.newest);
            *lock = Lock { holder: Some(token), newest: token };
        }
        client.ask("PATCH", &path, r#"{"ttl":600}"#).expect(200);
        site.taken.fetch_add(1, Ordering::Relaxed);
        site.locks[resource].lock().expect("no client panics").holder = None;
        // 400: an attempt that was answered with 503 has released it.
        let released = client.ask("PATCH", &path, r#"{"status":"released"}"#);
        assert!(matches!(released.status, 204 | 400), "{released:?}");
        site.released.lock().expect("no client panics").insert(path, token);
    }
}

/// Clients at work.
pub(super) struct UnderLoad<'scope> {
    site: &'scope Site,
    clients: Vec<ScopedJoinHandle<'scope, ()>>,
}

impl UnderLoad<'_> {
    /// The members that are asked from now on.
    pub(super) fn ask(&self, members: Vec<SocketAddr>) {
        *self.site.members.lock().expect("no client panics") = members;
    }

    /// Waits until so many more locks are taken.
    pub(super) fn busy(&self, more: u64) {
        let goal = self.site.taken.load(Ordering::Relaxed) + more;
        until("locks are taken", || {
            assert!(self.clients.iter().all(|client| !client.is_finished()), "a client panicked");
            self.site.taken.load(Ordering::Relaxed) > goal
        });
    }

    /// The requests so far that were answered with 503, or not at all.
    pub(super) fn unavailable(&self) -> u64 {
        self.site.unavailable.load(Ordering::Relaxed)
    }
}

impl Drop for UnderLoad<'_> {
    fn drop(&mut self) {
        self.site.is_over.store(true, Ordering::Relaxed);
    }
}

/// Calls a function while clients ask these members, which it may change. Returns the token of each
/// claim that was taken and released.
pub(super) fn under_load(
    members: Vec<SocketAddr>,
    act: impl FnOnce(&UnderLoad<'_>),
) -> BTreeMap<String, u64> {
    let site = Site::default();
    std::thread::scope(|scope| {
        let site = &site;
        let clients = (0..CLIENTS).map(|number| scope.spawn(move || work(site, number)));
        *site.members.lock().expect("no client panics") = members;
        let load = UnderLoad { site, clients: clients.collect() };
        act(&load);
    });
    println!("{:?} locks, {:?} answers of 503 or none", site.taken, site.unavailable);
    site.released.into_inner().expect("no client panicked")
}

/// All releases that were answered are known to a member.
#[track_caller]
pub(super) fn check_released(client: &mut Client, released: &BTreeMap<String, u64>) {
    for (path, token) in released {
        let claim = client.get(path).expect(200);
        let seen = (claim.field("status"), claim.field("fencing_token").as_u64());
        assert_eq!(seen, ("released".into(), Some(*token)), "{path}");
    }
}

#[test]
fn locks_are_exclusive_and_answers_are_kept_while_leaders_are_lost() {
    let mut members = Members::with(QUICK, &|_| Options::default());
    let released = under_load(members.addresses(), |load| {
        for loss in 0..LOSSES {
            load.busy(BETWEEN);
            let leader = members.leader();
            if loss % 2 == 0 {
                members.kill(leader);
                load.ask(members.addresses());
                load.busy(BETWEEN);
                members.join(leader, Options::default());
                load.ask(members.addresses());
            } else {
                members.hub.isolate(leader);
                members.leader_among(&members.others(leader));
                load.busy(BETWEEN);
                members.hub.heal();
            }
        }
        load.busy(BETWEEN);
    });
    check_released(&mut members.client_of(1), &released);
}
