//! The real server, killed again and again while clients contend for locks, and their history.
//!
//! A client goes on in the next life where it was cut off: it repeats what was not answered. What
//! all of them saw must be a history of one server that never died, whatever the kills: nobody
//! holds what another holds, tokens grow, each key makes one claim, and what was answered stays so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use turnstile_claim::client::Rng;
use turnstile_random::seeds;

use crate::http::{Answer, Client, until};
use crate::real::Turnstiled;

/// How often the server is killed, unless TURNSTILE_KILLS says otherwise.
const KILLS: u64 = 10;
const CLIENTS: u64 = 8;
const RESOURCES: u64 = 3;
const CLAIMS: &str = "/v1/claims/";

/// When an operator asked for the first time to revoke a claim: it may have happened since.
type Revoked = Mutex<BTreeMap<String, Instant>>;

/// A lock that somebody certainly held, from one time to another.
#[derive(Clone, Debug)]
struct Hold {
    resource: u64,
    path: String,
    token: u64,
    /// Its first POST was sent.
    posted: Instant,
    /// The grant was heard.
    from: Instant,
    /// The release was sent.
    to: Instant,
}

/// How far a claim has come.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Posting,
    Waiting(u64),
    Held,
    Releasing(Instant),
    Withdrawing,
}

/// The claim that a client is about.
#[derive(Clone, Debug)]
struct ClaimEvents {
    resource: u64,
    key: u64,
    posted: Instant,
    path: String,
    /// The token, and when the grant was heard.
    grant: Option<(u64, Instant)>,
    stage: Stage,
}

/// A client over all lives.
struct Actor {
    rng: Rng,
    claim: Option<ClaimEvents>,
    holds: Vec<Hold>,
    /// What each claim is in the end.
    ends: BTreeMap<String, &'static str>,
}

fn token(claim: &Answer) -> u64 {
    claim.field("fencing_token").as_u64().expect("a token")
}

impl Actor {
    fn new(number: u64) -> Self {
        let rng = Rng::seeded(number << 8);
        Self { rng, claim: None, holds: Vec::new(), ends: BTreeMap::new() }
    }

