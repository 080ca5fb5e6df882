//! What the keychain core wants done, done: requests are sent, timers get their durations.
//!
//! Which request and which timer is the core's; how long is a matter of pace.

use std::io;
use std::time::Duration;

use tokio_rustls::rustls;
use turnstile_core::claim::keychain::Timer;
use turnstile_core::claim::message::{Ask, Asked, Request};
use turnstile_machines::claim::Resource;

use super::drive::{Drive, Failure, Heard, NoAnswer, Sent};
use super::order::View;
use super::pace::{QUICK, STEADY};
use super::request::{Outgoing, write};
use crate::wire::CLAIM_TIMEOUT;

impl Drive {
    pub(super) fn send(&mut self, Request { call, ask }: Request) {
        let now = self.clock.now();
        let Some(resource) = self.state.whose(call) else { return };
        let Some(entry) = self.entries.get(&resource) else { return };
        let wait = match ask {
            // A POST is answered at once: so a claim is known, and can be withdrawn, before it
            // waits.
            Ask::Status { to: Asked::Active { wait: true }, .. } => {
                // The answer is to come before the user's patience ends, not with it.
                let due = self.timers.due(Timer { resource, timer: Resource::TimeoutTimer });
                let left = due.map(|due| due.saturating_duration_since(now) * 4 / 5);
                left.unwrap_or(Duration::MAX).min(entry.pace.wait())
            }
            Ask::Post { .. } | Ask::Ttl { .. } | Ask::Status { .. } => Duration::ZERO,
        };
        let Outgoing { method, path, mut headers, body } =
            write(ask, wait, entry, self.caller.place());
        let is_for_lock =
            matches!(ask, Ask::Post { .. } | Ask::Status { to: Asked::Active { .. }, .. });
        if let Some(timeout) = entry.pace.timeout.filter(|_| is_for_lock) {
            let due = self.timers.due(Timer { resource, timer: Resource::TimeoutTimer });
            let left = due.map_or(timeout, |due| due.saturating_duration_since(now));
            headers.push((CLAIM_TIMEOUT, left.as_secs_f64().to_string()));
        }
        let patience = wait + entry.pace.patience();
        let deadline = now + entry.pace.lease();
        self.last_call += 1;
        let serial = self.last_call;
        let caller = self.caller.clone();
        let abort = self.calls.spawn(async move {
            let answer = caller.call(method, &path, &headers, Some(body));
            let answer = match tokio::time::timeout(patience, answer).await {
                Ok(answer) => answer.map_err(|error| unanswered(&error)),
                Err(elapsed) => Err(NoAnswer { kind: Failure::Unknown, why: elapsed.to_string() }),
            };
            Heard { call, serial, answer }
        });
        let is_post = matches!(ask, Ask::Post { .. });
        let sent = Sent { serial, resource, at: now, deadline, wait, is_post, abort };
        self.sent.insert(call, sent);
    }

    pub(super) fn arm(&mut self, armed: Timer) {
        let Timer { resource, timer } = armed;
        let now = self.clock.now();
        let Some(entry) = self.entries.get_mut(&resource) else { return };
        let attempt = entry.attempt(timer);
        let (pace, dice) = (entry.pace, &mut self.dice);
        let pause = match timer {
            // The first bounds the waiting for the lock, any later one the giving it up.
            Resource::TimeoutTimer if entry.has_waited => pace.lapse(),
            Resource::TimeoutTimer => {
                entry.has_waited = true;
                pace.timeout()
            }
            Resource::LeaseTimer => {
                let Some(sent) = &self.heard_of else { return };
                entry.view.send_modify(|view| {
                    view.deadline = Some(sent.deadline);
                    view.margin = pace.margin();
                    view.is_in_jeopardy = false;
                });
                sent.deadline.saturating_duration_since(now)
            }
            Resource::RenewTimer => pace.renew(dice),
            Resource::ActivateTimer => match &self.heard_of {
                // Waiting is what comes next, and a server that waits has done its part already.
                Some(sent) if sent.is_post => Duration::ZERO,
                Some(sent) if !sent.wait.is_zero() && now - sent.at >= sent.wait / 2 => {
                    Duration::ZERO
                }
                Some(_) | None => pace.activate(attempt, dice),
            },
            Resource::RetryAbortTimer => QUICK.pause(attempt, dice),
            Resource::RetryRenewTimer => {
                entry.view.send_modify(|view: &mut View| view.is_in_jeopardy = true);
                pace.within_ttl(QUICK).pause(attempt, dice)
            }
            Resource::RetryActivateTimer
            | Resource::RetryRegisterTimer
            | Resource::RetryReleaseTimer
            | Resource::RetryWithdrawTimer => pace.within_ttl(STEADY).pause(attempt, dice),
            Resource::AbortPatchRequest
            | Resource::ActivatePatchRequest
            | Resource::RegisterPostRequest
            | Resource::ReleasePatchRequest
            | Resource::RenewPatchRequest
            | Resource::WithdrawPatchRequest => return,
        };
        self.timers.arm(armed, now + pause);
    }
}

/// What is known of a request that ended so.
fn unanswered(error: &io::Error) -> NoAnswer {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    let (kind, why) = match tls {
        Some(rustls::Error::InvalidCertificate(_)) => {
            (Failure::Untrusted, format!("its certificate is not trusted: {error}"))
        }
        Some(rustls::Error::InvalidMessage(_)) => {
            (Failure::Untrusted, format!("it does not speak TLS: {error}"))
        }
        _ if error.kind() == io::ErrorKind::ConnectionRefused => {
            (Failure::Refused, error.to_string())
        }
        _ => (Failure::Unknown, error.to_string()),
    };
    NoAnswer { kind, why }
}
