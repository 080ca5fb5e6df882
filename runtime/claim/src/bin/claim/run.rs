//! `claim run`: runs a command under a claim.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use turnstile_claim::client::{
    Acquire, Claim, Error, ErrorKind, HELD, LockClient, LockClientBuilder,
};
use turnstile_claim::wire::claim::{ClaimSeen, id_in};

use super::process::{Process, Stopped};
use super::query::{printable, process_of};
use super::reaper::Reaper;
use super::signals::{SignalMeaning, SignalTarget, Signals, raise_default};
use super::terminal::Terminal;
use super::{LOST, RunArgs, system_error};

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
    let mut variables =
        vec![("CLAIM_URL", claim.url()), (HELD, held.with(&args.claim_args.resource))];
    let token = claim.fencing_token();
    variables.extend(token.map(|token| ("CLAIM_FENCING_TOKEN", token.to_string())));
    let mut at_terminal = None;
    let ended = match Process::start(&args.command, &variables, reaper) {
        Ok(mut process) => {
            let ended = supervise(&mut process, &claim, &mut signals, args.grace).await;
            let was_lent = process.take_terminal_back();
            drop(process);
            at_terminal =
                was_lent.map(|lent| if lent { SignalTarget::Group } else { SignalTarget::Process });
            ended
        }
        Err(error) => Err(error),
    };
    let was_held = claim.is_held();
    let released = claim.release_within(CLOSE_MAX).await;
    let is_lost = !was_held || released.as_ref().err().is_some_and(is_loss);
    if let Err(error) = &released
        && !matches!(ended, Ok(RunEnd::Lost))
    {
        print_unreleased(error, args.claim_args.ttl);
    }
    match ended {
        Err(error) => {
            eprintln!("claim: {}: {error}", args.command[0].to_string_lossy());
            // As in a shell: command not found, or not executable.
            Ok(if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 })
        }
        Ok(RunEnd::Lost) => Ok(LOST),
        Ok(RunEnd::By(status)) => {
            if is_lost {
                return Ok(LOST);
            }
            if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
                exit_by(signal, at_terminal);
            }
            Ok(status_of(status))
        }
    }
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

/// Exits by a signal; returns the exit status if the signal does not terminate the process.
pub(super) fn end_by(signal: Signal) -> u8 {
    // Keys of the terminal have already reached the whole job.
    exit_by(signal, Terminal::open().map(|_| SignalTarget::Process));
    128 + signal.as_raw() as u8
}

/// Exits by the signal if a key of the terminal caused it, so that the surrounding script exits,
/// too: a shell continues after a command that only returns a status.
fn exit_by(signal: Signal, target: Option<SignalTarget>) {
    let Some(target) = target.filter(|_| [Signal::INT, Signal::QUIT].contains(&signal)) else {
        return;
    };
    // Only the command's core dump is of interest. If this fails, there are two.
    let _dumped = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    raise_default(signal, target);
}

enum RunEnd {
    By(ExitStatus),
    Lost,
}

/// Waits until the command exits: by itself, after a signal, or after the loss of the claim.
async fn supervise(
    process: &mut Process,
    claim: &Claim,
    signals: &mut Signals,
    grace: Duration,
) -> io::Result<RunEnd> {
    let mut kill_at: Option<Instant> = None;
    let mut is_lost = false;
    let lost = claim.lost();
    let mut lost = std::pin::pin!(lost);
    loop {
        tokio::select! {
            status = process.child.wait() => {
                // The rest of the group must not run after the claim is released.
                process.signal(Signal::KILL);
                return Ok(if is_lost { RunEnd::Lost } else { RunEnd::By(status?) });
            }
            meaning = signals.next() => {
                let (end, goes_on) = handle_signal(process, meaning, kill_at.is_some());
                if let Some(signal) = end {
                    process.signal(signal);
                    kill_at = kill_at.or(Some(Instant::now() + grace));
                }
                if goes_on && claim.is_held() {
                    process.signal(Signal::CONT);
                } else if goes_on {
                    // The claim was not renewed while the command was stopped, so the command must
                    // not continue.
                    is_lost = true;
                    print_lost(claim);
                    process.signal(Signal::KILL);
                }
            }
            () = &mut lost, if !is_lost => {
                is_lost = true;
                print_lost(claim);
                process.signal(Signal::TERM);
                kill_at = Some(Instant::now() + grace.min(claim.margin()));
            }
            () = sleep_until(kill_at.unwrap_or_else(Instant::now)), if kill_at.is_some() => {
                process.signal(Signal::KILL);
                kill_at = None;
            }
        }
    }
}

/// Handles a signal. Returns the signal that is to terminate the command, if any, and whether the
/// stopped command is to continue.
fn handle_signal(
    process: &mut Process,
    meaning: SignalMeaning,
    is_ending: bool,
) -> (Option<Signal>, bool) {
    let stopped = match meaning {
        SignalMeaning::End(signal) => return (Some(signal), false),
        SignalMeaning::Stop => {
            process.stop_both();
            Stopped::GoesOn
        }
        SignalMeaning::OfChild => match process.stopped_by() {
            None => Stopped::Alone,
            Some(signal) => process.follow(signal),
        },
    };
    match stopped {
        Stopped::Alone => (None, false),
        Stopped::GoesOn => (None, true),
        // The kernel does the same with orphaned stopped process groups.
        Stopped::Forever => (Some(Signal::HUP), !is_ending),
    }
}

fn print_lost(claim: &Claim) {
    if let Some(error) = claim.loss() {
        eprintln!("claim: {error}; terminating the command");
    }
}

fn status_of(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
