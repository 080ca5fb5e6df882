//! The event loop of a client: responses, commands and timers become inputs of the keychain core.

use tokio::sync::{mpsc, watch as channel};
use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until};
use turnstile_claim_core::keychain::{Command, Keychain, Timer};
use turnstile_claim_core::message::{Message, ResourceName, Response, Server};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::Status;
use turnstile_claim_machines::claim::Resource;
use turnstile_host::{Engine, Moment, Trace};
use turnstile_step::{Input, InputOf};

use super::clock::Clock;
use super::command::{ClaimView, NewClaim, Refusal, UserCommand};
use super::entry::ClaimEntry;
use super::retry_policy::Rng;
use super::service::{ClientService, InputContext};
use crate::client::requests::call::Caller;
use crate::client::requests::pending_request::{Failure, NoAnswer, Received};
use crate::client::requests::request::read;

/// The claims of a client, which one task drives.
#[derive(Debug)]
pub(super) struct ClientDriver {
    engine: Engine<ClientService>,
}

/// The status that stands for an untrusted server; proxies use the same.
const UNTRUSTED: u16 = 495;

impl ClientDriver {
    pub(super) fn new(caller: Caller, clock: Clock, rng: Rng, trace: Option<Trace>) -> Self {
        let core = Keychain { waits: true, ..Keychain::new() };
        let observer = trace.map(|trace| trace.observer::<Keychain>("keychain that waits"));
        Self { engine: Engine::new(core, ClientService::new(caller, clock, rng), observer) }
    }

