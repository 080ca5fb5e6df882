//! `ls`, `show` and `revoke`: one request, and its answer as text.

use std::io::{self, Write as _};

use turnstile_claim::client::{Cause, Error, Manager, Setup};
use turnstile_claim::wire::claim::ClaimSeen;

/// Prints claims, one a line.
pub(super) async fn list(
    setup: Setup,
    resource: Option<String>,
    status: Option<String>,
    limit: usize,
    json: bool,
) -> Result<u8, Error> {
    let manager = setup.build()?;
    let text = manager.list(resource.as_deref(), status.as_deref(), limit).await?;
    if json {
        return put(&format!("{text}\n"));
    }
    let claims: Vec<ClaimSeen> = Manager::read(&text)?;
    let seconds = |seconds: Option<f64>| seconds.map_or("-".into(), |s| format!("{s:.1}"));
    let mut out = format!(
        "{:>8}  {:<9}  {:>8}  {:>9}  {:>9}  {:>7}  RESOURCE\n",
        "CLAIM", "STATUS", "TTL", "WAITED", "HELD", "TOKEN"
    );
    for claim in claims {
        let id = turnstile_claim::wire::claim::id_in(&claim.url).unwrap_or(0);
        out += &format!(
            "{id:>8}  {:<9}  {:>8}  {:>9}  {:>9}  {:>7}  {}\n",
            claim.status,
            seconds(claim.ttl),
            seconds(claim.waiting_duration),
            seconds(claim.active_duration),
            claim.fencing_token.map_or("-".into(), |token| token.to_string()),
            printable(&claim.resource),
        );
    }
    put(&out)
}

/// Prints a claim.
pub(super) async fn show(setup: Setup, claim: &str) -> Result<u8, Error> {
    let text = setup.build()?.show(claim).await?;
    put(&format!("{text}\n"))
}

/// Revokes a claim.
pub(super) async fn revoke(setup: Setup, claim: &str) -> Result<u8, Error> {
    setup.build()?.revoke(claim).await?;
    Ok(0)
}

/// A name is anybody's choice: it neither moves the cursor nor begins a line.
fn printable(name: &str) -> String {
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

/// Whoever reads may stop reading: that is no fault of ours.
fn put(text: &str) -> Result<u8, Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Cause::System(error.to_string()).into())
        }
        Ok(()) | Err(_) => Ok(0),
    }
}
