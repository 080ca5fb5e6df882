//! Many claims on behalf of one program, over one connection: a claim client for each resource.
//!
//! It decides only what a single claim cannot: that a resource is claimed once at a time, whose
//! answer an answer is, and what the end of the program means for each claim.

mod state;

use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::claim::{Machine, Resource};
use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf, RowOutcome};

use self::state::Entry;
use super::client::{self, CALLS_MAX, Client};
use super::message::{Message, Request, ResourceName, Response, Server};
use crate::number::CallId;

pub use state::{Command, Notice, State, Timer};

/// The most resources that one keychain claims at a time.
pub const CLAIMS_MAX: usize = 4_096;

const _: () = assert!(CLAIMS_MAX * CALLS_MAX <= u16::MAX as usize, "each call has a number");

const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The core of a keychain. Its calling contract is that of [`Client`], with the resource named in
/// each timer, command and notice.
#[derive(Clone, Debug)]
pub struct Keychain<R: Rules<Machine> = Machine> {
    /// The table of each claim.
    pub rules: R,
    /// Whether each claim asks the server to answer only when the lock is granted.
    pub waits: bool,
}

impl Keychain {
    /// A keychain whose claims poll, by the table that is baked in.
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
                self.hear(state, from, response, out);
            }
            Input::Message { from, message: message @ Message::Over { claim } } => {
                if let Some(resource) = state.resource_of(claim) {
                    self.pass(state, resource, Input::Message { from, message }, out);
                }
            }
            Input::Message { from: _, message: Message::Request(_) | Message::Act { .. } } => {}
            Input::Fired(Timer { resource, timer }) => {
                self.pass(state, resource, Input::Fired(client::Timer(timer)), out);
            }
            Input::Command(command) => self.obey(state, command, out),
            Input::Restart(_) => *state = self.start(),
        }
    }
}

impl<R: Rules<Machine>> Keychain<R> {
    fn obey(&self, state: &mut State, command: Command, out: &mut OutOf<Self>) {
        match command {
            Command::Claim { resource, key } => {
                let refusal = state.claims.get(&resource).map(|entry| Notice::AlreadyClaimed {
                    resource,
                    key,
                    first: entry.key,
                });
                let is_full = state.claims.len() >= CLAIMS_MAX;
                let refusal = refusal.or(is_full.then_some(Notice::TooMany { resource, key }));
                if let Some(refusal) = refusal {
                    return out.effects.push(Effect::Notify(refusal));
                }
                let client = self.client(resource).start();
                state.claims.insert(resource, Entry { key, is_leaving: false, client });
                let command = client::Command::Claim { key };
                self.pass(state, resource, Input::Command(command), out);
            }
            Command::GoOn { resource, key } => {
                let command = client::Command::Claim { key };
                self.pass(state, resource, Input::Command(command), out);
            }
            Command::Release { resource } => self.leave(state, resource, out),
            Command::Close => {
                let resources: Vec<ResourceName> = state.claims.keys().copied().collect();
                for resource in resources {
                    self.leave(state, resource, out);
                }
            }
            Command::Act { resource } => {
                self.pass(state, resource, Input::Command(client::Command::Act), out);
            }
        }
    }

    /// Gives back what is held, and waits no longer for what is not; once, however often it is
    /// asked, and not at all for a claim whose program was told its end.
    fn leave(&self, state: &mut State, resource: ResourceName, out: &mut OutOf<Self>) {
        let Some(entry) = state.claims.get_mut(&resource) else { return };
        if core::mem::replace(&mut entry.is_leaving, true) {
            return;
        }
        if entry.client.is_held() {
            return self.pass(state, resource, Input::Command(client::Command::Release), out);
        }
        // Whoever waits no longer has a timeout that is over now; who has none is being given back.
        let timer = Resource::TimeoutTimer;
        if !self.rules.holds(entry.client.at).contains(&timer) {
            return;
        }
        out.effects.push(Effect::Disarm(Timer { resource, timer }));
        self.pass(state, resource, Input::Fired(client::Timer(timer)), out);
    }

    fn hear(&self, state: &mut State, from: Server, heard: Response, out: &mut OutOf<Self>) {
        // An answer to a claim that has ended, or to nothing, is nobody's.
        let Some(Some((resource, call))) = state.calls.remove(&heard.call) else { return };
        let message = Message::Response(Response { call, ..heard });
        self.pass(state, resource, Input::Message { from, message }, out);
    }

    /// One claim takes its step; what it wants done is said in the keychain's names.
    fn pass(
        &self,
        state: &mut State,
        resource: ResourceName,
        input: InnerInput<R>,
        out: &mut OutOf<Self>,
    ) {
        let Some(entry) = state.claims.get_mut(&resource) else { return };
        let mut inner = Out::default();
        self.client(resource).step(&mut entry.client, input, &mut inner);
        let has_ended = self.rules.is_final(entry.client.at);
        let mut is_over = false;
        out.rows.append(&mut inner.rows);
        for effect in inner.effects {
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
        if let Some(entry) = state.claims.get_mut(&resource) {
            entry.is_leaving |= is_over;
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
            let (action, because) = ("send", "too many requests are outstanding");
            out.rows.push(RowOutcome::ActionFailed { machine: MACHINE, action, because });
            return;
        }
        let call = CallId::smallest_free(state.calls.keys().copied());
        state.calls.insert(call, Some((resource, request.call)));
        let message = Message::Request(Request { call, ask: request.ask });
        out.effects.push(Effect::Send { to, message });
    }

    fn client(&self, resource: ResourceName) -> Client<R> {
        Client { rules: self.rules.clone(), resource, waits: self.waits }
    }
}
