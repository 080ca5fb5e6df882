//! The driver's data of one claim beyond the core: resource, durations, user.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;
use turnstile_claim_core::client::Notice;
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::Status;
use turnstile_claim_machines::claim::Resource;
use turnstile_ids::number::Token;

use super::command::{ClaimView, NewClaim, Refusal, RetryCause};
use super::error::ErrorKind;
use super::retry_policy::{RetryPolicy, is_retry};
use crate::client::requests::answer::{Answer, TOO_MANY_REQUESTS};
use crate::client::requests::explain::{end_in, ended_as, retry_cause};
use crate::client::requests::pending_request::{Failure, NoAnswer};
use crate::client::requests::server_address::ServerAddress;

/// A claim that the core has accepted, or is about to.
#[derive(Debug)]
pub(super) struct ClaimEntry {
    pub(super) resource: String,
    pub(super) key: u64,
    pub(super) user_data: Option<Box<RawValue>>,
    pub(super) policy: RetryPolicy,
    pub(super) view: watch::Sender<ClaimView>,
    /// Dropped with the first notice.
    refused: Option<oneshot::Sender<Refusal>>,
    /// Taken when the claim waits for the lock.
    queued: Option<Arc<Notify>>,
    /// How many times in a row a timer was armed without another kind of timer in between.
    attempts: (Option<Resource>, u32),
    /// Whether the timeout of the waiting has been armed.
    pub(super) has_waited: bool,
    /// The user no longer needs the claim.
    pub(super) is_abandoned: bool,
    /// The long poll for the end of the claim.
    watch: Option<AbortHandle>,
    /// What the last request is retried for, if the core retries it.
    retry_cause: Option<RetryCause>,
    /// The pause that the server has asked for before the next attempt.
    retry_after: Option<Duration>,
    /// The statuses that were warned of since the last request that was not retried.
    warned: BTreeSet<u16>,
}

impl Drop for ClaimEntry {
    fn drop(&mut self) {
        self.watch(None);
    }
}

impl ClaimEntry {
    pub(super) fn new(new: NewClaim) -> Self {
        let NewClaim { resource, key, user_data, policy, view, refused, queued } = new;
        Self {
            resource,
            key,
            user_data,
            policy,
            view,
            refused: Some(refused),
            queued,
            attempts: (None, 0),
            has_waited: false,
            is_abandoned: false,
            watch: None,
            retry_cause: None,
            retry_after: None,
            warned: BTreeSet::new(),
        }
    }

    /// Replaces the long poll for the end of the claim.
    pub(super) fn watch(&mut self, watch: Option<AbortHandle>) {
        if let Some(before) = std::mem::replace(&mut self.watch, watch) {
            before.abort();
        }
    }

    /// How many times in a row this timer was armed before.
    pub(super) fn attempt(&mut self, timer: Resource) -> u32 {
        let attempt = match self.attempts {
            (Some(last), attempt) if last == timer => attempt + 1,
            _ => 0,
        };
        self.attempts = (Some(timer), attempt);
        attempt
    }

    /// How many times in a row the same request has been repeated.
    pub(super) fn retries(&self) -> u32 {
        match self.attempts {
            (Some(timer), attempt) if is_retry(timer) => attempt + 1,
            _ => 0,
        }
    }

    /// The pause that the server has asked for; for a holder, a part of the time before which a
    /// renewal must be answered.
    pub(super) fn asked_pause(&mut self, now: Instant) -> Duration {
        let asked = self.retry_after.take().unwrap_or_default();
        match self.view.borrow().deadline.filter(|_| self.is_held()) {
            Some(deadline) => asked.min(deadline.saturating_duration_since(now) / 2),
            None => asked,
        }
    }

    /// Records how long a response took.
    pub(super) fn note_round_trip(&self, took: Duration) {
        self.view.send_if_modified(|view| {
            view.round_trip = took;
            false
        });
    }

    /// How long the last response took.
    pub(super) fn round_trip(&self) -> Duration {
        self.view.borrow().round_trip
    }

