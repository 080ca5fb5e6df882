//! `claim run`: a command under a claim, from the first request to the release.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep_until};
use turnstile_driver::client::{Cause, Claim, Error, Setup};

use super::process::{Process, stop};
use super::{LOST, RunArgs, seconds};

/// How long the server may take to acknowledge that a claim was given up.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Runs the command and returns its exit status.
pub(super) async fn run(setup: Setup, args: RunArgs) -> Result<u8, Error> {
    let system = |error: io::Error| Error::from(Cause::System(error.to_string()));
    let mut signals = Signals::listen().map_err(system)?;
    let grace = seconds(args.grace)?;
    let manager = setup.build()?;
    let mut ask = args.claiming.ask(&manager)?;
    if let Some(data) = args.data {
        let data = serde_json::value::RawValue::from_string(data)
            .map_err(|error| Cause::Setting(format!("--data: {error}")))?;
        ask = ask.raw_data(data);
    }
    let mut asked = ask.into_future();
    let claim = loop {
        tokio::select! {
            claim = &mut asked => break claim?,
            told = signals.next() => match told {
                Told::End(signal) => {
                    drop(asked);
                    manager.close(CLOSE_MAX).await;
                    return Ok(128 + signal.as_raw() as u8);
                }
                Told::Stop => stop(),
                Told::OfChild => {}
            }
        }
    };
    let mut variables = vec![("CLAIM_URL", claim.url())];
    let token = claim.fencing_token();
    variables.extend(token.map(|token| ("CLAIM_FENCING_TOKEN", token.to_string())));
    let started = Process::start(&args.command, &variables);
    let ended = match started {
        Ok(mut process) => supervise(&mut process, &claim, &mut signals, grace).await,
        Err(error) => Err(error),
    };
    let is_lost = !claim.is_held();
    let released = claim.release().await;
    match ended {
        Err(error) => {
            eprintln!("claim: {}: {error}", args.command[0].to_string_lossy());
            // As a shell says it: not found, or not to be run.
            Ok(if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 })
        }
        Ok(End::Lost) => Ok(LOST),
        Ok(End::By(status)) => {
            if let Err(error) = released
                && !is_lost
            {
                eprintln!("claim: {error}");
            }
            Ok(status_of(status))
        }
    }
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
                let has_slept = match told {
                    Told::End(signal) => {
                        process.signal(signal);
                        kill_at = kill_at.or(Some(Instant::now() + grace));
                        false
                    }
                    Told::Stop => {
                        process.stop_first();
                        true
                    }
                    Told::OfChild => process.has_stopped() && process.stop_too(),
                };
                if has_slept && claim.is_held() {
                    process.signal(Signal::CONT);
                } else if has_slept {
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

fn say_lost(claim: &Claim) {
    eprintln!("claim: {} is lost: its command is ended", claim.url());
}

fn status_of(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// What a signal tells.
enum Told {
    /// To end, by this signal.
    End(Signal),
    /// To stop, as by Ctrl-Z at a terminal that the command does not have.
    Stop,
    /// That a child has stopped, gone on or ended.
    OfChild,
}

/// The signals that end and stop programs.
struct Signals {
    term: tokio::signal::unix::Signal,
    int: tokio::signal::unix::Signal,
    hup: tokio::signal::unix::Signal,
    stop: tokio::signal::unix::Signal,
    child: tokio::signal::unix::Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            int: signal(SignalKind::interrupt())?,
            hup: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?,
            child: signal(SignalKind::child())?,
        })
    }

    async fn next(&mut self) -> Told {
        tokio::select! {
            _ = self.term.recv() => Told::End(Signal::TERM),
            _ = self.int.recv() => Told::End(Signal::INT),
            _ = self.hup.recv() => Told::End(Signal::HUP),
            _ = self.stop.recv() => Told::Stop,
            _ = self.child.recv() => Told::OfChild,
        }
    }
}
