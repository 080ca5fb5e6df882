//! `ls`, `show` and `revoke`: one request each, printed as text.

use std::io::{self, Write as _};

use turnstile_claim::client::{Error, ErrorKind, LockClient, LockClientBuilder};
use turnstile_claim::wire::claim::{ClaimSeen, id_in};

/// Prints claims, one per line.
pub(super) async fn list(
    builder: LockClientBuilder,
    resource: Option<String>,
    status: Option<String>,
    limit: usize,
    json: bool,
) -> Result<u8, Error> {
    let client = builder.build()?;
    let text = client.list(resource.as_deref(), status.as_deref(), limit).await?;
    if json {
        return print(&format!("{text}\n"));
    }
    let claims: Vec<ClaimSeen> = LockClient::read(&text)?;
    let seconds = |seconds: Option<f64>| seconds.map_or("-".into(), |s| format!("{s:.1}"));
    let mut out = format!(
        "{:>8}  {:<9}  {:>8}  {:>9}  {:>9}  {:>7}  RESOURCE\n",
        "CLAIM", "STATUS", "TTL", "WAITED", "HELD", "TOKEN"
    );
    for claim in claims {
        let id = id_in(&claim.url).unwrap_or(0);
        out += &format!(
            "{id:>8}  {:<9}  {:>8}  {:>9}  {:>9}  {:>7}  {}\n",
            claim.status,
            claim.ttl.map_or("-".into(), |ttl| {
                if ttl < 0.0 { "lapsed".into() } else { format!("{ttl:.1}") }
            }),
            seconds(claim.waiting_duration),
            seconds(claim.active_duration),
            claim.fencing_token.map_or("-".into(), |token| token.to_string()),
            printable(&claim.resource),
        );
    }
    print(&out)
}

/// Prints a claim.
pub(super) async fn show(builder: LockClientBuilder, claim: &str) -> Result<u8, Error> {
    let text = builder.build()?.show(claim).await?;
    print(&format!("{text}\n"))
}

/// Revokes a claim.
pub(super) async fn revoke(builder: LockClientBuilder, claim: &str) -> Result<u8, Error> {
    builder.build()?.revoke(claim).await?;
    let id = id_in(claim).unwrap_or_default();
    print(&format!("claim {id} is revoked\n"))
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
