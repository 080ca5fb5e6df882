//! `ls`, `show` and `revoke`: one request each, printed as text.

use std::collections::BTreeSet;
use std::io::{self, Write as _};

use serde::Deserialize;
use serde_json::value::RawValue;
use turnstile_claim::client::{Error, ErrorKind, LockClient, LockClientBuilder};
use turnstile_claim::wire::claim::{ClaimSeen, id_in};
use turnstile_claim_core::record::Status;

use super::failure::UNAVAILABLE;

/// Prints claims, one per line, and whether there are more.
pub(super) async fn list(
    builder: LockClientBuilder,
    resource: Option<String>,
    status: Option<String>,
    limit: usize,
    json: bool,
) -> Result<u8, Error> {
    let client = builder.build()?;
    let max = limit.saturating_add(1);
    let mut claims = read_claims(&client, resource.as_deref(), status.as_deref(), max).await?;
    let has_more = claims.len() > limit;
    claims.truncate(limit);
    let out = if json {
        serde_json::to_string(&claims).expect("plain data") + "\n"
    } else {
        table(&claims)?
    };
    let printed = print(&out);
    if has_more {
        let order = if status.is_some() { "" } else { ", active and waiting ones first" };
        eprintln!(
            "claim: {limit} claims shown{order}; there are more: use --limit, --status or \
             --resource"
        );
    }
    printed
}

/// At most `max` claims; without a status, active and waiting ones first.
async fn read_claims(
    client: &LockClient,
    resource: Option<&str>,
    status: Option<&str>,
    max: usize,
) -> Result<Vec<Box<RawValue>>, Error> {
    let all = [Some("active"), Some("waiting"), None];
    let given = [status];
    let statuses: &[Option<&str>] = if status.is_some() { &given } else { &all };
    let mut claims = Vec::new();
    // The last list has the claims of the others, too.
    let mut ids = BTreeSet::new();
    for status in statuses {
        if claims.len() >= max {
            break;
        }
        let text = client.list(resource, *status, max.saturating_add(claims.len())).await?;
        for claim in LockClient::read::<Vec<Box<RawValue>>>(&text)? {
            // Not by their URLs: each list may be of another server, which names its own host.
            if ids.insert(id_in(&LockClient::read::<ClaimSeen>(claim.get())?.url)) {
                claims.push(claim);
            }
        }
    }
    claims.truncate(max);
    Ok(claims)
}

/// A table of claims.
fn table(claims: &[Box<RawValue>]) -> Result<String, Error> {
    let seconds = |seconds: Option<f64>| seconds.map_or("-".into(), |s| format!("{s:.1}"));
    let mut out = format!(
        "{:>8}  {:<9}  {:>8}  {:>9}  {:>9}  {:>7}  {:<20}  RESOURCE\n",
        "CLAIM", "STATUS", "TTL s", "WAITED s", "HELD s", "TOKEN", "HOLDER"
    );
    for claim in claims {
        let claim: ClaimSeen = LockClient::read(claim.get())?;
        let id = id_in(&claim.url).unwrap_or(0);
        out += &format!(
            "{id:>8}  {:<9}  {:>8}  {:>9}  {:>9}  {:>7}  {:<20}  {}\n",
            claim.status,
            claim.ttl.map_or("-".into(), |ttl| {
                if ttl < 0.0 { "lapsed".into() } else { format!("{ttl:.1}") }
            }),
            seconds(claim.waiting_duration),
            seconds(claim.active_duration),
            claim.fencing_token.map_or("-".into(), |token| token.to_string()),
            process_of(&claim).unwrap_or_else(|| "-".into()),
            printable(&claim.resource),
        );
    }
    Ok(out)
}

/// The host and the process id of a claim's client, if the server shows them to this one.
pub(super) fn process_of(claim: &ClaimSeen) -> Option<String> {
    #[derive(Deserialize)]
    struct Process {
        host: String,
        pid: Option<u64>,
    }
    let data = claim.user_data.as_ref()?;
    let Process { host, pid } = serde_json::from_str(data.get()).ok()?;
    let host = printable(&host);
    Some(pid.map_or_else(|| host.clone(), |pid| format!("{host} pid {pid}")))
}

/// Prints a claim.
pub(super) async fn show(builder: LockClientBuilder, claim: &str) -> Result<u8, Error> {
    let text = builder.build()?.show(claim).await?;
    print(&format!("{text}\n"))
}

/// Revokes a claim.
pub(super) async fn revoke(builder: LockClientBuilder, claim: &str) -> Result<u8, Error> {
    let client = builder.build()?;
    let id = id_in(claim).unwrap_or_default();
    // The server acknowledges a second revocation like the first.
    let seen: ClaimSeen = LockClient::read(&client.show(claim).await?)?;
    if seen.status == Status::Revoked {
        return print(&format!("claim {id} is already revoked\n"));
    }
    if seen.status.is_final() {
        let ended = ended_as(seen.status);
        eprintln!("claim: claim {id} has already {ended}: nothing to revoke");
        return Ok(UNAVAILABLE);
    }
    client.revoke(claim).await?;
    print(&format!("claim {id} is revoked\n"))
}

/// How a claim has ended, after "has".
fn ended_as(status: Status) -> String {
    if status == Status::Expired { "expired".into() } else { format!("been {status}") }
}

/// Escapes control characters: a resource's name must not control the terminal.
pub(super) fn printable(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

/// Prints a text. A closed pipe is not an error.
fn print(text: &str) -> Result<u8, Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(ErrorKind::System(error.to_string()).into())
        }
        Ok(()) | Err(_) => Ok(0),
    }
}
