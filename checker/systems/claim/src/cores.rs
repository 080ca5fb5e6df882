//! The cores of the claim system behind the World's types: inputs in, effects out, addresses
//! translated. Nothing is decided here.

use turnstile_core::claim::client::{self, Client};
use turnstile_core::claim::message::{Ask, Asked, Caller, Lease, Message, Request, Server};
use turnstile_core::claim::record::Notice::Over;
use turnstile_core::claim::record::{self, Records, Status};
use turnstile_core::fence::{self, Fence};
use turnstile_core::number::{CallId, ClaimId, IdempotencyKey};
use turnstile_machine::Rules as _;
use turnstile_machines::claim::{Resource, State as Stage};
use turnstile_step::{
    Core, Effect, EffectOf as EffectOfCore, Input, InputOf as CoreInput, Out, OutOf as CoreOut,
    RowOutcome,
};
use turnstile_world::NodeId;
use turnstile_world::system::{EffectOf, InputOf, OutOf};

use super::queue::Queue;
use super::types::Command::{AskOtherwise, ClaimAgain, FreshKey, Revoke};
use super::types::{ClaimTypes, Command, Lessee, Letter, Notice, Office, Saved, Timer, Way};
use super::{Claim, ClientRules, FRESH_KEY, RecordRules};

impl Claim {
    /// What the user of a client may ask, and its driver give.
    pub(super) fn wishes(&self, node: NodeId, lessee: &Lessee) -> Vec<Command> {
        let state = &lessee.core;
        let key = IdempotencyKey::new(FRESH_KEY + node as u64);
        if state.at == self.client.initial() {
            return vec![Command::Client(client::Command::Claim { key }), AskOtherwise];
        }
        if self.client.is_final(state.at) {
            return Vec::new();
        }
        let mut wishes = vec![client::Command::Release, client::Command::Signal];
        wishes.extend(state.is_held().then_some(client::Command::Act));
        let fresh = (state.at == Stage::StartingOver).then_some(FreshKey(key));
        let others = fresh.into_iter().chain([AskOtherwise]);
        wishes.into_iter().map(Command::Client).chain(others).collect()
    }

    pub(super) fn step_client(
        &self,
        choice: u8,
        lessee: &mut Lessee,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        type Of = Client<ClientRules>;
        let mut is_backed = false;
        let input: CoreInput<Of> = match input {
            Input::Message { from, message: letter } => {
                let from = if from == self.server() { Server::Claims } else { Server::Store };
                is_backed = letter.is_backed;
                Input::Message { from, message: letter.message }
            }
            Input::Fired(Timer::Client(timer)) => Input::Fired(client::Timer(timer)),
            Input::Command(Command::Client(command)) => Input::Command(command),
            Input::Command(FreshKey(key)) => Input::Command(client::Command::Claim { key }),
            Input::Command(AskOtherwise) => {
                lessee.waits = !lessee.waits;
                return;
            }
            Input::Fired(Timer::Keychain(_) | Timer::Server(_))
            | Input::Command(Command::Keychain(_) | ClaimAgain(_) | Revoke(_)) => return,
            Input::Restart(_) => Input::Restart(None),
        };
        let mut inner: CoreOut<Of> = Out::default();
        let counts = self.client.holds(Stage::Active).contains(&Resource::LeaseTimer);
        let renewed = counts && renewed(lessee, &input);
        let had_lease =
            matches!(input, Input::Fired(client::Timer(Resource::LeaseTimer)) | Input::Restart(_));
        let over = over::<Of>(&input).filter(|claim| lessee.core.claim == Some(*claim));
        self.client(choice, lessee.waits).step(&mut lessee.core, input, &mut inner);
        lessee.is_deaf |= over.is_some() && lessee.core.is_held();
        let armed = inner.effects.contains(&Effect::Arm(client::Timer(Resource::LeaseTimer)));
        let disarmed = inner.effects.contains(&Effect::Disarm(client::Timer(Resource::LeaseTimer)));
        if armed || disarmed || had_lease {
            lessee.is_backed = armed && is_backed;
        }
        out.rows.append(&mut inner.rows);
        let stays = lessee.core.at == Stage::Active;
        out.rows.extend((renewed && stays && !armed).then_some(UNRENEWED));
        let is_heard = inner.effects.iter().all(|effect| !posts(effect, !lessee.waits));
        out.rows.extend((!is_heard).then_some(UNHEARD));
        out.effects.extend(inner.effects.into_iter().filter_map(|effect| match effect {
            Effect::Send { to: Server::Claims, message } => {
                Some(Effect::Send { to: self.server(), message: Letter::plain(message) })
            }
            Effect::Send { to: Server::Store, message } => {
                Some(Effect::Send { to: self.store(), message: Letter::plain(message) })
            }
            Effect::Arm(client::Timer(timer)) => Some(Effect::Arm(Timer::Client(timer))),
            Effect::Disarm(client::Timer(timer)) => Some(Effect::Disarm(Timer::Client(timer))),
            Effect::Save(()) => None,
            Effect::Notify(notice) => Some(Effect::Notify(Notice::Client(notice))),
        }));
    }