    /// Whether the user's last notice is that the lock is held.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.view.borrow().notice, Some(Notice::Acquired { .. }))
    }

    /// Passes a notice of the core to the user.
    pub(super) fn tell(&mut self, notice: Notice) {
        self.refused = None;
        self.view.send_modify(|view| {
            if let Notice::Acquired { token } = notice {
                view.token = token.map(Token::number);
            }
            view.notice = Some(notice);
        });
    }

    /// Records the parts of a response that the core does not see, or that there is no response.
    pub(super) fn note_answer(
        &mut self,
        claim: Option<u64>,
        answer: Result<Answer, NoAnswer>,
        server: &ServerAddress,
    ) {
        self.retry_after = answer.as_ref().ok().and_then(Answer::retry_after);
        self.retry_cause = Some(match &answer {
            Ok(answer) => retry_cause(server, answer),
            Err(error) => RetryCause::NoResponse(error.text(server)),
        });
        self.view.send_if_modified(|view| {
            view.claim = claim.or(view.claim);
            match answer {
                Ok(answer) if answer.status >= 400 => {
                    view.reason = answer.reason();
                    view.ended = end_in(&answer);
                }
                Ok(answer) => {
                    view.ended = None;
                    if let Some(queued) = self.queued.take_if(|_| answer.status == 202) {
                        queued.notify_one();
                    }
                }
                Err(error @ NoAnswer { kind: Failure::Untrusted | Failure::Foreign, .. }) => {
                    view.trouble = Some(ErrorKind::Unreachable(error.text(server)));
                }
                Err(NoAnswer { kind: Failure::Refused | Failure::Unknown, .. }) => {}
            }
            false
        });
    }

    /// Records that the core retries the last request, and warns once of each status.
    pub(super) fn note_retry(&mut self, now: Instant) {
        let Some(cause) = self.retry_cause.take() else { return };
        let mut lease = String::new();
        if let Some(deadline) = self.view.borrow().deadline.filter(|_| self.is_held()) {
            let left = deadline.saturating_duration_since(now).as_secs_f64();
            lease = format!("; the lease is valid for another {left:.1} s");
        }
        if self.warned.insert(cause.status()) {
            tracing::warn!(resource = self.resource, "{cause}: retrying{lease}");
        }
        self.note_retry_cause(Some(cause));
    }

    /// Records that the core does not retry the last request. Returns whether the lock is held, and
    /// an earlier request was retried.
    pub(super) fn note_settled(&mut self, was_held: bool) -> bool {
        // If it does, `note_retry` has taken the cause.
        if self.retry_cause.take().is_none() {
            return false;
        }
        self.note_retry_cause(None);
        let warned = std::mem::take(&mut self.warned);
        // A server that asks to come later is connected.
        if warned.iter().all(|status| *status == TOO_MANY_REQUESTS) || self.is_abandoned {
            return false;
        }
        let (resource, is_queued) = (&self.resource, self.queued.is_none());
        match self.view.borrow().notice {
            Some(Notice::Acquired { .. }) if was_held => {
                tracing::info!(resource, "connected again: the lock is still held");
                return true;
            }
            None if is_queued => tracing::info!(resource, "connected again: still waiting"),
            Some(_) | None => {}
        }
        false
    }

    /// Whether the last request is retried.
    pub(super) fn is_retrying(&self) -> bool {
        !self.warned.is_empty()
    }

    fn note_retry_cause(&self, cause: Option<RetryCause>) {
        self.view.send_if_modified(|view| {
            view.retry_cause = cause;
            false
        });
    }

    pub(super) fn is_claim(&self, claim: ClaimId) -> bool {
        self.view.borrow().claim == Some(claim.number())
    }

    /// Records how the claim has ended; `None`: the server no longer has it.
    pub(super) fn note_end(&mut self, status: Option<Status>) {
        let gone = || "the server no longer has the claim".into();
        let ended = status.map_or_else(gone, ended_as);
        self.view.send_if_modified(|view| {
            view.ended = Some(ended);
            false
        });
    }

    /// The error for another claim of the same resource.
    pub(super) fn refusal(&self, server: &ServerAddress) -> Refusal {
        let view = self.view.borrow();
        if self.is_abandoned || !matches!(view.notice, None | Some(Notice::Acquired { .. })) {
            return Refusal::Ending(self.view.subscribe());
        }
        let first = view.claim.map(|id| server.claim_url(id));
        let first = first.unwrap_or_else(|| "a claim without a response yet".into());
        Refusal::Final(ErrorKind::Claimed { first })
    }

    /// Ends a claim that the core has not accepted.
    pub(super) fn refuse(mut self, refusal: Refusal) {
        if let Some(refused) = self.refused.take() {
            // An error means that the caller has gone away.
            let _gone = refused.send(refusal);
        }
    }
}
