//! `claim run`: runs a command under a claim.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Notify};
use turnstile_claim::client::{
    Acquire, Changes, Claim, Error, ErrorKind, HELD, LockClient, LockClientBuilder,
};
use turnstile_claim::wire::claim::{ClaimSeen, id_in};
use turnstile_supervisor::{End, HeldLock, Reaper, Signal, Signals, end_by, supervise};

use super::args::RunArgs;
use super::failure::system_error;
use super::query::{printable, process_of};

/// The maximum time for the server to acknowledge a release or withdrawal.
pub(super) const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Runs the command and returns its exit status.
pub(super) async fn run(builder: LockClientBuilder, args: RunArgs) -> Result<u8, Error> {
    let mut signals = Signals::listen().map_err(system_error)?;
    let held = builder.held.clone();
    let client = builder.build()?;
    // Start the reaper while the request is in progress, so that it adds no delay.
    let reaper = Reaper::start();
    let reaper =
        reaper.inspect_err(|error| tracing::warn!(%error, "cannot start the reaper process")).ok();
    let mut request = args.claim_args.request(&client);
    if let Some(data) = args.data {
        let data = serde_json::value::RawValue::from_string(data)
            .map_err(|error| ErrorKind::Setting(format!("--data: {error}")))?;
        request = request.raw_data(data);
    }
    let claim = match acquire(&client, request, &mut signals).await? {
        Ok(claim) => claim,
        Err(signal) => return Ok(end_by(signal)),
    };
    let held = held.with(&args.claim_args.resource, client.server_id());
    // Without a token, a nested command must not take the one of an outer claim for its own.
    let token = claim.fencing_token().map(|token| token.to_string());
    let mut variables =
        vec![("CLAIM_URL", Some(claim.url())), (HELD, Some(held)), ("CLAIM_FENCING_TOKEN", token)];
    variables.extend(args.withhold_token.then_some(("TURNSTILE_TOKEN", None)));
    let lock = HeldClaim { claim: &claim, changes: Mutex::new(claim.changes()) };
    let ended = supervise(&args.command, &variables, reaper, &lock, &mut signals, args.grace).await;
    let was_held = claim.is_held();
    let released = claim.release_within(CLOSE_MAX).await;
    let is_lost = !was_held || released.as_ref().err().is_some_and(is_loss);
    if let Err(error) = &released
        && !matches!(ended.end, Ok(End::Lost))
    {
        print_unreleased(error, args.claim_args.ttl);
    }
    Ok(ended.exit_status("claim", &args.command, is_lost))
}

/// Waits for the lock. After a timeout or a signal, the claim is withdrawn before this returns:
/// otherwise it would be granted later, without a holder.
pub(super) async fn acquire(
    client: &LockClient,
    request: Acquire,
    signals: &mut Signals,
) -> Result<Result<Claim, Signal>, Error> {
    let queued = Arc::new(Notify::new());
    let resource = request.resource().to_owned();
    let mut acquiring = request.on_queued(queued.clone()).into_future();
    let log_once = async {
        queued.notified().await;
        log_waiting(client, &resource).await;
        pending::<Infallible>().await
    };
    let ended = tokio::select! {
        biased;
        claim = &mut acquiring => match claim {
            Ok(claim) => return Ok(Ok(claim)),
            Err(error) => Err(error),
        },
        signal = signals.end() => Ok(Err(signal)),
        never = log_once => match never {},
    };
    drop(acquiring);
    if client.has_connected() && !client.close(CLOSE_MAX).await {
        let resource = printable(&resource);
        eprintln!(
            "claim: resource {resource:?}: the withdrawal is not acknowledged: a claim may remain; \
             `claim ls` shows it, `claim revoke` ends it"
        );
    }
    ended
}

/// Logs that the lock is not granted at once, and which claim has it.
async fn log_waiting(client: &LockClient, resource: &str) {
    let active = client.list(Some(resource), Some("active"), 1).await;
    let active = active.and_then(|text| LockClient::read::<Vec<ClaimSeen>>(&text));
    let holder = active.ok().and_then(|claims| {
        let claim = claims.first()?;
        Some((id_in(&claim.url)?, process_of(claim)))
    });
    let resource = printable(resource);
    match holder {
        Some((id, Some(process))) => {
            tracing::info!("waiting for {resource} (held by claim {id}, {process})");
        }
        Some((id, None)) => {
            tracing::info!("waiting for {resource} (held by claim {id}; see `claim show {id}`)");
        }
        None => tracing::info!("waiting for {resource}"),
    }
}

fn is_loss(error: &Error) -> bool {
    matches!(error.cause, ErrorKind::Lost(_))
}

/// Prints that the server has not acknowledged a release, and what that means.
pub(super) fn print_unreleased(error: &Error, ttl: Duration) {
    if is_loss(error) {
        return eprintln!("claim: {error}");
    }
    let id = error.claim.as_deref().and_then(id_in).unwrap_or_default();
    let ttl = ttl.as_secs_f64();
    eprintln!(
        "claim: {error}; the release is not acknowledged: the claim may stay until its ttl of \
         {ttl} s has lapsed; `claim revoke {id}` ends it at once"
    );
}

/// A claim as the lock of a command.
struct HeldClaim<'a> {
    claim: &'a Claim,
    changes: Mutex<Changes>,
}

impl HeldLock for HeldClaim<'_> {
    fn is_held(&self) -> bool {
        self.claim.is_held()
    }

    async fn lost(&self) {
        self.claim.lost().await;
    }

    fn on_loss(&self) {
        if let Some(error) = self.claim.loss() {
            eprintln!("claim: {error}; terminating the command");
        }
    }

    fn grace_max(&self) -> Duration {
        self.claim.margin()
    }

    fn deadline(&self) -> Option<Duration> {
        self.claim.deadline_since_boot()
    }

    async fn renewed(&self) {
        if !self.changes.lock().await.next().await {
            // It has ended.
            pending::<Infallible>().await;
        }
    }
}