    pub(super) fn step_server(
        &self,
        choice: u8,
        office: &mut Office,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        self.step_records(choice, &mut office.core, input, out);
        if self.watches {
            watch(office, &mut out.effects);
        }
    }

    fn step_records(
        &self,
        choice: u8,
        state: &mut record::State,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        type Of = Records<RecordRules>;
        let input: CoreInput<Of> = match input {
            Input::Message { from, message: letter } if letter.way == Way::HungUp => {
                let Some(command) = hung_up(state, from, letter.message) else { return };
                Input::Command(command)
            }
            Input::Message { from, message: letter } => {
                let from = if letter.way == Way::Stray { STRAY } else { caller(from) };
                Input::Message { from, message: letter.message }
            }
            Input::Fired(Timer::Server(timer)) => Input::Fired(timer),
            Input::Command(Revoke(claim)) => {
                let ask = Ask::Status { claim, to: Asked::Revoked };
                let message = Message::Request(Request { call: CallId::default(), ask });
                Input::Message { from: OPERATOR, message }
            }
            Input::Fired(Timer::Client(_) | Timer::Keychain(_)) | Input::Command(_) => return,
            Input::Restart(saved) => Input::Restart(saved.and_then(Saved::server)),
        };
        let queue = Queue::before(state, &input);
        let asked = asked(&input);
        let mut inner: CoreOut<Of> = Out::default();
        self.records(choice).step(state, input, &mut inner);
        out.rows.append(&mut inner.rows);
        let is_heard = |to: (Caller, CallId)| {
            inner.effects.iter().any(|effect| answers(effect, to)) || state.is_open(to.0, to.1)
        };
        out.rows.extend(asked.filter(|to| !is_heard(*to)).map(|_| UNANSWERED));
        let counted: Vec<ClaimId> = inner.effects.iter().filter_map(counted_anew).collect();
        let passed_over = queue.passed_over(state, &inner.effects).map(Notice::PassedOver);
        let forgotten = queue.forgotten(state).map(Notice::Forgotten);
        let idle = queue.is_idle(state, &inner.effects).then_some(Notice::Idle);
        out.effects.extend(inner.effects.into_iter().filter_map(|effect| match effect {
            // An operator hears it, who is no node, or nobody.
            Effect::Send { to: OPERATOR | STRAY, message: _ } => None,
            Effect::Send { to, message } => {
                let is_backed = matches!(message, Message::Response(response)
                    if response.grants() && response.claim.is_some_and(|id| counted.contains(&id)));
                let message = Letter { is_backed, ..Letter::plain(message) };
                Some(Effect::Send { to: node(to), message })
            }
            Effect::Arm(timer) => Some(Effect::Arm(Timer::Server(timer))),
            Effect::Disarm(timer) => Some(Effect::Disarm(Timer::Server(timer))),
            Effect::Save(saved) => Some(Effect::Save(Saved::Server(saved))),
            Effect::Notify(notice) => Some(Effect::Notify(Notice::Server(notice))),
        }));
        let untoward = [passed_over, forgotten, idle].into_iter().flatten();
        out.effects.extend(untoward.map(Effect::Notify));
    }

    pub(super) fn step_store(
        state: &mut fence::State,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        let input: CoreInput<Fence> = match input {
            Input::Message { from, message: letter } => {
                Input::Message { from: caller(from), message: letter.message }
            }
            Input::Fired(_) | Input::Command(_) => return,
            Input::Restart(saved) => Input::Restart(saved.and_then(Saved::store)),
        };
        let mut inner: CoreOut<Fence> = Out::default();
        Fence.step(state, input, &mut inner);
        out.rows.append(&mut inner.rows);
        out.effects.extend(inner.effects.into_iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(Effect::Notify(Notice::Store(notice))),
            Effect::Save(newest) => Some(Effect::Save(Saved::Store(newest))),
            Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) => None,
        }));
    }
}

/// Who is granted a claim watches it from then on, and hears that it is over.
fn watch(office: &mut Office, effects: &mut [EffectOf<ClaimTypes>]) {
    for effect in effects {
        match effect {
            Effect::Send { to, message: Letter { message: Message::Response(response), .. } } => {
                let granted = response.claim.filter(|_| response.grants());
                office.watched.extend(granted.map(|claim| (claim, *to)));
            }
            Effect::Notify(Notice::Server(Over { claim })) => {
                if let Some(to) = office.watched.remove(claim) {
                    let message = Letter::plain(Message::Over { claim: *claim });
                    *effect = Effect::Send { to, message };
                }
            }
            Effect::Send { .. }
            | Effect::Arm(_)
            | Effect::Disarm(_)
            | Effect::Save(_)
            | Effect::Notify(_) => {}
        }
    }
    let status = |id| office.core.claim(id).and_then(|record: &record::Record| record.status());
    office.watched.retain(|id, _| !is_given_up(status(*id)));
}