    /// Claims and releases until the server is gone.
    fn live<'a>(
        &'a mut self,
        server: &'a Turnstiled,
        revoked: &'a Revoked,
        count: &'a AtomicU64,
    ) -> impl FnOnce() + Send + 'a {
        move || {
            let Some(mut client) = Client::try_new(server.at) else { return };
            if self.resume(&mut client, revoked).is_none() {
                return;
            }
            while self.step(&mut client, revoked).is_some() {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// What was granted in an earlier life is held in this one.
    fn resume(&self, client: &mut Client, revoked: &Revoked) -> Option<()> {
        let Some(ClaimEvents { path, grant: Some((granted, _)), stage: Stage::Held, .. }) =
            &self.claim
        else {
            return Some(());
        };
        let seen = client.try_request("GET", path, "")?.expect(200);
        assert_eq!(token(&seen), *granted, "{seen:?}");
        if seen.field("status") != "active" {
            assert!(is_revoked(revoked, path), "{seen:?}");
        }
        Some(())
    }

    /// One request and its answer; none where the server is gone.
    fn step(&mut self, client: &mut Client, revoked: &Revoked) -> Option<()> {
        let mut claim = match self.claim.clone() {
            Some(claim) => claim,
            None => {
                let (resource, key) = (self.rng.number() % RESOURCES, self.rng.number());
                let (posted, stage) = (Instant::now(), Stage::Posting);
                let path = String::new();
                ClaimEvents { resource, key, posted, path, grant: None, stage }
            }
        };
        self.claim = Some(claim.clone());
        let answer = ask(client, &claim)?;
        let is_over = match claim.stage {
            Stage::Posting if answer.status == 409 => {
                claim.path = format!("{CLAIMS}{}/", answer.field("claim_id"));
                assert!(is_revoked(revoked, &claim.path), "{answer:?}");
                self.end(&claim, "revoked");
                true
            }
            Stage::Waiting(_) if answer.status == 400 => {
                assert!(is_revoked(revoked, &claim.path), "{answer:?}");
                self.end(&claim, "revoked");
                true
            }
            Stage::Posting => {
                claim.path = answer.path();
                claim.hear(&answer, &[201], &[202]);
                false
            }
            Stage::Waiting(_) => {
                claim.hear(&answer, &[200], &[409]);
                false
            }
            Stage::Held => {
                claim.stage = Stage::Releasing(Instant::now());
                assert!(answer.status == 200 || is_revoked(revoked, &claim.path), "{answer:?}");
                false
            }
            Stage::Releasing(to) => {
                let is_released = answer.status == 204;
                assert!(is_released || is_revoked(revoked, &claim.path), "{answer:?}");
                self.hold(&claim, to);
                self.end(&claim, if is_released { "released" } else { "revoked" });
                true
            }
            Stage::Withdrawing => {
                let is_withdrawn = answer.status == 204;
                assert!(is_withdrawn || is_revoked(revoked, &claim.path), "{answer:?}");
                self.end(&claim, if is_withdrawn { "withdrawn" } else { "revoked" });
                true
            }
        };
        self.claim = (!is_over).then_some(claim);
        Some(())
    }

    fn hold(&mut self, claim: &ClaimEvents, to: Instant) {
        let ClaimEvents { resource, posted, .. } = *claim;
        let (token, from) = claim.grant.expect("it was granted");
        self.holds.push(Hold { resource, path: claim.path.clone(), token, posted, from, to });
    }

    fn end(&mut self, claim: &ClaimEvents, status: &'static str) {
        let before = self.ends.insert(claim.path.clone(), status);
        assert_eq!(before, None, "two keys made one claim: {claim:?}");
    }
}

impl ClaimEvents {
    /// Whether the lock is granted, or has to be waited for.
    fn hear(&mut self, answer: &Answer, granted: &[u16], waits: &[u16]) {
        if granted.contains(&answer.status) {
            self.grant = Some((token(answer), Instant::now()));
            self.stage = Stage::Held;
            return;
        }
        assert!(waits.contains(&answer.status), "{self:?}: {answer:?}");
        self.stage = match self.stage {
            Stage::Waiting(0) => Stage::Withdrawing,
            Stage::Waiting(left) => Stage::Waiting(left - 1),
            Stage::Posting | Stage::Held | Stage::Releasing(_) | Stage::Withdrawing => {
                Stage::Waiting(self.key % 5)
            }
        };
    }
}

/// What comes next of a claim, sent; and what is heard of it.
fn ask(client: &mut Client, claim: &ClaimEvents) -> Option<Answer> {
    let ClaimEvents { resource, key, path, .. } = claim;
    client.headers.clear();
    let (method, path, body) = match claim.stage {
        Stage::Posting => {
            client.headers.push(("idempotency-key".into(), format!("{key:x}")));
            ("POST", CLAIMS, format!(r#"{{"resource":"r{resource}","ttl":600}}"#))
        }
        Stage::Waiting(_) => {
            client.headers.push(("prefer".into(), "wait=0.02".into()));
            ("PATCH", path.as_str(), r#"{"status":"active"}"#.into())
        }
        Stage::Held => ("PATCH", path.as_str(), r#"{"ttl":600}"#.into()),
        Stage::Releasing(_) => ("PATCH", path.as_str(), r#"{"status":"released"}"#.into()),
        Stage::Withdrawing => ("PATCH", path.as_str(), r#"{"status":"withdrawn"}"#.into()),
    };
    client.try_request(method, path, &body)
}

fn is_revoked(revoked: &Revoked, path: &str) -> bool {
    revoked.lock().unwrap_or_else(PoisonError::into_inner).contains_key(path)
}

/// Takes locks from who holds them, until the server is gone.
fn operate(server: &Turnstiled, rng: &mut Rng, revoked: &Revoked) -> Option<()> {
    let mut client = Client::try_new(server.at)?;
    loop {
        let list = client.try_request("GET", "/v1/claims/?status=active", "")?.expect(200).json();
        let claims = list.as_array().expect("an array");
        if claims.is_empty() || !rng.number().is_multiple_of(20) {
            continue;
        }
        let url = claims[rng.number() as usize % claims.len()]["url"].as_str().expect("a URL");
        let path = &url[url.find("/v1/").expect("a path")..];
        let now = Instant::now();
        revoked.lock().expect("no holder panics").entry(path.to_owned()).or_insert(now);
        client.try_request("PATCH", path, r#"{"status":"revoked"}"#)?;
    }
}

/// Kills the server when it is dropped.
struct Killed<'a>(&'a Turnstiled);

impl Drop for Killed<'_> {
    fn drop(&mut self) {
        self.0.kill_alone();
    }
}

#[test]
fn a_server_killed_under_contention_has_one_history() {
    let kills = seeds::number("TURNSTILE_KILLS").unwrap_or(KILLS);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("history");
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    let data = dir.to_str().expect("a readable path");
    let arguments = ["--data", data];
    let mut actors: Vec<Actor> = (0..CLIENTS).map(Actor::new).collect();
    let (revoked, mut rng) = (Revoked::default(), Rng::seeded(7));
    for _ in 0..kills {
        let server = Turnstiled::start(&arguments);
        let (count, enough) = (AtomicU64::new(0), 100 + rng.number() % 300);
        std::thread::scope(|scope| {
            // However this ends, the threads end with the server.
            let _killed = Killed(&server);
            let (count, revoked, server, rng) = (&count, &revoked, &server, &mut rng);
            let acting = actors.iter_mut().map(|actor| actor.live(server, revoked, count));
            let acting: Vec<_> = acting.map(|live| scope.spawn(live)).collect();
            scope.spawn(move || operate(server, rng, revoked));
            until("the server is busy", || {
                let has_failed = acting.iter().any(ScopedJoinHandle::is_finished);
                has_failed || count.load(Ordering::Relaxed) > enough
            });
        });
    }
    let server = Turnstiled::start(&arguments);
    let mut client = Client::new(server.at);
    for actor in &mut actors {
        while actor.claim.is_some() {
            actor.step(&mut client, &revoked).expect("this one lives");
        }
    }
    client.headers.clear();
    check(&mut client, &actors, &revoked);
    let holds: usize = actors.iter().map(|actor| actor.holds.len()).sum();
    let revoked = revoked.lock().expect("no holder panics").len();
    println!("{kills} kills, {holds} holds in order, {revoked} claims revoked");
    assert!(holds > kills as usize, "locks were held");
}

fn check(client: &mut Client, actors: &[Actor], revoked: &Revoked) {
    // Each key has made one claim, and it is what was answered last.
    let list = client.get("/v1/claims/?limit=1000000").expect(200).json();
    let path = |url: &str| url[url.find("/v1/").expect("a path")..].to_owned();
    let mut there = BTreeMap::new();
    for claim in list.as_array().expect("an array") {
        let url = claim["url"].as_str().expect("a URL");
        there.insert(path(url), claim["status"].as_str().expect("a status").to_owned());
    }
    let ends = actors.iter().flat_map(|actor| &actor.ends);
    let ends: BTreeMap<String, String> =
        ends.map(|(path, status)| (path.clone(), (*status).to_owned())).collect();
    assert_eq!(ends, there);

    let mut holds: Vec<Hold> = actors.iter().flat_map(|actor| actor.holds.clone()).collect();
    let revoked = revoked.lock().expect("no holder panics");
    for hold in &mut holds {
        hold.to = revoked.get(&hold.path).map_or(hold.to, |at| hold.to.min(*at));
    }
    let tokens: BTreeSet<u64> = holds.iter().map(|hold| hold.token).collect();
    assert_eq!(tokens.len(), holds.len(), "every grant has a token of its own");
    // What was granted before a claim was posted has the smaller token.
    holds.sort_by_key(|hold| hold.posted);
    let mut granted: Vec<&Hold> = holds.iter().collect();
    granted.sort_by_key(|hold| hold.from);
    let (mut before, mut newest) = (granted.iter().peekable(), 0);
    for hold in &holds {
        while let Some(earlier) = before.next_if(|earlier| earlier.from <= hold.posted) {
            newest = newest.max(earlier.token);
        }
        assert!(hold.token > newest, "{hold:?} after token {newest}");
    }
    // Nobody held what another certainly held.
    for resource in 0..RESOURCES {
        let of = holds.iter().filter(|hold| hold.resource == resource && hold.from < hold.to);
        let mut of: Vec<&Hold> = of.collect();
        of.sort_by_key(|hold| hold.from);
        for pair in of.windows(2) {
            assert!(pair[0].to <= pair[1].from, "two hold r{resource} at once: {pair:#?}");
            assert!(pair[0].token < pair[1].token, "tokens go back: {pair:#?}");
        }
    }
}
