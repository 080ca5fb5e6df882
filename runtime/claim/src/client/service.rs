//! What a client adds to the keychain core: requests over HTTP, the pace of its timers, and what
//! its users are told.
//!
//! It looks at effects only. Which claim is refused, renewed, given up or lost is the core's.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;
use turnstile_core::claim::client;
use turnstile_core::claim::keychain::{Command, Keychain, Notice, Timer};
use turnstile_core::claim::message::{
    Ask, Asked, Message, Request, ResourceName, Response, Server,
};
use turnstile_core::number::{CallId, ClaimId, IdempotencyKey};
use turnstile_host::{Service, Step};
use turnstile_machines::claim::Resource;
use turnstile_step::Input;

use super::call::Caller;
use super::clock::Clock;
use super::entry::Entry;
use super::error::Cause;
use super::order::{New, Refusal, View};
use super::pace::{Dice, QUICK, STEADY};
use super::request::{Outgoing, write};
use super::sent::{Failure, Heard, NoAnswer, Sent, unanswered};
use super::watch;
use crate::wire::CLAIM_TIMEOUT;

/// The claims of a manager, and the requests that are under way for them.
#[derive(Debug)]
pub(super) struct Claims {
    pub(super) caller: Caller,
    pub(super) clock: Clock,
    /// When the engine's clock began.
    epoch: Instant,
    dice: Dice,
    pub(super) entries: BTreeMap<ResourceName, Entry>,
    pub(super) numbers: BTreeMap<String, ResourceName>,
    last_number: u32,
    pub(super) sent: BTreeMap<CallId, Sent>,
    pub(super) calls: JoinSet<Heard>,
    last_call: u64,
    /// Requests that wait until a claim is over.
    pub(super) watches: JoinSet<ClaimId>,
    /// Claims that the step in hand has asked a fresh key for.
    needing: Vec<ResourceName>,
}

/// What comes with an input of the keychain.
#[derive(Debug, Default)]
pub(super) struct InputContext {
    /// A claim of a resource that is claimed already.
    pub(super) rival: Option<New>,
    /// The request whose answer is being taken.
    pub(super) heard_of: Option<Sent>,
}

impl Claims {
    pub(super) fn new(caller: Caller, clock: Clock, dice: Dice) -> Self {
        Self {
            caller,
            epoch: clock.now(),
            clock,
            dice,
            entries: BTreeMap::new(),
            numbers: BTreeMap::new(),
            last_number: 0,
            sent: BTreeMap::new(),
            calls: JoinSet::new(),
            last_call: 0,
            watches: JoinSet::new(),
            needing: Vec::new(),
        }
    }

    /// An instant of the client's clock as the engine counts time, in microseconds.
    pub(super) fn us(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.epoch).as_micros().try_into().unwrap_or(u64::MAX)
    }

    /// The other way round.
    pub(super) fn instant(&self, at_us: u64) -> Instant {
        self.epoch + Duration::from_micros(at_us)
    }

    /// The number of a resource, and whether it is claimed already.
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

impl Service for Claims {
    type Core = Keychain;
    type Context = InputContext;
    type Outgoing = ();