/// Whether a claim has ended by its own client's request.
const fn is_given_up(status: Option<Status>) -> bool {
    match status {
        Some(Status::Released | Status::Aborted | Status::Withdrawn) => true,
        Some(Status::Waiting | Status::Active | Status::Revoked | Status::Expired) | None => false,
    }
}

/// What is wrong where an answer in time to a holder does not arm its lease timer anew.
const UNRENEWED: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "restart lease timer",
    because: "an answer in time renews the lease",
};

/// What is wrong where a POST asks to be held though its client does not listen, or the other way
/// round.
const UNHEARD: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "send POST",
    because: "a client that listens asks the server to hold its POST, and no other does",
};

/// What is wrong where the server neither answers a request nor holds it open.
const UNANSWERED: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim-record",
    action: "answer",
    because: "a request that is heard is answered, now or later",
};

/// Who asks the server something, and by which call.
const fn asked(input: &CoreInput<Records<RecordRules>>) -> Option<(Caller, CallId)> {
    match input {
        Input::Message { from, message: Message::Request(request) } => Some((*from, request.call)),
        Input::Message { .. } | Input::Fired(_) | Input::Command(_) | Input::Restart(_) => None,
    }
}

/// Whether an effect is the answer to a call.
fn answers(effect: &EffectOfCore<Records<RecordRules>>, (from, call): (Caller, CallId)) -> bool {
    matches!(effect, Effect::Send { to, message: Message::Response(response) }
        if *to == from && response.call == call)
}

/// Whether an input is an answer in time to a renewal that a holder waits for.
fn renewed(lessee: &Lessee, input: &CoreInput<Client<ClientRules>>) -> bool {
    let Input::Message { from: _, message: Message::Response(response) } = input else {
        return false;
    };
    let mut calls = lessee.core.calls.iter();
    let is_open = calls.any(|call| {
        call.id == response.call
            && call.request == Resource::RenewPatchRequest
            && !call.is_abandoned
    });
    let is_in_time = response.lease == Lease::Live && (200..300).contains(&response.status);
    is_open && is_in_time
}

/// The claim that is said to be over.
pub(super) fn over<C: Core<Message = Message>>(input: &CoreInput<C>) -> Option<ClaimId> {
    match input {
        Input::Message { from: _, message: Message::Over { claim } } => Some(*claim),
        Input::Message { .. } | Input::Fired(_) | Input::Command(_) | Input::Restart(_) => None,
    }
}

/// Whether an effect is a POST that the server is to hold, or is not.
fn posts(effect: &EffectOfCore<Client<ClientRules>>, is_held: bool) -> bool {
    matches!(effect, Effect::Send {
        message: Message::Request(Request { ask: Ask::Post { wait, .. }, .. }), ..
    } if *wait == is_held)
}

/// Whoever revokes a claim at the server.
const OPERATOR: Caller = Caller(u64::MAX);

/// Whoever sent a request that nobody waits for.
pub(super) const STRAY: Caller = Caller(u64::MAX - 1);

/// What the server's driver says when the connection of a request is gone; it knows the claim that
/// the request is about.
fn hung_up(state: &record::State, from: NodeId, message: Message) -> Option<record::Command> {
    let Message::Request(Request { call, ask }) = message else { return None };
    let claim = match ask {
        Ask::Post { resource: _, key, wait: _ } => key.and_then(|key| state.keyed(key))?,
        Ask::Ttl { claim } | Ask::Status { claim, to: _ } => claim,
    };
    Some(record::Command::HungUp { claim, from: caller(from), call })
}

/// The claim whose ttl is counted anew.
fn counted_anew(effect: &EffectOfCore<Records<RecordRules>>) -> Option<ClaimId> {
    match effect {
        Effect::Arm(record::Timer::Ttl(claim)) => Some(*claim),
        Effect::Arm(record::Timer::Wait(_) | record::Timer::Idle(_) | record::Timer::Lapse(_))
        | Effect::Send { .. }
        | Effect::Disarm(_)
        | Effect::Save(_)
        | Effect::Notify(_) => None,
    }
}

/// A node as the server's side knows it.
pub(super) fn caller(node: NodeId) -> Caller {
    Caller(node as u64)
}

/// The call that a request opens or an answer ends.
pub(super) fn call(letter: &Letter) -> Option<CallId> {
    match letter.message {
        Message::Request(request) => Some(request.call),
        Message::Response(response) => Some(response.call),
        Message::Act { token: _ } | Message::Over { claim: _ } => None,
    }
}

pub(super) fn node(caller: Caller) -> NodeId {
    NodeId::try_from(caller.0).expect("a caller is a node of the world")
}
