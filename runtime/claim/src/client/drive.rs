//! The loop of a manager: answers, orders and timers become inputs of the keychain core.

use tokio::sync::{mpsc, watch as channel};
use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until};
use turnstile_core::claim::keychain::{Command, Keychain, Timer};
use turnstile_core::claim::message::{Lease, Message, ResourceName, Response, Server};
use turnstile_core::number::{ClaimId, IdempotencyKey};
use turnstile_host::{Engine, Moment, Trace};
use turnstile_machines::claim::Resource;
use turnstile_step::{Input, InputOf};

use super::call::Caller;
use super::clock::Clock;
use super::entry::Entry;
use super::order::{New, Order, Refusal, View};
use super::pace::Dice;
use super::request::read;
use super::sent::{Failure, Heard, NoAnswer};
use super::service::{Claims, InputContext};

/// The claims of a manager, which run in one task.
#[derive(Debug)]
pub(super) struct Drive {
    engine: Engine<Claims>,
}

/// The status that stands for a server which is not trusted, as proxies report it.
const UNTRUSTED: u16 = 495;

impl Drive {
    pub(super) fn new(caller: Caller, clock: Clock, dice: Dice, trace: Option<Trace>) -> Self {
        let core = Keychain { waits: true, ..Keychain::new() };
        let observer = trace.map(|trace| trace.observer::<Keychain>("keychain that waits"));
        Self { engine: Engine::new(core, Claims::new(caller, clock, dice), observer) }
    }

    /// Runs until nobody can want anything more, and nothing is held or asked for.
    pub(super) async fn run(mut self, mut orders: mpsc::UnboundedReceiver<Order>) {
        self.engine.restart(self.now(), None, 0);
        let mut is_open = true;
        while is_open || !self.engine.service.entries.is_empty() {
            let wake = self.wake();
            let Claims { calls, watches, .. } = &mut self.engine.service;
            tokio::select! {
                biased;
                Some(heard) = calls.join_next(), if !calls.is_empty() => self.join(heard),
                Some(over) = watches.join_next(), if !watches.is_empty() => self.hear_end(over),
                order = orders.recv(), if is_open => match order {
                    Some(order) => self.obey(order),
                    None => is_open = false,
                },
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    let now = self.now();
                    self.engine.fire_due(now);
                }
            }
        }
    }

    /// The time as the engine counts it. A client knows no dates.
    fn now(&self) -> Moment {
        let claims = &self.engine.service;
        Moment { at_us: claims.us(claims.clock.now()), date_us: 0 }
    }

    fn step(&mut self, input: InputOf<Keychain>, mut context: InputContext) {
        let now = self.now();
        self.engine.apply(now, input, &mut context);
    }

    /// When the next timer fires. A machine that has slept tells nobody, so that is looked for
    /// within half of the shortest margin that a lease has.
    fn wake(&self) -> Option<Instant> {
        let claims = &self.engine.service;
        let due = claims.clock.awake(claims.instant(self.engine.next_due_us()?));
        let margin = claims.entries.values().map(|entry| entry.pace.margin()).min();
        Some(margin.map_or(due, |margin| due.min(Instant::now() + margin / 2)))
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Claim(new) => self.claim(*new),
            Order::Leave { resource, key } => {
                if let Some((resource, entry)) = self.entry(&resource, key) {
                    entry.is_left = true;
                    self.command(Command::Release { resource });
                }
            }
            Order::Refresh { resource, key, ttl } => {
                let Some((resource, entry)) = self.entry(&resource, key) else { return };
                entry.pace.ttl = ttl.unwrap_or(entry.pace.ttl);
                // The renew timer's duration is ours: now is as good a time as any.
                let now = self.now();
                self.engine.fire_early(now, Timer { resource, timer: Resource::RenewTimer });
            }
            Order::GiveUp { resource, given } => {
                let claims = &mut self.engine.service;
                let Some(resource) = claims.numbers.get(&resource).copied() else { return };
                if let Some(entry) = claims.entries.get_mut(&resource) {
                    entry.is_left = true;
                    // Whoever asked may have gone away.
                    let _gone = given.send(entry.view.subscribe());
                }
                self.command(Command::Release { resource });
            }
            Order::Close { given } => {
                let entries = &mut self.engine.service.entries;
                entries.values_mut().for_each(|entry| entry.is_left = true);
                let views = entries.values().map(|entry| entry.view.subscribe());
                let _gone = given.send(views.collect());
                self.command(Command::Close);
            }
        }
    }

    fn command(&mut self, command: Command) {
        self.step(Input::Command(command), InputContext::default());
    }

    fn entry(&mut self, resource: &str, key: u64) -> Option<(ResourceName, &mut Entry)> {
        let claims = &mut self.engine.service;
        let resource = *claims.numbers.get(resource)?;
        let entry = claims.entries.get_mut(&resource).filter(|entry| entry.key == key)?;
        Some((resource, entry))
    }

    fn claim(&mut self, new: New) {
        let key = IdempotencyKey::new(new.key);
        let claims = &mut self.engine.service;
        let (resource, is_claimed) = claims.number(&new.resource);
        let mut context = InputContext::default();
        if is_claimed {
            // The core refuses it, and names the first.
            context.rival = Some(new);
        } else {
            claims.entries.insert(resource, Entry::new(new));
        }
        self.step(Input::Command(Command::Claim { resource, key }), context);
    }

    fn join(&mut self, heard: Result<Heard, JoinError>) {
        match heard {
            Ok(heard) => self.hear(heard),
            Err(error) => assert!(error.is_cancelled(), "a call does not panic: {error}"),
        }
    }

    fn hear(&mut self, Heard { call, serial, answer }: Heard) {
        let claims = &mut self.engine.service;
        let is_due = claims.sent.get(&call).is_some_and(|sent| sent.serial == serial);
        let Some(sent) = claims.sent.remove(&call).filter(|_| is_due) else { return };
        let mut response = match &answer {
            Ok(answer) => read(call, answer),
            Err(NoAnswer { kind: Failure::Unknown, .. }) => Response::unanswered(call),
            Err(NoAnswer { kind: Failure::Refused, .. }) => Response::refused(call),
            Err(NoAnswer { kind: Failure::Untrusted, .. }) => Response::bare(call, UNTRUSTED),
        };
        if sent.deadline <= claims.clock.now() {
            response.lease = Lease::Lapsed;
        }
        if let Some(entry) = claims.entries.get_mut(&sent.resource) {
            let id = response.claim.map(ClaimId::number);
            entry.note_answer(id, answer, claims.caller.place());
        }
        let message = Message::Response(response);
        let context = InputContext { heard_of: Some(sent), rival: None };
        self.step(Input::Message { from: Server::Claims, message }, context);
    }

    fn hear_end(&mut self, over: Result<ClaimId, JoinError>) {
        match over {
            Ok(claim) => {
                let input =
                    Input::Message { from: Server::Claims, message: Message::Over { claim } };
                self.step(input, InputContext::default());
            }
            Err(error) => assert!(error.is_cancelled(), "a watch does not panic: {error}"),
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