    fn due_us(&mut self, step: &mut Step<'_, Self>, armed: Timer) -> Option<u64> {
        let Timer { resource, timer } = armed;
        let now = self.instant(step.now.at_us);
        let entry = self.entries.get_mut(&resource)?;
        let attempt = entry.attempt(timer);
        let (pace, dice, heard_of) = (entry.pace, &mut self.dice, &step.context.heard_of);
        let pause = match timer {
            // The first bounds the waiting for the lock, any later one the giving it up.
            Resource::TimeoutTimer if entry.has_waited => pace.lapse(),
            Resource::TimeoutTimer => {
                entry.has_waited = true;
                pace.timeout()
            }
            Resource::LeaseTimer => {
                let sent = heard_of.as_ref()?;
                entry.view.send_modify(|view| {
                    view.deadline = Some(sent.deadline);
                    view.margin = pace.margin();
                    view.is_in_jeopardy = false;
                });
                sent.deadline.saturating_duration_since(now)
            }
            Resource::RenewTimer => pace.renew(dice),
            Resource::ActivateTimer => match heard_of {
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
            | Resource::WithdrawPatchRequest => return None,
        };
        Some(self.us(now + pause))
    }

    /// Nothing of a client survives its process.
    fn save(&mut self, _step: &mut Step<'_, Self>, (): ()) {}

    fn notify(&mut self, step: &mut Step<'_, Self>, notice: Notice) {
        match notice {
            Notice::Told { resource, notice: client::Notice::KeyNeeded } => {
                self.needing.push(resource);
            }
            Notice::Told { resource, notice } => self.tell(step, resource, notice),
            Notice::AlreadyClaimed { resource, key: _, first: _ } => {
                let Some(first) = self.entries.get(&resource) else { return };
                if let Some(rival) = step.context.rival.take() {
                    rival.refuse(first.refusal(self.caller.place()));
                }
            }
            Notice::TooMany { resource, key: _ } => {
                if let Some(entry) = self.entries.remove(&resource) {
                    self.numbers.remove(&entry.resource);
                    entry.refuse(Refusal::Final(Cause::TooMany));
                }
            }
        }
    }

    fn send(&mut self, step: &mut Step<'_, Self>, _to: Server, message: Message) {
        match message {
            Message::Request(request) => self.request(step, request),
            Message::Response(_) | Message::Act { .. } | Message::Over { .. } => {}
        }
    }

    /// Takes leave of the claims that the core has ended. Their calls were given up: no answer is
    /// waited for, and the core is told so.
    fn finish(&mut self, step: &mut Step<'_, Self>) {
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
        for resource in std::mem::take(&mut self.needing) {
            let key = IdempotencyKey::new(self.dice.number());
            let input = Input::Command(Command::GoOn { resource, key });
            step.then(input, InputContext::default());
        }
    }
}

impl Claims {
    fn tell(&mut self, step: &Step<'_, Self>, resource: ResourceName, notice: client::Notice) {
        let is_held = matches!(notice, client::Notice::Acquired { .. });
        let claim = step.state.claim(resource).and_then(|claim| claim.claim);
        let watch = claim.filter(|_| is_held).map(|claim| {
            let dice = Dice::seeded(self.dice.number());
            self.watches.spawn(watch::over(self.caller.clone(), claim, dice))
        });
        if let Some(entry) = self.entries.get_mut(&resource) {
            entry.tell(notice);
            entry.watch(watch);
        }
    }

    fn request(&mut self, step: &Step<'_, Self>, Request { call, ask }: Request) {
        let now = self.instant(step.now.at_us);
        let Some(resource) = step.state.whose(call) else { return };
        let Some(entry) = self.entries.get(&resource) else { return };
        let due_us = step.armed_until_us(Timer { resource, timer: Resource::TimeoutTimer });
        let left = due_us.map(|due_us| self.instant(due_us).saturating_duration_since(now));
        let wait = match ask {
            // A POST is answered at once: so a claim is known, and can be withdrawn, before it
            // waits.
            Ask::Status { to: Asked::Active { wait: true }, .. } => {
                // The answer is to come before the user's patience ends, not with it.
                let left = left.map_or(Duration::MAX, |left| left * 4 / 5);
                left.min(entry.pace.wait())
            }
            Ask::Post { .. } | Ask::Ttl { .. } | Ask::Status { .. } => Duration::ZERO,
        };
        let Outgoing { method, path, mut headers, body } =
            write(ask, wait, entry, self.caller.place());
        let is_for_lock =
            matches!(ask, Ask::Post { .. } | Ask::Status { to: Asked::Active { .. }, .. });
        if let Some(timeout) = entry.pace.timeout.filter(|_| is_for_lock) {
            let left = left.unwrap_or(timeout);
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
}
