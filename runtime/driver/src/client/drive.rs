//! Runs the client core of one claim: its sends become HTTP calls, its timers sleep, its notices
//! reach the claim's user.
//!
//! It looks at effects only. The lease is counted from when the request was sent that granted it.

use std::collections::BTreeMap;
use std::time::Duration;

use hyper::Method;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use turnstile_core::claim::client::{Client, Command, Notice};
use turnstile_core::claim::message::{
    Ask, Asked, Lease, Message, Request, ResourceName, Response, Server,
};
use turnstile_core::number::{CallId, ClaimId, IdempotencyKey, Token};
use turnstile_core::step::{InputOf, OutOf};
use turnstile_core::{Core as _, Effect, Input};
use turnstile_machines::claim::Resource;

use super::call::{Answer, Caller};
use super::error::Cause;
use super::pace::{Dice, Pace, QUICK, STEADY};
use crate::trace::{Step, Trace};
use crate::wire::ask::{PostBody, status_body, ttl_body};
use crate::wire::claim::{ClaimSeen, id_in};
use crate::wire::{FENCING_TOKEN, IDEMPOTENCY_KEY, PREFER};

/// What a claim's user wants of it.
#[derive(Debug)]
pub(super) enum Wish {
    /// What the core knows.
    Tell(Command),
    /// Renew now, for this ttl from now on.
    Refresh(Option<Duration>),
    /// Wait no longer; give back what is held already.
    GiveUp,
}

/// What a claim's user can see of it at any time.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// The server's id.
    pub(super) claim: Option<u64>,
    pub(super) token: Option<u64>,
    /// What the core told last.
    pub(super) notice: Option<Notice>,
    /// Until when the lease can be counted on.
    pub(super) deadline: Option<Instant>,
    /// How long before its lapse that is.
    pub(super) margin: Duration,
    /// A renewal has failed and is tried again.
    pub(super) is_in_jeopardy: bool,
    /// How many renewals were answered, well or not.
    pub(super) renewals: u64,
    /// What the server said when it refused.
    pub(super) reason: String,
    /// What ended the claim without a word of the core.
    pub(super) trouble: Option<Cause>,
}

/// Everything a claim needs to run.
#[derive(Debug)]
pub(super) struct Drive {
    pub(super) caller: Caller,
    pub(super) resource: String,
    pub(super) user_data: Option<Box<RawValue>>,
    pub(super) pace: Pace,
    pub(super) dice: Dice,
    pub(super) trace: Option<Trace>,
    pub(super) wishes: mpsc::UnboundedReceiver<Wish>,
    pub(super) view: watch::Sender<View>,
}

/// An answer, or that there is none, to a call.
type Heard = (CallId, Option<Answer>);

/// A request under way.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Instant,
    /// Until when the lease that it may be granted can be counted on.
    deadline: Instant,
    /// How long the server was asked to wait.
    wait: Duration,
    is_post: bool,
    is_renewal: bool,
}

struct Running {
    drive: Drive,
    core: Client,
    state: turnstile_core::claim::client::State,
    timers: BTreeMap<Resource, Instant>,
    /// How often a timer was armed since another kind of timer was.
    attempts: (Option<Resource>, u32),
    sent: BTreeMap<CallId, Sent>,
    calls: JoinSet<Heard>,
    /// The timeout of the waiting has been armed.
    has_waited: bool,
    /// The request whose answer is being taken.
    heard_of: Option<Sent>,
}

impl Drive {
    /// Runs until the core has nothing more to do. Dropping what it returns says so.
    pub(super) async fn run(mut self) -> watch::Sender<View> {
        let mut core = Client::new(ResourceName(0));
        core.waits = true;
        let key = IdempotencyKey::new(self.dice.number());
        let mut running = Running {
            state: core.start(),
            core,
            timers: BTreeMap::new(),
            attempts: (None, 0),
            sent: BTreeMap::new(),
            calls: JoinSet::new(),
            has_waited: false,
            heard_of: None,
            drive: self,
        };
        running.step(Input::Command(Command::Claim { key }));
        running.run().await;
        running.drive.view
    }
}

