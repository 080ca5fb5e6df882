//! A client that writes at all members and remembers each answer: whatever it reads later,
//! anywhere, shows what was answered.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};
use turmoil::net::TcpStream;
use turnstile_host::Rng;
use turnstile_members_simulation::cluster::name;

use super::claims::DISTURBED;
use super::member::{CLUSTER, ClaimCluster, PORT};
use crate::simulation::outcome::Event;

/// A request takes no longer.
const PATIENCE: Duration = Duration::from_secs(1);
/// It remembers no more claims.
const KEPT_MAX: usize = 20;

/// A claim whose POST was answered with success.
struct Kept {
    path: String,
    resource: String,
    /// The status that was answered last.
    status: &'static str,
    /// One that was asked for, of which the outcome is unknown.
    perhaps: Option<&'static str>,
}

/// What a client was told of its writes.
pub(super) struct Keeper {
    cluster: ClaimCluster,
    rng: Rng,
    kept: Vec<Kept>,
    /// The token that was answered last.
    token: u64,
}

impl Keeper {
    pub(super) fn new(cluster: ClaimCluster, rng: Rng) -> Self {
        Self { cluster, rng, kept: Vec::new(), token: 0 }
    }

    /// Writes and reads until the disturbances have ended.
    pub(super) async fn disturbed(&mut self) {
        let mut number = 0;
        while turmoil::sim_elapsed().expect("in a simulation") < DISTURBED {
            sleep(self.rng.between(Duration::ZERO, Duration::from_millis(60))).await;
            match self.rng.number() % 4 {
                0 if self.kept.len() < KEPT_MAX => {
                    number += 1;
                    self.post(&format!("kept-{number}")).await;
                }
                1 => self.release().await,
                // The newest is what a member lacks first that is cut off.
                2 if !self.kept.is_empty() => {
                    let member = self.anyone();
                    self.read(self.kept.len() - 1, member).await;
                }
                _ => {
                    let (at, member) = (self.rng.number(), self.anyone());
                    if let Some(at) = at.checked_rem(self.kept.len() as u64) {
                        self.read(at as usize, member).await;
                    }
                }
            }
        }
    }

    /// Reads everything at a member. Returns whether it has answered.
    pub(super) async fn check(&self, member: u64) -> bool {
        for at in 0..self.kept.len() {
            if !self.read(at, member).await {
                return false;
            }
        }
        true
    }

    fn anyone(&mut self) -> u64 {
        let started: Vec<u64> = self.cluster.members.started.borrow().iter().copied().collect();
        started[self.rng.number() as usize % started.len()]
    }

    async fn post(&mut self, resource: &str) {
        let body = json!({ "resource": resource, "ttl": 1_000 });
        let member = self.anyone();
        match self.request(member, "POST /v1/claims/", &body.to_string()).await {
            Some((201, claim)) => {
                let token = claim["fencing_token"].as_u64().expect("it is active");
                assert!(token > self.token, "{token} was answered after {}", self.token);
                self.token = token;
                let path = path_of(&claim);
                let (resource, status) = (resource.to_owned(), "active");
                self.kept.push(Kept { path, resource, status, perhaps: None });
                self.cluster.tally.note(Event::Written);
            }
            Some((408 | 503, _)) | None => self.cluster.tally.note(Event::OutcomeUnknown),
            Some((status, answer)) => {
                panic!("{resource} is new, and answered by {status} {answer}")
            }
        }
    }

    /// Releases a claim that is held.
    async fn release(&mut self) {
        let held = |kept: &Kept| kept.status == "active" && kept.perhaps.is_none();
        let held: Vec<usize> = (0..self.kept.len()).filter(|at| held(&self.kept[*at])).collect();
        let Some(place) = self.rng.number().checked_rem(held.len() as u64) else { return };
        let (at, member) = (held[place as usize], self.anyone());
        let head = format!("PATCH {}", self.kept[at].path);
        let answer = self.request(member, &head, r#"{"status":"released"}"#).await;
        let Kept { status, perhaps, path, .. } = &mut self.kept[at];
        match answer {
            Some((200..300, _)) => {
                *status = "released";
                self.cluster.tally.note(Event::Written);
            }
            Some((408 | 503, _)) | None => {
                *perhaps = Some("released");
                self.cluster.tally.note(Event::OutcomeUnknown);
            }
            Some((status, answer)) => panic!("{path} is held, and answered by {status} {answer}"),
        }
    }

    /// Reads a claim at a member. Returns whether it has answered.
    async fn read(&self, at: usize, member: u64) -> bool {
        let Kept { path, resource, status, perhaps } = &self.kept[at];
        match self.request(member, &format!("GET {path}"), "").await {
            Some((200, claim)) => {
                let found = claim["status"].as_str().expect("it has one");
                let is_right = found == *status || Some(found) == *perhaps;
                assert!(is_right, "{path} at {member}: {found}, not {status} or {perhaps:?}");
                assert_eq!(claim["resource"], resource.as_str(), "{path} at {member}");
                self.cluster.tally.note(Event::Read);
                true
            }
            Some((408 | 503, _)) | None => false,
            Some((status, answer)) => panic!("{path} is lost at {member}: {status} {answer}"),
        }
    }

    async fn request(&self, member: u64, head: &str, body: &str) -> Option<(u16, Value)> {
        ask(&self.cluster, member, head, body).await
    }
}

/// Sends a request to a member: the status and the content of its answer, or `None` if there is
/// none.
pub(super) async fn ask(
    cluster: &ClaimCluster,
    member: u64,
    head: &str,
    body: &str,
) -> Option<(u16, Value)> {
    let exchanged = timeout(PATIENCE, exchange(&name(member), head, body)).await;
    let answer = exchanged.ok().and_then(Result::ok).and_then(|answer| read_answer(&answer));
    let status = answer.as_ref().map(|(status, _)| *status);
    cluster.members.trace.note(format_args!("{head} {body} at {member}: {status:?}"));
    answer
}

async fn exchange(host: &str, head: &str, body: &str) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect((host, PORT)).await?;
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nhost: {CLUSTER}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

/// The path of a claim that was posted.
pub(super) fn path_of(claim: &Value) -> String {
    let url = claim["url"].as_str().expect("it has one");
    let path = url.split_once(CLUSTER).map(|(_, path)| path.to_owned());
    path.expect("the URL has the host of the request")
}

/// The status and the content of an answer; `None` if it is not whole.
fn read_answer(answer: &[u8]) -> Option<(u16, Value)> {
    let (head, body) = std::str::from_utf8(answer).ok()?.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let content = if body.is_empty() { Value::Null } else { serde_json::from_str(body).ok()? };
    Some((status, content))
}
