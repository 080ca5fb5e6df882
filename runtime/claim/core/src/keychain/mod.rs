//! A keychain: many claims of one program over one connection, with a claim client for each
//! resource.
//!
//! It decides only what a single claim cannot: that a resource is claimed once at a time, which
//! claim a response belongs to, and how each claim ends when the program ends.

mod state;

use alloc::vec::Vec;

use turnstile_claim_machines::claim::{Machine, Resource};
use turnstile_machine::Rules;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, RowOutcome};

use self::state::ManagedClaim;
use super::client::{self, CALLS_MAX, Client};
use super::message::{Message, Request, ResourceName, Response, Server};
use turnstile_ids::number::CallId;

pub use state::{Command, Notice, State, Timer};

/// The most claims of one keychain at a time.
pub const CLAIMS_MAX: usize = 4_096;

const _: () = assert!(CLAIMS_MAX * CALLS_MAX <= u16::MAX as usize, "each request has an id");

const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The core of a keychain. Its calling contract is that of [`Client`], with the resource named in
/// each timer, command and notice.
#[derive(Clone, Debug)]
pub struct Keychain<R: Rules<Machine> = Machine> {
    /// The table of each claim.
    pub rules: R,
    /// Whether its requests are long polls: the server responds when the lock is granted.
    pub waits: bool,
}

impl Keychain {
    /// A keychain whose claims poll, by the compiled table.
    #[must_use]
    pub const fn new() -> Self {
        Self { rules: Machine, waits: false }
    }
}

impl Default for Keychain {
    fn default() -> Self {
        Self::new()
    }
}

type InnerInput<R> = InputOf<Client<R>>;

impl<R: Rules<Machine>> Core for Keychain<R> {
    type State = State;
    type Peer = Server;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::default()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Message { from, message: Message::Response(response) } => {
                self.on_message(state, from, response, out);
            }
            Input::Message { from, message: message @ Message::Over { claim } } => {
                if let Some(resource) = state.resource_of(claim) {
                    self.step_claim(state, resource, Input::Message { from, message }, out);
                }
            }
            Input::Message { from: _, message: Message::Request(_) | Message::Act { .. } } => {}
            Input::Fired(Timer { resource, timer }) => {
                self.step_claim(state, resource, Input::Fired(client::Timer(timer)), out);
            }
            Input::Command(command) => self.on_command(state, command, out),
            Input::Restart(_) => *state = self.start(),
        }
    }
}

impl<R: Rules<Machine>> Keychain<R> {
    fn on_command(&self, state: &mut State, command: Command, out: &mut OutOf<Self>) {
        match command {
            Command::Claim { resource, key } => {
                let refusal = state.claims.get(&resource).map(|managed| Notice::AlreadyClaimed {
                    resource,
                    key,
                    first: managed.key,
                });
                let is_full = state.claims.len() >= CLAIMS_MAX;
                let refusal = refusal.or(is_full.then_some(Notice::TooMany { resource, key }));
                if let Some(refusal) = refusal {
                    return out.effects.push(Effect::Notify(refusal));
                }
                let client = self.client(resource).start();
                state.claims.insert(resource, ManagedClaim { key, is_leaving: false, client });
                let command = client::Command::Claim { key };
                self.step_claim(state, resource, Input::Command(command), out);
            }
            Command::GoOn { resource, key } => {
                let command = client::Command::Claim { key };
                self.step_claim(state, resource, Input::Command(command), out);
            }
            Command::Release { resource } => self.release(state, resource, out),
            Command::Close => {
                let resources: Vec<ResourceName> = state.claims.keys().copied().collect();
                for resource in resources {
                    self.release(state, resource, out);
                }
            }
            Command::Act { resource } => {
                self.step_claim(state, resource, Input::Command(client::Command::Act), out);
            }
        }
    }

    /// Releases a held lock, or stops waiting for one. Does nothing the second time, or for a claim
    /// whose end was notified.
    fn release(&self, state: &mut State, resource: ResourceName, out: &mut OutOf<Self>) {
        let Some(managed) = state.claims.get_mut(&resource) else { return };
        if core::mem::replace(&mut managed.is_leaving, true) {
            return;
        }
        if managed.client.is_held() {
            return self.step_claim(state, resource, Input::Command(client::Command::Release), out);
        }
        // To stop waiting is to time out now. A claim without a timeout is being released already.
        let timer = Resource::TimeoutTimer;
        if !self.rules.holds(managed.client.at).contains(&timer) {
            return;
        }
        out.effects.push(Effect::Disarm(Timer { resource, timer }));
        self.step_claim(state, resource, Input::Fired(client::Timer(timer)), out);
    }

    fn on_message(&self, state: &mut State, from: Server, heard: Response, out: &mut OutOf<Self>) {
        // A response to a claim that has ended, or to no request, is dropped.
        let Some(Some((resource, call))) = state.calls.remove(&heard.call) else { return };
        let message = Message::Response(Response { call, ..heard });
        self.step_claim(state, resource, Input::Message { from, message }, out);
    }

    /// Steps one claim; its effects become effects of the keychain.
    fn step_claim(
        &self,
        state: &mut State,
        resource: ResourceName,
        input: InnerInput<R>,
        out: &mut OutOf<Self>,
    ) {
        let Some(managed) = state.claims.get_mut(&resource) else { return };
        let client = self.client(resource);
        let inner = out.of_part(|inner| client.step(&mut managed.client, input, inner));
        let has_ended = self.rules.is_final(managed.client.at);
        let mut is_over = false;
        for effect in inner {
            match effect {
                Effect::Send { to, message: Message::Request(request) } => {
                    self.send(state, resource, to, request, out);
                }
                Effect::Send { to, message: message @ Message::Over { .. } }
                | Effect::Send {
                    to,
                    message: message @ (Message::Response(_) | Message::Act { .. }),
                } => {
                    out.effects.push(Effect::Send { to, message });
                }
                Effect::Arm(client::Timer(timer)) => {
                    out.effects.push(Effect::Arm(Timer { resource, timer }))
                }
                Effect::Disarm(client::Timer(timer)) => {
                    out.effects.push(Effect::Disarm(Timer { resource, timer }));
                }
                Effect::Save(()) => {}
                Effect::Notify(notice) => {
                    is_over |= !matches!(
                        notice,
                        client::Notice::Acquired { .. } | client::Notice::KeyNeeded
                    );
                    out.effects.push(Effect::Notify(Notice::Told { resource, notice }));
                }
            }
        }
        if let Some(managed) = state.claims.get_mut(&resource) {
            managed.is_leaving |= is_over;
        }
        if has_ended {
            state.end(resource);
        }
    }

    fn send(
        &self,
        state: &mut State,
        resource: ResourceName,
        to: Server,
        request: Request,
        out: &mut OutOf<Self>,
    ) {
        if state.calls.len() >= usize::from(u16::MAX) {
            let (action, reason) = ("send", "too many requests are outstanding");
            out.rows.push(RowOutcome::ActionFailed { machine: MACHINE, action, reason });
            return;
        }
        let call = CallId::smallest_free(state.calls.keys().copied());
        state.calls.insert(call, Some((resource, request.call)));
        let message = Message::Request(Request { call, kind: request.kind });
        out.effects.push(Effect::Send { to, message });
    }

    fn client(&self, resource: ResourceName) -> Client<R> {
        Client { rules: self.rules.clone(), resource, waits: self.waits }
    }
}