    /// Runs until all handles are dropped and all claims have ended.
    pub(super) async fn run(mut self, mut commands: mpsc::UnboundedReceiver<UserCommand>) {
        self.engine.restart(self.now(), None, 0);
        let mut is_open = true;
        while is_open || !self.engine.service.entries.is_empty() {
            let wake = self.wake();
            let ClientService { calls, watches, .. } = &mut self.engine.service;
            tokio::select! {
                biased;
                Some(joined) = calls.join_next(), if !calls.is_empty() => self.take_answer(joined),
                Some(over) = watches.join_next(), if !watches.is_empty() => self.handle_over(over),
                command = commands.recv(), if is_open => match command {
                    Some(command) => self.handle(command),
                    None => is_open = false,
                },
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    let now = self.now();
                    self.engine.fire_due(now);
                }
            }
        }
    }

    /// The time of the engine. A client needs no dates.
    fn now(&self) -> Moment {
        let claims = &self.engine.service;
        Moment { at_us: claims.us(claims.clock.now()), date_us: 0 }
    }

    fn step(&mut self, input: InputOf<Keychain>, mut context: InputContext) {
        let now = self.now();
        self.engine.apply(now, input, &mut context);
    }

    /// When the next timer fires. A resume of the machine is not signalled, so the clock is checked
    /// at least once in half of the shortest lease margin.
    fn wake(&self) -> Option<Instant> {
        let claims = &self.engine.service;
        let due = claims.clock.awake(claims.instant(self.engine.next_due_us()?));
        let margin = claims.entries.values().map(|entry| entry.policy.margin()).min();
        Some(margin.map_or(due, |margin| due.min(Instant::now() + margin / 2)))
    }

    fn handle(&mut self, command: UserCommand) {
        match command {
            UserCommand::Claim(new) => self.claim(*new),
            UserCommand::Release { resource, key } => {
                if let Some((resource, entry)) = self.entry(&resource, key) {
                    entry.is_abandoned = true;
                    self.input(Command::Release { resource });
                }
            }
            UserCommand::Refresh { resource, key, ttl } => {
                let Some((resource, entry)) = self.entry(&resource, key) else { return };
                entry.policy.ttl = ttl.unwrap_or(entry.policy.ttl);
                // The duration of the renew timer is set here, so it may fire at any time.
                let now = self.now();
                self.engine.fire_early(now, Timer { resource, timer: Resource::RenewTimer });
            }
            UserCommand::Abandon { resource, reply } => {
                let claims = &mut self.engine.service;
                let Some(resource) = claims.numbers.get(&resource).copied() else { return };
                if let Some(entry) = claims.entries.get_mut(&resource) {
                    entry.is_abandoned = true;
                    // An error means that the caller has gone away.
                    let _gone = reply.send(entry.view.subscribe());
                }
                self.input(Command::Release { resource });
            }
            UserCommand::Close { reply } => {
                let entries = &mut self.engine.service.entries;
                entries.values_mut().for_each(|entry| entry.is_abandoned = true);
                let views = entries.values().map(|entry| entry.view.subscribe());
                let _gone = reply.send(views.collect());
                self.input(Command::Close);
            }
        }
    }

    fn input(&mut self, command: Command) {
        self.step(Input::Command(command), InputContext::default());
    }

    fn entry(&mut self, resource: &str, key: u64) -> Option<(ResourceName, &mut ClaimEntry)> {
        let claims = &mut self.engine.service;
        let resource = *claims.numbers.get(resource)?;
        let entry = claims.entries.get_mut(&resource).filter(|entry| entry.key == key)?;
        Some((resource, entry))
    }

    fn claim(&mut self, new: NewClaim) {
        let key = IdempotencyKey::new(new.key);
        let claims = &mut self.engine.service;
        let (resource, is_claimed) = claims.number(&new.resource);
        let mut context = InputContext::default();
        if is_claimed {
            // The core refuses it, and its notice names the first claim.
            context.rival = Some(new);
        } else {
            claims.entries.insert(resource, ClaimEntry::new(new));
        }
        self.step(Input::Command(Command::Claim { resource, key }), context);
    }

    fn take_answer(&mut self, joined: Result<Received, JoinError>) {
        match joined {
            Ok(joined) => self.handle_response(joined),
            Err(error) => assert!(error.is_cancelled(), "a call does not panic: {error}"),
        }
    }

    fn handle_response(&mut self, Received { call, serial, server, answer }: Received) {
        let claims = &mut self.engine.service;
        let is_due = claims.sent.get(&call).is_some_and(|sent| sent.serial == serial);
        let Some(sent) = claims.sent.remove(&call).filter(|_| is_due) else { return };
        let mut response = match &answer {
            Ok(answer) => read(call, answer),
            Err(NoAnswer { kind: Failure::Unknown, .. }) => Response::unanswered(call),
            Err(NoAnswer { kind: Failure::Refused, .. }) => Response::refused(call),
            Err(NoAnswer { kind: Failure::Untrusted | Failure::Foreign, .. }) => {
                Response::bare(call, UNTRUSTED)
            }
        };
        let now = claims.clock.now();
        response.lease = sent.lease_at(now);
        if let Some(entry) = claims.entries.get_mut(&sent.resource) {
            if answer.is_ok() && sent.wait.is_zero() {
                entry.note_round_trip(sent.took(now));
            }
            let id = response.claim.map(ClaimId::number);
            entry.note_answer(id, answer, &server);
        }
        let message = Message::Response(response);
        let resource = sent.resource;
        let was_held = claims.entries.get(&resource).is_some_and(ClaimEntry::is_held);
        let context = InputContext { pending: Some(sent), rival: None };
        self.step(Input::Message { from: Server::Claims, message }, context);
        if let Some(entry) = self.engine.service.entries.get_mut(&resource) {
            let (is_held_again, id) = (entry.note_settled(was_held), entry.view.borrow().claim);
            if is_held_again {
                self.engine.service.watch_again(resource, id);
            }
        }
    }

    fn handle_over(&mut self, over: Result<(ClaimId, Option<Status>), JoinError>) {
        match over {
            Ok((claim, status)) => {
                let mut entries = self.engine.service.entries.values_mut();
                if let Some(entry) = entries.find(|entry| entry.is_claim(claim)) {
                    entry.note_end(status);
                }
                let input =
                    Input::Message { from: Server::Claims, message: Message::Over { claim } };
                self.step(input, InputContext::default());
            }
            Err(error) => assert!(error.is_cancelled(), "a watch does not panic: {error}"),
        }
    }
}

impl NewClaim {
    pub(super) fn refuse(self, refusal: Refusal) {
        // An error means that the caller has gone away.
        let _gone = self.refused.send(refusal);
    }
}

/// Waits until a claim has ended.
pub(super) async fn ended(mut view: channel::Receiver<ClaimView>) {
    while view.changed().await.is_ok() {}
}
