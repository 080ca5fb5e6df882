//! Runs the keychain core of a manager: its sends become HTTP calls, its timers sleep, its notices
//! reach the claims' users.
//!
//! It looks at effects only. Which claim is refused, renewed, given up or lost is the core's.

use std::collections::BTreeMap;

use tokio::sync::{mpsc, watch as channel};
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};
use turnstile_core::claim::client;
use turnstile_core::claim::keychain::{Command, Keychain, Notice, State, Timer};
use turnstile_core::claim::message::{Lease, Message, ResourceName, Response, Server};
use turnstile_core::number::{CallId, ClaimId, IdempotencyKey};
use turnstile_machines::claim::Resource;
use turnstile_step::{Core as _, Effect, Input, InputOf, OutOf};

use super::call::{Answer, Caller};
use super::clock::Clock;
use super::entry::Entry;
use super::error::Cause;
use super::order::{New, Order, Refusal, View};
use super::pace::Dice;
use super::request::read;
use super::watch;
use crate::trace::Trace;
use turnstile_host::Timers;

/// Everything that the claims of a manager have in common.
#[derive(Debug)]
pub(super) struct Drive {
    pub(super) caller: Caller,
    pub(super) clock: Clock,
    pub(super) dice: Dice,
    pub(super) trace: Option<Trace>,
    core: Keychain,
    pub(super) state: State,
    pub(super) entries: BTreeMap<ResourceName, Entry>,
    numbers: BTreeMap<String, ResourceName>,
    last_number: u32,
    pub(super) timers: Timers<Timer, Instant>,
    pub(super) sent: BTreeMap<CallId, Sent>,
    pub(super) calls: JoinSet<Heard>,
    pub(super) last_call: u64,
    /// The request whose answer is being taken.
    pub(super) heard_of: Option<Sent>,
    /// Requests that wait until a claim is over.
    watches: JoinSet<ClaimId>,
}

/// A request under way.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// Its number among all requests, since the core's are used again.
    pub(super) serial: u64,
    pub(super) resource: ResourceName,
    pub(super) at: Instant,
    /// Until when the lease that it may be granted can be counted on.
    pub(super) deadline: Instant,
    /// How long the server was asked to wait.
    pub(super) wait: std::time::Duration,
    pub(super) is_post: bool,
    pub(super) abort: AbortHandle,
}

/// An answer, or that there is none, to a call.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) call: CallId,
    pub(super) serial: u64,
    pub(super) answer: Result<Answer, NoAnswer>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) struct NoAnswer {
    pub(super) kind: Failure,
    pub(super) why: String,
}

/// What is known of a request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Nobody took the connection; nothing was sent.
    Refused,
    /// The server's certificate is not trusted, or it has none to show: nothing was sent, and
    /// asking again does not help.
    Untrusted,
    /// It may have been handled.
    Unknown,
}

/// The status that stands for a server which is not trusted, as proxies report it.
const UNTRUSTED: u16 = 495;

impl Drive {
    pub(super) fn new(caller: Caller, clock: Clock, dice: Dice, trace: Option<Trace>) -> Self {
        let core = Keychain { waits: true, ..Keychain::new() };
        Self {
            caller,
            clock,
            dice,
            trace,
            state: core.start(),
            core,
            entries: BTreeMap::new(),
            numbers: BTreeMap::new(),
            last_number: 0,
            timers: Timers::default(),
            sent: BTreeMap::new(),
            calls: JoinSet::new(),
            last_call: 0,
            heard_of: None,
            watches: JoinSet::new(),
        }
    }

