//! The client's service of the keychain core: HTTP requests, durations of timers, and notices for
//! users.
//!
//! It only carries out effects; the core decides which claim is refused, renewed, withdrawn or
//! lost.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use turnstile_claim_core::client;
use turnstile_claim_core::keychain::{Command, Keychain, Notice, Timer};
use turnstile_claim_core::message::{
    Message, Request, RequestKind, ResourceName, Response, Server, TargetStatus,
};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::Status;
use turnstile_claim_machines::claim::Resource;
use turnstile_host::{Service, StepIo, simulation};
use turnstile_ids::number::CallId;
use turnstile_step::Input;

use super::clock::Clock;
use super::command::{ClaimView, NewClaim, Refusal};
use super::entry::ClaimEntry;
use super::error::ErrorKind;
use super::retry_policy::{QUICK, Rng, STEADY, is_retry};
use crate::client::requests::call::Caller;
use crate::client::requests::pending_request::{PendingRequest, Received};
use crate::client::requests::request::{HttpRequest, write};
use crate::client::requests::watch;
use crate::wire::CLAIM_TIMEOUT;

/// How long one of several servers may take to end a claim before the next one is asked.
const END_MAX: Duration = Duration::from_secs(1);

/// The claims of a client and their requests in progress.
#[derive(Debug)]
pub(super) struct ClientService {
    pub(super) caller: Caller,
    pub(super) clock: Clock,
    /// The start of the engine's clock.
    epoch: Instant,
    rng: Rng,
    pub(super) entries: BTreeMap<ResourceName, ClaimEntry>,
    pub(super) numbers: BTreeMap<String, ResourceName>,
    last_number: u32,
    pub(super) sent: BTreeMap<CallId, PendingRequest>,
    pub(super) calls: JoinSet<Received>,
    last_call: u64,
    /// The long polls for the ends of claims.
    pub(super) watches: JoinSet<(ClaimId, Option<Status>)>,
    /// Claims for which the current step needs a new idempotency key.
    key_needed: Vec<ResourceName>,
}

/// The context of an input.
#[derive(Debug, Default)]
pub(super) struct InputContext {
    /// A new claim of a resource that is already claimed.
    pub(super) rival: Option<NewClaim>,
    /// The request whose response is the input.
    pub(super) pending: Option<PendingRequest>,
}

impl ClientService {
    pub(super) fn new(caller: Caller, clock: Clock, rng: Rng) -> Self {
        Self {
            caller,
            epoch: clock.now(),
            clock,
            rng,
            entries: BTreeMap::new(),
            numbers: BTreeMap::new(),
            last_number: 0,
            sent: BTreeMap::new(),
            calls: JoinSet::new(),
            last_call: 0,
            watches: JoinSet::new(),
            key_needed: Vec::new(),
        }
    }

    /// Converts an instant of the client's clock to microseconds of the engine.
    pub(super) fn us(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.epoch).as_micros().try_into().unwrap_or(u64::MAX)
    }

    /// Converts microseconds of the engine to an instant of the client's clock.
    pub(super) fn instant(&self, at_us: u64) -> Instant {
        self.epoch + Duration::from_micros(at_us)
    }

    /// The number of a resource, and whether it is already claimed.
    pub(super) fn number(&mut self, resource: &str) -> (ResourceName, bool) {
        if let Some(known) = self.numbers.get(resource) {
            return (*known, true);
        }
        self.last_number = self.last_number.wrapping_add(1);
        let number = ResourceName(self.last_number);
        self.numbers.insert(resource.to_owned(), number);
        (number, false)
    }
}

impl Service for ClientService {
    type Core = Keychain;
    type Context = InputContext;
    type Outgoing = ();

