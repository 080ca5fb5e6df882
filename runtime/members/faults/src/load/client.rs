//! A client of replicated claims that writes down what each member says of them.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use turnstile_host::Rng;

use crate::load::hold::now;
use crate::load::http::{Answer, Http};
use crate::register::{Seen, Status};

/// The resources.
const RESOURCES: [&str; 2] = ["x", "y"];
/// Between two requests.
const PAUSE: Duration = Duration::from_millis(5);
/// How far from its newest claim a client looks for others.
const NEAR: u64 = 8;

/// A client, and its record.
struct Client {
    http: Http,
    record: File,
    rng: Rng,
    newest: u64,
}

/// Creates, ends and reads claims until a file exists.
pub(crate) fn run(server: SocketAddr, record: &Path, stop: &Path, seed: u64) -> io::Result<()> {
    let (http, rng) = (Http::new(server), Rng::seeded(seed));
    let mut client = Client { http, record: File::create(record)?, rng, newest: 1 };
    while !stop.exists() {
        match client.rng.chance(0.4) {
            true => client.create_and_end()?,
            false => client.read()?,
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Reads the claims with these numbers once.
pub(crate) fn read_all(
    server: SocketAddr,
    record: &Path,
    mut claims: RangeInclusive<u64>,
) -> io::Result<()> {
    let (http, rng) = (Http::new(server), Rng::seeded(0));
    let mut client = Client { http, record: File::create(record)?, rng, newest: 1 };
    claims.try_for_each(|claim| client.read_one(claim))
}

/// Reads what a client wrote down. A line that it was killed in is left out.
pub(crate) fn seen(record: &Path) -> io::Result<Vec<Seen>> {
    let mut list = Vec::new();
    for line in BufReader::new(File::open(record)?).lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        if let [asked, answered, claim, status, "."] = words[..]
            && let (Ok(asked), Ok(answered), Ok(claim)) =
                (asked.parse(), answered.parse(), claim.parse())
        {
            list.push(Seen { asked, answered, claim, status: Status::of(status) });
        }
    }
    Ok(list)
}

impl Client {
    fn create_and_end(&mut self) -> io::Result<()> {
        let resource = RESOURCES[usize::from(self.rng.chance(0.5))];
        let body = format!(r#"{{"resource":"{resource}","ttl":600}}"#);
        let Some((asked, answer)) = self.ask("POST /v1/claims/", &body) else { return Ok(()) };
        let url = answer.body["url"].as_str().unwrap_or_default();
        let claim = url.trim_end_matches('/').rsplit('/').next().and_then(|id| id.parse().ok());
        let Some(claim) = claim else { return Ok(()) };
        self.newest = self.newest.max(claim);
        self.note(asked, claim, &answer)?;
        let end = if answer.status == 201 { "released" } else { "aborted" };
        let body = format!(r#"{{"status":"{end}"}}"#);
        match self.ask(&format!("PATCH /v1/claims/{claim}/"), &body) {
            Some((asked, Answer { status: 204, .. })) => self.write(asked, claim, end),
            Some(_) | None => Ok(()),
        }
    }

    fn read(&mut self) -> io::Result<()> {
        let claim = (self.newest + self.rng.number() % (2 * NEAR)).saturating_sub(NEAR).max(1);
        self.read_one(claim)
    }

    fn read_one(&mut self, claim: u64) -> io::Result<()> {
        let answer = self.ask(&format!("GET /v1/claims/{claim}/"), "");
        let Some((asked, answer)) = answer else { return Ok(()) };
        if answer.status == 200 {
            self.newest = self.newest.max(claim);
        }
        self.note(asked, claim, &answer)
    }

    /// Sends a request. If its outcome is not known, there is nothing to write down.
    fn ask(&mut self, line: &str, body: &str) -> Option<(u64, Answer)> {
        let asked = now();
        Some((asked, self.http.request(line, body).ok()?))
    }

    /// Writes down what an answer says of a claim.
    fn note(&mut self, asked: u64, claim: u64, answer: &Answer) -> io::Result<()> {
        match (answer.status, answer.body["status"].as_str()) {
            (200..=202, Some(status)) => {
                let status = Status::of(status);
                self.write(asked, claim, status.word())
            }
            (404, _) => self.write(asked, claim, "absent"),
            _ => Ok(()),
        }
    }

    fn write(&mut self, asked: u64, claim: u64, status: &str) -> io::Result<()> {
        let line = format!("{asked} {} {claim} {status} .\n", now());
        self.record.write_all(line.as_bytes())
    }
}