    /// Runs until nobody can want anything more, and nothing is held or asked for.
    pub(super) async fn run(mut self, mut orders: mpsc::UnboundedReceiver<Order>) {
        if let Some(trace) = &self.trace {
            trace.enter("keychain that waits");
        }
        self.step(Input::Restart(None));
        let mut is_open = true;
        while is_open || !self.entries.is_empty() {
            let wake = self.wake();
            tokio::select! {
                biased;
                Some(heard) = self.calls.join_next(), if !self.calls.is_empty() => {
                    self.join(heard);
                }
                Some(over) = self.watches.join_next(), if !self.watches.is_empty() => {
                    self.hear_end(over);
                }
                order = orders.recv(), if is_open => match order {
                    Some(order) => self.obey(order),
                    None => is_open = false,
                },
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    if let Some(timer) = self.timers.take_due(self.clock.now()) {
                        self.step(Input::Fired(timer));
                    }
                }
            }
        }
    }

    /// When the next timer fires. A machine that has slept tells nobody, so that is looked for
    /// within half of the shortest margin that a lease has.
    fn wake(&self) -> Option<Instant> {
        let due = self.clock.awake(self.timers.next()?);
        let margin = self.entries.values().map(|entry| entry.pace.margin()).min();
        Some(margin.map_or(due, |margin| due.min(Instant::now() + margin / 2)))
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Claim(new) => self.claim(*new),
            Order::Leave { resource, key } => {
                if let Some((resource, entry)) = self.entry(&resource, key) {
                    entry.is_left = true;
                    self.step(Input::Command(Command::Release { resource }));
                }
            }
            Order::Refresh { resource, key, ttl } => {
                let Some((resource, entry)) = self.entry(&resource, key) else { return };
                entry.pace.ttl = ttl.unwrap_or(entry.pace.ttl);
                // The renew timer's duration is ours: now is as good a time as any.
                let timer = Timer { resource, timer: Resource::RenewTimer };
                if self.timers.is_armed(timer) {
                    self.timers.disarm(timer);
                    self.step(Input::Fired(timer));
                }
            }
            Order::GiveUp { resource, given } => {
                let Some(resource) = self.numbers.get(&resource).copied() else { return };
                if let Some(entry) = self.entries.get_mut(&resource) {
                    entry.is_left = true;
                    // Whoever asked may have gone away.
                    let _gone = given.send(entry.view.subscribe());
                }
                self.step(Input::Command(Command::Release { resource }));
            }
            Order::Close { given } => {
                self.entries.values_mut().for_each(|entry| entry.is_left = true);
                let views = self.entries.values().map(|entry| entry.view.subscribe());
                let _gone = given.send(views.collect());
                self.step(Input::Command(Command::Close));
            }
        }
    }

    fn entry(&mut self, resource: &str, key: u64) -> Option<(ResourceName, &mut Entry)> {
        let resource = *self.numbers.get(resource)?;
        let entry = self.entries.get_mut(&resource).filter(|entry| entry.key == key)?;
        Some((resource, entry))
    }

    fn claim(&mut self, new: New) {
        let key = IdempotencyKey::new(new.key);
        let known = self.numbers.get(&new.resource).copied();
        let resource = known.unwrap_or_else(|| {
            self.last_number = self.last_number.wrapping_add(1);
            ResourceName(self.last_number)
        });
        let command = Input::Command(Command::Claim { resource, key });
        if known.is_some() {
            // The core refuses it, and names the first.
            return self.step_with(command, Some(new));
        }
        self.numbers.insert(new.resource.clone(), resource);
        self.entries.insert(resource, Entry::new(new));
        self.step(command);
    }

    fn join(&mut self, heard: Result<Heard, JoinError>) {
        match heard {
            Ok(heard) => self.hear(heard),
            Err(error) => assert!(error.is_cancelled(), "a call does not panic: {error}"),
        }
    }

    fn hear(&mut self, Heard { call, serial, answer }: Heard) {
        let is_due = self.sent.get(&call).is_some_and(|sent| sent.serial == serial);
        let Some(sent) = self.sent.remove(&call).filter(|_| is_due) else { return };
        let mut response = match &answer {
            Ok(answer) => read(call, answer),
            Err(NoAnswer { kind: Failure::Unknown, .. }) => Response::unanswered(call),
            Err(NoAnswer { kind: Failure::Refused, .. }) => Response::refused(call),
            Err(NoAnswer { kind: Failure::Untrusted, .. }) => Response::bare(call, UNTRUSTED),
        };
        if sent.deadline <= self.clock.now() {
            response.lease = Lease::Lapsed;
        }
        if let Some(entry) = self.entries.get_mut(&sent.resource) {
            entry.note_answer(response.claim.map(ClaimId::number), answer, self.caller.place());
        }
        self.heard_of = Some(sent);
        self.step(Input::Message { from: Server::Claims, message: Message::Response(response) });
        self.heard_of = None;
    }

    fn hear_end(&mut self, over: Result<ClaimId, JoinError>) {
        match over {
            Ok(claim) => {
                let message = Message::Over { claim };
                self.step(Input::Message { from: Server::Claims, message });
            }
            Err(error) => assert!(error.is_cancelled(), "a watch does not panic: {error}"),
        }
    }

    fn step(&mut self, input: InputOf<Keychain>) {
        self.step_with(input, None);
    }

    fn step_with(&mut self, input: InputOf<Keychain>, mut rival: Option<New>) {
        let mut out = OutOf::<Keychain>::default();
        match &self.trace {
            None => self.core.step(&mut self.state, input, &mut out),
            Some(trace) => {
                self.core.step(&mut self.state, input.clone(), &mut out);
                trace.note::<Keychain>(&input, &out);
            }
        }
        crate::trace::log(&out.rows);
        let mut needing = Vec::new();
        for effect in out.effects {
            match effect {
                Effect::Send { to: _, message: Message::Request(request) } => self.send(request),
                Effect::Send {
                    to: _,
                    message: Message::Response(_) | Message::Act { .. } | Message::Over { .. },
                } => {}
                Effect::Arm(timer) => self.arm(timer),
                Effect::Disarm(timer) => self.timers.disarm(timer),
                Effect::Save(()) => {}
                Effect::Notify(Notice::Told { resource, notice: client::Notice::KeyNeeded }) => {
                    needing.push(resource);
                }
                Effect::Notify(notice) => self.tell(notice, &mut rival),
            }
        }
        self.end_claims();
        for resource in needing {
            let key = IdempotencyKey::new(self.dice.number());
            self.step(Input::Command(Command::GoOn { resource, key }));
        }
    }

    fn tell(&mut self, notice: Notice, rival: &mut Option<New>) {
        match notice {
            Notice::Told { resource, notice } => {
                let is_held = matches!(notice, client::Notice::Acquired { .. });
                let claim = self.state.claim(resource).and_then(|claim| claim.claim);
                let watch = claim.filter(|_| is_held).map(|claim| {
                    let dice = Dice::seeded(self.dice.number());
                    self.watches.spawn(watch::over(self.caller.clone(), claim, dice))
                });
                if let Some(entry) = self.entries.get_mut(&resource) {
                    entry.tell(notice);
                    entry.watch(watch);
                }
            }
            Notice::AlreadyClaimed { resource, key: _, first: _ } => {
                let Some(first) = self.entries.get(&resource) else { return };
                if let Some(rival) = rival.take() {
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

    /// Takes leave of the claims that the core has ended. Their calls were given up: nobody waits
    /// for an answer, and the core is told so.
    fn end_claims(&mut self) {
        let is_over = |resource: &ResourceName| self.state.claim(*resource).is_none();
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
            self.step(Input::Message { from: Server::Claims, message });
        }
    }
}

impl New {
    pub(super) fn refuse(self, refusal: Refusal) {
        // Whoever asked may have gone away.
        let _gone = self.refused.send(refusal);
    }
}

/// Waits until a claim is over.
pub(super) async fn ended(mut view: channel::Receiver<View>) {
    while view.changed().await.is_ok() {}
}