    fn due_us(&mut self, step: &mut StepIo<'_, Self>, armed: Timer) -> Option<u64> {
        let Timer { resource, timer } = armed;
        let now = self.instant(step.now.at_us);
        let entry = self.entries.get_mut(&resource)?;
        let attempt = entry.attempt(timer);
        let mut asked = Duration::ZERO;
        if is_retry(timer) {
            entry.note_retry(now);
            asked = entry.asked_pause(now);
        }
        let (policy, rng, pending) = (entry.policy, &mut self.rng, &step.context.pending);
        let pause = match timer {
            // The first one bounds the wait for the lock, later ones bound the withdrawal.
            Resource::TimeoutTimer if entry.has_waited => policy.lapse(),
            Resource::TimeoutTimer => {
                entry.has_waited = true;
                policy.timeout()
            }
            Resource::LeaseTimer => {
                let sent = pending.as_ref()?;
                entry.view.send_modify(|view| {
                    view.deadline = Some(sent.deadline);
                    view.margin = policy.margin();
                    view.is_in_jeopardy = false;
                });
                sent.left(now)
            }
            Resource::RenewTimer => {
                let sent = pending.as_ref()?;
                policy.renew(sent.left(now), sent.took(now), rng)
            }
            Resource::ConfirmTimer => policy.confirm(),
            Resource::ActivateTimer => match pending {
                // The server has already waited, or the wait comes next: poll again at once.
                Some(sent) if sent.is_post => Duration::ZERO,
                Some(sent) if !sent.wait.is_zero() && now - sent.at >= sent.wait / 2 => {
                    Duration::ZERO
                }
                Some(_) | None => policy.activate(attempt, rng),
            },
            Resource::RetryAbortTimer => QUICK.pause(attempt, rng),
            Resource::RetryRenewTimer => {
                entry.view.send_modify(|view: &mut ClaimView| view.is_in_jeopardy = true);
                policy.within_ttl(QUICK).pause(attempt, rng)
            }
            Resource::RetryActivateTimer
            | Resource::RetryRegisterTimer
            | Resource::RetryReleaseTimer
            | Resource::RetryWithdrawTimer => policy.within_ttl(STEADY).pause(attempt, rng),
            Resource::AbortPatchRequest
            | Resource::ActivatePatchRequest
            | Resource::RegisterPostRequest
            | Resource::ReleasePatchRequest
            | Resource::RenewPatchRequest
            | Resource::WithdrawPatchRequest => return None,
        };
        Some(self.us(now + pause.max(asked)))
    }

    /// A client has no durable state.
    fn save(&mut self, _step: &mut StepIo<'_, Self>, (): ()) {}

    fn notify(&mut self, step: &mut StepIo<'_, Self>, notice: Notice) {
        match notice {
            Notice::Told { resource, notice: client::Notice::KeyNeeded } => {
                self.key_needed.push(resource);
            }
            Notice::Told { resource, notice } => self.tell(step, resource, notice),
            Notice::AlreadyClaimed { resource, key: _, first: _ } => {
                let Some(first) = self.entries.get(&resource) else { return };
                if let Some(rival) = step.context.rival.take() {
                    rival.refuse(first.refusal(self.caller.server()));
                }
            }
            Notice::TooMany { resource, key: _ } => {
                if let Some(entry) = self.entries.remove(&resource) {
                    self.numbers.remove(&entry.resource);
                    entry.refuse(Refusal::Final(ErrorKind::TooMany));
                }
            }
        }
    }

    fn send(&mut self, step: &mut StepIo<'_, Self>, _to: Server, message: Message) {
        match message {
            Message::Request(request) => self.request(step, request),
            Message::Response(_) | Message::Act { .. } | Message::Over { .. } => {}
        }
    }

    /// Removes the claims that the core has ended, and aborts their requests, which the core sees
    /// as unanswered.
    fn finish(&mut self, step: &mut StepIo<'_, Self>) {
        let is_over = |resource: &ResourceName| step.state.claim(*resource).is_none();
        let over: Vec<ResourceName> = self.entries.keys().copied().filter(is_over).collect();
        let calls = self.sent.iter().filter(|(_, sent)| over.contains(&sent.resource));
        let calls: Vec<CallId> = calls.map(|(call, _)| *call).collect();
        for resource in over {
            if let Some(entry) = self.entries.remove(&resource) {
                self.numbers.remove(&entry.resource);
            }
        }
        for call in calls {
            if let Some(sent) = self.sent.remove(&call) {
                sent.abort.abort();
            }
            let message = Message::Response(Response::unanswered(call));
            let input = Input::Message { from: Server::Claims, message };
            step.then(input, InputContext::default());
        }
        for resource in std::mem::take(&mut self.key_needed) {
            let key = IdempotencyKey::new(self.rng.number());
            let input = Input::Command(Command::GoOn { resource, key });
            step.then(input, InputContext::default());
        }
    }
}

impl ClientService {
    fn tell(&mut self, step: &StepIo<'_, Self>, resource: ResourceName, notice: client::Notice) {
        let is_held = matches!(notice, client::Notice::Acquired { .. });
        let claim = step.state.claim(resource).and_then(|claim| claim.claim);
        let watch = claim.filter(|_| is_held).map(|claim| self.watch(claim));
        if let Some(entry) = self.entries.get_mut(&resource) {
            entry.tell(notice);
            entry.watch(watch);
        }
    }