impl Running {
    async fn run(&mut self) {
        // As long as an answer is waited for, some timer bounds the waiting. Once none is armed the
        // claim is over, and calls that are still open were given up: dropping them hangs up.
        while !self.timers.is_empty() {
            let next = self.timers.iter().min_by_key(|(_, due)| **due).map(|(t, due)| (*t, *due));
            let due = next.map_or_else(Instant::now, |(_, due)| due);
            tokio::select! {
                biased;
                Some(heard) = self.calls.join_next(), if !self.calls.is_empty() => {
                    let (call, answer) = heard.expect("a call does not panic");
                    self.hear(call, answer);
                }
                Some(wish) = self.drive.wishes.recv() => self.grant(wish),
                () = sleep_until(due), if next.is_some() => {
                    let (timer, _) = next.expect("it is armed");
                    self.fire(timer);
                }
            }
        }
    }

    fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Tell(command) => self.step(Input::Command(command)),
            // Whoever gives up has a timeout that is over now.
            Wish::GiveUp if self.timers.contains_key(&Resource::TimeoutTimer) => {
                self.fire(Resource::TimeoutTimer);
            }
            Wish::GiveUp => self.step(Input::Command(Command::Release)),
            Wish::Refresh(ttl) => {
                self.drive.pace.ttl = ttl.unwrap_or(self.drive.pace.ttl);
                // The renew timer's duration is ours: now is as good a time as any.
                if self.timers.contains_key(&Resource::RenewTimer) {
                    self.fire(Resource::RenewTimer);
                }
            }
        }
    }

    fn fire(&mut self, timer: Resource) {
        self.timers.remove(&timer);
        self.step(Input::Fired(timer));
    }

    fn hear(&mut self, call: CallId, answer: Option<Answer>) {
        let Some(sent) = self.sent.remove(&call) else { return };
        let mut response = answer.as_ref().map_or(Response::unanswered(call), |a| read(call, a));
        if sent.deadline <= Instant::now() {
            response.lease = Lease::Lapsed;
        }
        self.drive.view.send_if_modified(|view| {
            view.renewals += u64::from(sent.is_renewal);
            view.claim = response.claim.map(ClaimId::number).or(view.claim);
            if let Some(answer) = answer.filter(|answer| answer.status >= 400) {
                view.reason = answer.reason();
            }
            false
        });
        self.heard_of = Some(sent);
        self.step(Input::Message { from: Server::Claims, message: Message::Response(response) });
        self.heard_of = None;
        if sent.is_renewal {
            // Whoever waits for a refresh sees that it was answered.
            self.drive.view.send_modify(|_| {});
        }
    }

    fn step(&mut self, input: InputOf<Client>) {
        let mut out = OutOf::<Client>::default();
        match &self.drive.trace {
            None => self.core.step(&mut self.state, input, &mut out),
            Some(trace) => {
                self.core.step(&mut self.state, input.clone(), &mut out);
                trace.note(Step::Client { input, out: out.clone() });
            }
        }
        crate::trace::log(&out.rows);
        for effect in out.effects {
            match effect {
                Effect::Send { to: _, message: Message::Request(request) } => self.send(request),
                Effect::Send { to: _, message: Message::Response(_) | Message::Act { .. } } => {}
                Effect::Arm(timer) => self.arm(timer),
                Effect::Disarm(timer) => {
                    self.timers.remove(&timer);
                }
                Effect::Save(()) => {}
                Effect::Notify(notice) => self.tell(notice),
            }
        }
    }

    fn send(&mut self, Request { call, ask }: Request) {
        let now = Instant::now();
        let wait = match ask {
            // A POST is answered at once: so a claim is known, and can be withdrawn, before it
            // waits.
            Ask::Status { to: Asked::Active { wait: true }, .. } => {
                // The answer is to come before the user's patience ends, not with it.
                let left = self.timers.get(&Resource::TimeoutTimer).map(|due| (*due - now) * 4 / 5);
                left.unwrap_or(Duration::MAX).min(self.drive.pace.wait())
            }
            Ask::Post { .. } | Ask::Ttl { .. } | Ask::Status { .. } => Duration::ZERO,
        };
        let is_post = matches!(ask, Ask::Post { .. });
        let is_renewal = matches!(ask, Ask::Ttl { .. });
        let deadline = now + self.drive.pace.lease();
        self.sent.insert(call, Sent { at: now, deadline, wait, is_post, is_renewal });
        let outgoing = self.write(ask, wait);
        let patience = wait + self.drive.pace.patience();
        let caller = self.drive.caller.clone();
        self.calls.spawn(async move {
            let Outgoing { method, path, headers, body } = outgoing;
            let answer = caller.call(method, &path, &headers, Some(body));
            match tokio::time::timeout(patience, answer).await {
                Ok(Ok(answer)) => (call, Some(answer)),
                Ok(Err(error)) => {
                    tracing::debug!(%error, "no answer");
                    (call, None)
                }
                Err(_) => (call, None),
            }
        });
    }

    /// A request of the core as HTTP.
    fn write(&self, ask: Ask, wait: Duration) -> Outgoing {
        let mut headers = Vec::new();
        if !wait.is_zero() {
            headers.push((PREFER, format!("wait={}", wait.as_secs_f64())));
        }
        let place = self.drive.caller.place();
        let of = |claim: ClaimId| format!("{}{claim}/", place.path);
        let (method, path, body) = match ask {
            Ask::Post { resource: _, key, wait: _ } => {
                headers.extend(key.map(|key| (IDEMPOTENCY_KEY, format!("{:016x}", key.number()))));
                let body = PostBody {
                    resource: &self.drive.resource,
                    ttl: self.drive.pace.ttl.as_secs_f64(),
                    user_data: self.drive.user_data.as_deref(),
                };
                let body = serde_json::to_string(&body).expect("plain data");
                (Method::POST, place.path.clone(), body)
            }
            Ask::Ttl { claim } => {
                let ttl_us = self.drive.pace.ttl.as_micros();
                let ttl_us = u64::try_from(ttl_us).unwrap_or(u64::MAX);
                (Method::PATCH, of(claim), ttl_body(ttl_us))
            }
            Ask::Status { claim, to } => (Method::PATCH, of(claim), status_body(to)),
        };
        Outgoing { method, path, headers, body }
    }

    fn arm(&mut self, timer: Resource) {
        let attempt = match self.attempts {
            (Some(last), attempt) if last == timer => attempt + 1,
            _ => 0,
        };
        self.attempts = (Some(timer), attempt);
        let Drive { pace, dice, .. } = &mut self.drive;
        let (now, margin) = (Instant::now(), pace.margin());
        let pause = match timer {
            // The first bounds the waiting for the lock, any later one the giving it up: after a
            // ttl nothing is held any more, acknowledged or not.
            Resource::TimeoutTimer if self.has_waited => pace.ttl,
            Resource::TimeoutTimer => {
                self.has_waited = true;
                pace.timeout()
            }
            Resource::LeaseTimer => {
                let Some(sent) = self.heard_of else { return };
                self.drive.view.send_modify(|view| {
                    view.deadline = Some(sent.deadline);
                    view.margin = margin;
                    view.is_in_jeopardy = false;
                });
                sent.deadline.saturating_duration_since(now)
            }
            Resource::RenewTimer => pace.renew(dice),
            Resource::ActivateTimer => match self.heard_of {
                // Waiting is what comes next, and a server that waits has done its part already.
                Some(sent) if sent.is_post => Duration::ZERO,
                Some(sent) if !sent.wait.is_zero() && now - sent.at >= sent.wait / 2 => {
                    Duration::ZERO
                }
                Some(_) | None => pace.activate(attempt, dice),
            },
            Resource::RetryAbortTimer => QUICK.pause(attempt, dice),
            Resource::RetryRenewTimer => pace.within_ttl(QUICK).pause(attempt, dice),
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
        if timer == Resource::RetryRenewTimer {
            self.drive.view.send_modify(|view| view.is_in_jeopardy = true);
        }
        self.timers.insert(timer, now + pause);
    }

    fn tell(&mut self, notice: Notice) {
        self.drive.view.send_modify(|view| {
            if let Notice::Acquired { token } = notice {
                view.token = token.map(Token::number);
            }
            view.notice = Some(notice);
        });
    }
}

/// A request as HTTP.
struct Outgoing {
    method: Method,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

/// An answer as the core hears it. One that cannot be read is none.
fn read(call: CallId, answer: &Answer) -> Response {
    let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
    let seen = serde_json::from_slice::<ClaimSeen>(&answer.body).ok();
    let url = header("location").or(seen.as_ref().map(|seen| seen.url.as_str()));
    let claim = url.and_then(id_in).filter(|_| matches!(answer.status, 200..=202));
    let token = seen.as_ref().and_then(|seen| seen.fencing_token);
    let token = token.or_else(|| header(FENCING_TOKEN)?.parse().ok());
    if matches!(answer.status, 200..=202) && claim.is_none() {
        return Response::unanswered(call);
    }
    Response {
        claim: claim.map(ClaimId::new),
        token: token.map(Token::new),
        ..Response::bare(call, answer.status)
    }
}
