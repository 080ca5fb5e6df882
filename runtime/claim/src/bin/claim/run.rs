//! `claim run`: a command under a claim, from the first request to the release.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use tokio::time::{Instant, sleep_until};
use turnstile_claim::client::{Ask, Cause, Claim, Error, HELD, Manager, Setup};

use super::process::{Process, Stopped};
use super::reaper::Reaper;
use super::signals::{Signals, Told, Whom, suffer};
use super::terminal::Terminal;
use super::{LOST, RunArgs, system};

/// How long the server may take to acknowledge that a claim was given up.
pub(super) const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Runs the command and returns its exit status.
pub(super) async fn run(setup: Setup, args: RunArgs) -> Result<u8, Error> {
    let mut signals = Signals::listen().map_err(system)?;
    let held = setup.held.clone();
    let manager = setup.build()?;
    // While the server is asked, so that it costs no time of its own.
    let reaper = Reaper::start();
    let reaper = reaper.inspect_err(|error| tracing::warn!(%error, "no reaper starts")).ok();
    let mut ask = args.claiming.ask(&manager);
    if let Some(data) = args.data {
        let data = serde_json::value::RawValue::from_string(data)
            .map_err(|error| Cause::Setting(format!("--data: {error}")))?;
        ask = ask.raw_data(data);
    }
    let claim = match acquire(&manager, ask, &mut signals).await? {
        Ok(claim) => claim,
        Err(signal) => return Ok(end_by(signal)),
    };
    let mut variables =
        vec![("CLAIM_URL", claim.url()), (HELD, held.with(&args.claiming.resource))];
    let token = claim.fencing_token();
    variables.extend(token.map(|token| ("CLAIM_FENCING_TOKEN", token.to_string())));
    let mut at_terminal = None;
    let ended = match Process::start(&args.command, &variables, reaper) {
        Ok(mut process) => {
            let ended = supervise(&mut process, &claim, &mut signals, args.grace).await;
            let was_lent = process.take_terminal_back();
            drop(process);
            at_terminal = was_lent.map(|lent| if lent { Whom::Group } else { Whom::Process });
            ended
        }
        Err(error) => Err(error),
    };
    let was_held = claim.is_held();
    let released = claim.release_within(CLOSE_MAX).await;
    let is_lost = !was_held || matches!(&released, Err(error) if error.cause == Cause::Lost);
    match ended {
        Err(error) => {
            eprintln!("claim: {}: {error}", args.command[0].to_string_lossy());
            // As a shell says it: not found, or not to be run.
            Ok(if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 })
        }
        Ok(End::Lost) => Ok(LOST),
        Ok(End::By(status)) => {
            if let Err(error) = released {
                eprintln!("claim: {error}");
            }
            if is_lost {
                return Ok(LOST);
            }
            if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
                die_of(signal, at_terminal);
            }
            Ok(status_of(status))
        }
    }
}

/// Waits for the lock. Where that ends otherwise, by a time-out or a signal, what was asked for is
/// withdrawn before this returns: a claim left behind would take the lock when its turn comes.
pub(super) async fn acquire(
    manager: &Manager,
    ask: Ask,
    signals: &mut Signals,
) -> Result<Result<Claim, Signal>, Error> {
    let mut asked = ask.into_future();
    let ended = tokio::select! {
        claim = &mut asked => match claim {
            Ok(claim) => return Ok(Ok(claim)),
            Err(error) => Err(error),
        },
        signal = signals.end() => Ok(Err(signal)),
    };
    drop(asked);
    manager.close(CLOSE_MAX).await;
    ended
}

/// Ends by a signal; returns the exit status where that does not end it.
pub(super) fn end_by(signal: Signal) -> u8 {
    // A key has reached the whole job already.
    die_of(signal, Terminal::open().map(|_| Whom::Process));
    128 + signal.as_raw() as u8
}

/// Ends as a command does that a key of the terminal ends, so that the script around it ends, too:
/// a shell goes on after one that only says so by its exit status.
fn die_of(signal: Signal, whom: Option<Whom>) {
    let Some(whom) = whom.filter(|_| [Signal::INT, Signal::QUIT].contains(&signal)) else { return };
    // The command's core is of interest, ours is not. Where that fails there are two.
    let _dumped = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    suffer(signal, whom);
}

enum End {
    By(ExitStatus),
    Lost,
}

/// Waits for the command's end: its own, or after a signal, or after a loss.
async fn supervise(
    process: &mut Process,
    claim: &Claim,
    signals: &mut Signals,
    grace: Duration,
) -> io::Result<End> {
    let mut kill_at: Option<Instant> = None;
    let mut is_lost = false;
    let lost = claim.lost();
    let mut lost = std::pin::pin!(lost);
    loop {
        tokio::select! {
            status = process.child.wait() => {
                // The rest of the group must not act once the claim is given back.
                process.signal(Signal::KILL);
                return Ok(if is_lost { End::Lost } else { End::By(status?) });
            }
            told = signals.next() => {
                let (end, goes_on) = heed(process, told, kill_at.is_some());
                if let Some(signal) = end {
                    process.signal(signal);
                    kill_at = kill_at.or(Some(Instant::now() + grace));
                }
                if goes_on && claim.is_held() {
                    process.signal(Signal::CONT);
                } else if goes_on {
                    // Nobody has renewed it meanwhile, so the command must not go on.
                    is_lost = true;
                    say_lost(claim);
                    process.signal(Signal::KILL);
                }
            }
            () = &mut lost, if !is_lost => {
                is_lost = true;
                say_lost(claim);
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

/// Does what a signal tells: by which signal the command is to end, if it is, and whether it is to
/// go on, having been stopped.
fn heed(process: &mut Process, told: Told, is_ending: bool) -> (Option<Signal>, bool) {
    let stopped = match told {
        Told::End(signal) => return (Some(signal), false),
        Told::Stop => {
            process.stop_first();
            Stopped::GoesOn
        }
        Told::OfChild => match process.stopped_by() {
            None => Stopped::Alone,
            Some(signal) => process.follow(signal),
        },
    };
    match stopped {
        Stopped::Alone => (None, false),
        Stopped::GoesOn => (None, true),
        // So the system ends jobs that are stopped when the last who could let them go on is gone.
        Stopped::ForEver => (Some(Signal::HUP), !is_ending),
    }
}

fn say_lost(claim: &Claim) {
    eprintln!("claim: {} is lost: its command is ended", claim.url());
}

fn status_of(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