    /// How long to wait for a response. If there are other servers, an end is soon sent to the next
    /// one, since programs wait a short time for it before they exit.
    fn response_timeout(&self, ask: RequestKind, entry: &ClaimEntry) -> Duration {
        let (policy, round_trip) = (entry.policy, entry.round_trip());
        if matches!(ask, RequestKind::Ttl { .. }) && entry.is_held() {
            return policy.response_timeout(round_trip);
        }
        let is_end = matches!(ask, RequestKind::Status { to, .. } if is_end(to));
        let is_soon = is_end && self.caller.servers().len() > 1;
        let longest = if is_soon { END_MAX.max(2 * round_trip) } else { Duration::MAX };
        policy.patient_timeout(round_trip, entry.retries()).min(longest)
    }

    /// Begins the long poll for the end of a claim.
    fn watch(&mut self, claim: ClaimId) -> AbortHandle {
        let rng = Rng::seeded(self.rng.number());
        simulation::spawn_in(&mut self.watches, watch::over(self.caller.clone(), claim, rng))
    }

    /// Begins the long poll for the end of a held claim again, if the server of the former one may
    /// have stopped and others answer.
    pub(super) fn watch_again(&mut self, resource: ResourceName, claim: Option<u64>) {
        let Some(claim) = claim.filter(|_| self.caller.servers().len() > 1) else { return };
        let watch = self.watch(ClaimId::new(claim));
        if let Some(entry) = self.entries.get_mut(&resource) {
            entry.watch(Some(watch));
        }
    }

    fn request(&mut self, step: &StepIo<'_, Self>, Request { call, kind: ask }: Request) {
        let now = self.instant(step.now.at_us);
        let Some(resource) = step.state.resource_of_call(call) else { return };
        let Some(entry) = self.entries.get(&resource) else { return };
        let due_us = step.armed_until_us(Timer { resource, timer: Resource::TimeoutTimer });
        let left = due_us.map(|due_us| self.instant(due_us).saturating_duration_since(now));
        let wait = match ask {
            // A POST is answered at once, so that the claim's id is known and the claim can be
            // withdrawn while it waits.
            RequestKind::Status { to: TargetStatus::Active { wait: true }, .. }
                // After a failure the server is to answer at once: that reports the reconnection.
                if !entry.is_retrying() =>
            {
                // The response must arrive before the user's timeout.
                let left = left.map_or(Duration::MAX, |left| left * 4 / 5);
                left.min(entry.policy.wait())
            }
            RequestKind::Post { .. } | RequestKind::Ttl { .. } | RequestKind::Status { .. } => {
                Duration::ZERO
            }
        };
        let HttpRequest { method, path, mut headers, body } =
            write(ask, wait, entry, self.caller.server());
        let is_for_lock = matches!(
            ask,
            RequestKind::Post { .. } | RequestKind::Status { to: TargetStatus::Active { .. }, .. }
        );
        if let Some(timeout) = entry.policy.timeout.filter(|_| is_for_lock) {
            let left = left.unwrap_or(timeout);
            headers.push((CLAIM_TIMEOUT, left.as_secs_f64().to_string()));
        }
        let timeout = wait + self.response_timeout(ask, entry);
        let deadline = now + entry.policy.lease();
        self.last_call += 1;
        let serial = self.last_call;
        let caller = self.caller.clone();
        let abort = simulation::spawn_in(&mut self.calls, async move {
            let called = caller.call(timeout, method, &path, &headers, Some(body)).await;
            Received { call, serial, server: called.server, answer: called.answer }
        });
        let is_post = matches!(ask, RequestKind::Post { .. });
        let sent = PendingRequest { serial, resource, at: now, deadline, wait, is_post, abort };
        self.sent.insert(call, sent);
    }
}

/// Whether the status ends a claim by its client.
const fn is_end(to: TargetStatus) -> bool {
    match to {
        TargetStatus::Released | TargetStatus::Aborted | TargetStatus::Withdrawn => true,
        TargetStatus::Active { .. } | TargetStatus::Revoked => false,
    }
}
